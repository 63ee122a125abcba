import { ok, type Result } from 'neverthrow';
import { chain } from '../answer.js';
import { timestampOf } from '../clock.js';
import type { InvalidInput } from '../errors.js';
import { endByClock } from '../session/timeline.js';
import type { EndReason } from '../status.js';
import type { Answer, DueSession, SessionKey, StoreError } from '../store.js';
import type { Settings } from './settings.js';

/** A session that the clock has ended, and that this sweep has written down: no other sweep tells of it. */
export interface SweptSession extends SessionKey {
  readonly endReason: EndReason;
  /** When it ended, however late it was noticed: RFC 3339, UTC, milliseconds. */
  readonly endedAt: string;
}

/** What one sweep has done. */
export interface Sweep {
  readonly ended: readonly SweptSession[];
  /** Sessions whose retention was over; they are gone. */
  readonly deleted: readonly SessionKey[];
  /** What could not be seen to, and is due still. */
  readonly failed: readonly StoreError[];
  /** Whether as many were due as were asked for, so that there may be more. */
  readonly isFull: boolean;
}

export type SweepError = InvalidInput | StoreError;

/** So many sessions are seen to at the same time. */
const AT_ONCE = 64;

type Seen = { readonly ended: SweptSession } | { readonly deleted: SessionKey } | undefined;

/** Sees to one session. Whoever finds that another was faster leaves it to that one. */
const seeTo = (settings: Settings, key: SessionKey): Answer<Seen, SweepError> =>
  chain(settings.store.findState(key), (current) =>
    chain(settings.now(), (now): Answer<Seen, SweepError> => {
      if (current === undefined) return ok(undefined);
      if (current.status === 'TERMINATED') {
        if (now < current.deadline) return ok(undefined);
        return chain(settings.store.remove(key, { revision: current.revision, now }), (outcome) =>
          ok(outcome === 'removed' ? { deleted: key } : undefined),
        );
      }
      const next = endByClock(current, now, settings.retentionMs);
      if (next?.status !== 'TERMINATED') return ok(undefined);
      const { endReason, since } = next;
      return chain(settings.store.replace(key, next), (outcome) =>
        ok(outcome === 'replaced' ? { ended: { ...key, endReason, endedAt: timestampOf(since) } } : undefined),
      );
    }),
  );

const isInvalid = (error: SweepError): error is InvalidInput => error.type === 'invalid_input';

/**
 * Ends the sessions of all tenants whose time is up, and deletes those whose retention is over, at most `limit` in all,
 * the longest overdue first. The sessions are found through the store's deadlines, never by looking at all of them.
 */
export const sweepSessions = (settings: Settings, limit: number): Answer<Sweep, SweepError> =>
  chain(settings.now(), (now) =>
    chain(settings.store.due(now, limit), async (due): Promise<Result<Sweep, SweepError>> => {
      const ended: SweptSession[] = [];
      const deleted: SessionKey[] = [];
      const failed: StoreError[] = [];
      const sweep = async (some: readonly DueSession[]): Promise<void> => {
        const seen = await Promise.all(some.map(({ tenant, id }) => seeTo(settings, { tenant, id })));
        for (const one of seen) {
          if (one.isErr()) {
            if (!isInvalid(one.error)) failed.push(one.error);
          } else if (one.value !== undefined) {
            if ('ended' in one.value) ended.push(one.value.ended);
            else deleted.push(one.value.deleted);
          }
        }
      };
      for (let at = 0; at < due.length; at += AT_ONCE) await sweep(due.slice(at, at + AT_ONCE));
      return ok({ ended, deleted, failed, isFull: due.length >= limit });
    }),
  );
