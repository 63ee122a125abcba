import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { eventsWith, labelOf, type PlantedBug, planted } from './planted-bug.js';

const asWritten = 'hold: a hold is read as it was written, through every status, and changes no number of a change';

const stateOf = (inner: MemorySessionStore, key: SessionKey): StateRecord | undefined =>
  inner.findState(key)._unsafeUnwrap();

const isHold = (inner: MemorySessionStore, key: SessionKey, next: StateRecord): boolean =>
  stateOf(inner, key)?.status === next.status;

/** The memory store, where `count` says by how much a sequence is wrong; it is told of each hold. */
const miscounting = (bug: string, caughtBy: string, count: (before: number, sequence: number) => number): PlantedBug =>
  planted(bug, caughtBy, (inner) => {
    const wrong = new Map<string, number>();
    return {
      replace: (key, next) => {
        if (isHold(inner, key, next)) {
          const { sequence = 0 } = inner.find(key)._unsafeUnwrap() ?? {};
          wrong.set(labelOf(key), count(wrong.get(labelOf(key)) ?? 0, sequence));
        }
        return inner.replace(key, next);
      },
      find: (key, ...rest) =>
        inner
          .find(key, ...rest)
          .map((record) => record && { ...record, sequence: record.sequence + (wrong.get(labelOf(key)) ?? 0) }),
    };
  });

/** The memory store, with other states. */
const writing = (
  bug: string,
  caughtBy: string,
  write: (next: StateRecord, inner: MemorySessionStore, key: SessionKey) => StateRecord,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({ replace: (key, next) => inner.replace(key, write(next, inner, key)) }));

/** Bugs in holds. */
export const plantedHoldBugs: readonly PlantedBug[] = [
  miscounting('counts a hold as a change', asWritten, (before) => before + 1),
  planted('counts a hold as a change in lists', asWritten, (inner) => ({
    list: (...args) =>
      inner.list(...args).map((page) => ({
        ...page,
        records: page.records.map((record) => ({ ...record, sequence: record.state.revision })),
      })),
  })),
  miscounting(
    'counts the changes from the last hold on',
    'hold: appends and holds count as they come, and a later change has the next number',
    (_, sequence) => -sequence + 2,
  ),
  writing('forgets the hold when the status changes', asWritten, (next, inner, key) => {
    const { hold: _, ...free } = next;
    return isHold(inner, key, next) ? next : free;
  }),
  writing('keeps a fence in 32 bits', asWritten, (next) =>
    next.hold === undefined ? next : { ...next, hold: { ...next.hold, fence: next.hold.fence | 0 } },
  ),
  writing('keeps the later end of two holds', asWritten, (next, inner, key) => {
    const until = Math.max(stateOf(inner, key)?.hold?.until ?? 0, next.hold?.until ?? 0);
    return next.hold === undefined ? next : { ...next, hold: { ...next.hold, until } };
  }),
  writing('ends the name of a holder at a colon', 'hold: a holder may have any name', (next) =>
    next.hold === undefined ? next : { ...next, hold: { ...next.hold, holder: next.hold.holder.split(':')[0] ?? '' } },
  ),
  planted(
    'compares the revision and writes the hold without a transaction',
    'hold: one of 50 holders gets the session',
    (inner) => ({
      replace: async (key, next) => {
        if (stateOf(inner, key)?.revision !== next.revision - 1) return ok('stale');
        await Promise.resolve();
        return inner.replace(key, { ...next, revision: (stateOf(inner, key)?.revision ?? 0) + 1 });
      },
    }),
  ),
  planted(
    'tells a hold as another start',
    'hold: a hold has no event, and leaves no gap in the numbers of events',
    (inner) => {
      let holds = 0;
      return {
        replace: (key, next) => {
          if (isHold(inner, key, next)) holds += 1;
          return inner.replace(key, next);
        },
        events: eventsWith(inner, (events) => ({
          read: (...args) =>
            events.read(...args).map((page) => ({
              ...page,
              events: page.events.flatMap((event) =>
                event.type === 'session.started' && holds > 0 ? [event, event] : [event],
              ),
            })),
        })),
      };
    },
  ),
];
