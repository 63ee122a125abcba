import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from '../clock.js';
import type { StoreError, SweepError } from '../errors.js';
import { endByClock } from '../session/timeline.js';
import type { EndReason } from '../status.js';
import type { SessionKey } from '../store.js';
import type { Settings } from './settings.js';

/** A session that the clock has ended, and whose end this sweep has written down. */
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
  /** Why sessions could not be ended or deleted; they are still due. */
  readonly failed: readonly StoreError[];
  /** How many earlier deletions have nothing left in the store now, where it keeps something of them for a while. */
  readonly purged: number;
  /** Whether there was as much to do as was asked for, so that there may be more. */
  readonly isFull: boolean;
}

const CONCURRENCY = 64;

/** Ends or deletes one session, if it is due and nobody else was faster. */
const sweepSession = async (
  { store, retentionMs }: Settings,
  key: SessionKey,
  now: number,
): Promise<Result<SweptSession | 'deleted' | undefined, StoreError>> => {
  const found = await store.findState(key);
  if (found.isErr()) return err(found.error);
  const current = found.value;
  if (current === undefined) return ok(undefined);
  if (current.status === 'TERMINATED') {
    if (now < current.deadline) return ok(undefined);
    const removed = await store.remove(key, { revision: current.revision, now });
    return removed.map((outcome) => (outcome === 'removed' ? 'deleted' : undefined));
  }
  const next = endByClock(current, now, retentionMs);
  if (next?.status !== 'TERMINATED') return ok(undefined);
  const { endReason, since } = next;
  const replaced = await store.replace(key, next);
  return replaced.map((outcome) =>
    outcome === 'replaced' ? { ...key, endReason, endedAt: timestampOf(since) } : undefined,
  );
};

/**
 * Ends the sessions of all tenants whose time is up, and deletes those whose retention is over, at most `limit` in all,
 * the longest overdue first. The sessions are found through the store's deadlines, never by looking at all of them.
 */
export const sweepSessions = async (settings: Settings, limit: number): Promise<Result<Sweep, SweepError>> => {
  const { store, now } = settings;
  const time = now();
  if (time.isErr()) return err(time.error);
  const due = await store.due(time.value, limit);
  if (due.isErr()) return err(due.error);
  const { sessions } = due.value;
  const ended: SweptSession[] = [];
  const deleted: SessionKey[] = [];
  const failed: StoreError[] = [...due.value.failed];
  for (let at = 0; at < sessions.length; at += CONCURRENCY) {
    const keys = sessions.slice(at, at + CONCURRENCY).map(({ tenant, id }) => ({ tenant, id }));
    const all = await Promise.all(
      keys.map(async (key) => ({ key, swept: await sweepSession(settings, key, time.value) })),
    );
    for (const { key, swept } of all) {
      if (swept.isErr()) failed.push(swept.error);
      else if (swept.value === 'deleted') deleted.push(key);
      else if (swept.value !== undefined) ended.push(swept.value);
    }
  }
  const purging = await store.purge?.(time.value, limit);
  if (purging?.isErr()) failed.push(purging.error);
  const purged = purging?.isOk() ? purging.value : 0;
  return ok({ ended, deleted, failed, purged, isFull: sessions.length >= limit || purged >= limit });
};
