import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import { changeDetailOf } from '../../src/session/event-detail.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import type { LeaseRecord, StateRecord } from '../../src/session/session-record.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { eventsWith, labelOf, type PlantedBug, planted } from './planted-bug.js';

const asWritten =
  'lease: a lease is read as it was written, through every status, and a renewal changes no number of a change';

const countedAs = 'lease: appends, leases and releases count as they come, and renewals do not';
const hasEvents =
  'lease: a lease that is taken or released has an event with its fencing token, a renewal has none';

const stateOf = (inner: MemorySessionStore, key: SessionKey): StateRecord | undefined =>
  inner.findState(key)._unsafeUnwrap();

type Is = (previous: StateRecord, next: StateRecord) => boolean;

const isRenewal: Is = (previous, next) =>
  previous.status === next.status &&
  changeDetailOf(previous, next, next.lastActivityAt) === undefined;
const isRelease: Is = (previous, next) =>
  changeDetailOf(previous, next, next.lastActivityAt)?.type === 'released';

/**
 * The memory store, where `count` says by how much a sequence is wrong after each change of a kind.
 */
const miscounting = (
  bug: string,
  caughtBy: string,
  is: Is,
  count: (before: number) => number,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => {
    const wrong = new Map<string, number>();
    const wrongBy = (key: SessionKey): number => wrong.get(labelOf(key)) ?? 0;
    return {
      replace: (key, previous, next, options) => {
        if (is(previous, next)) wrong.set(labelOf(key), count(wrongBy(key)));
        return inner.replace(key, previous, next, options);
      },
      find: (key, ...rest) =>
        inner
          .find(key, ...rest)
          .map((record) => record && { ...record, sequence: record.sequence + wrongBy(key) }),
    };
  });

/** The memory store, with other states. */
const writing = (
  bug: string,
  caughtBy: string,
  write: (next: StateRecord, inner: MemorySessionStore, key: SessionKey) => StateRecord,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    replace: (key, previous, next, options) =>
      inner.replace(key, previous, write(next, inner, key), options),
  }));

/** The memory store, which tells other events. */
const telling = (
  bug: string,
  caughtBy: string,
  tell: (events: readonly SessionEvent[]) => readonly SessionEvent[],
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    events: eventsWith(inner, (log) => ({
      read: (...args) => log.read(...args).map((page) => ({ ...page, events: tell(page.events) })),
    })),
  }));

/** Bugs in leases. */
/** The state with changes of its lease, if it has one. */
const withLease = (
  next: StateRecord,
  changesOf: (lease: LeaseRecord) => Partial<LeaseRecord>,
): StateRecord => {
  const { lease } = next.work;
  if (lease === undefined) return next;
  return { ...next, work: { ...next.work, lease: { ...lease, ...changesOf(lease) } } };
};

export const plantedLeaseBugs: readonly PlantedBug[] = [
  miscounting('counts a renewed lease as a change', asWritten, isRenewal, (before) => before + 1),
  miscounting('counts no release', countedAs, isRelease, (before) => before - 1),
  planted('counts a renewed lease as a change in lists', asWritten, (inner) => ({
    list: (...args) =>
      inner.list(...args).map((page) => ({
        ...page,
        records: page.records.map((record) => ({ ...record, sequence: record.state.revision })),
      })),
  })),
  writing('forgets the lease when the status changes', asWritten, (next, inner, key) => {
    const { lease: _, ...work } = next.work;
    return stateOf(inner, key)?.status === next.status ? next : { ...next, work };
  }),
  writing('keeps a fencing token in 32 bits', asWritten, (next) =>
    withLease(next, ({ fencingToken }) => ({ fencingToken: fencingToken | 0 })),
  ),
  writing('keeps the later end of two leases', asWritten, (next, inner, key) => {
    const until = Math.max(
      stateOf(inner, key)?.work.lease?.until ?? 0,
      next.work.lease?.until ?? 0,
    );
    return withLease(next, () => ({ until }));
  }),
  writing('ends the name of a holder at a colon', 'lease: a holder may have any name', (next) =>
    withLease(next, ({ holder }) => ({ holder: holder.split(':')[0] ?? '' })),
  ),
  planted(
    'compares the revision and writes the lease without a transaction',
    'lease: one of 50 holders gets the session',
    (inner) => ({
      replace: async (key, previous, next, options) => {
        if (stateOf(inner, key)?.revision !== previous.revision) return ok('stale');
        await Promise.resolve();
        return inner.replace(key, stateOf(inner, key) ?? previous, next, options);
      },
    }),
  ),
  telling('tells no lease', hasEvents, (events) =>
    events.filter(({ type }) => type !== 'session.leased'),
  ),
  telling('tells no release', hasEvents, (events) =>
    events.filter(({ type }) => type !== 'session.released'),
  ),
  telling('tells a release as a lease', hasEvents, (events) =>
    events.map((event) =>
      event.type === 'session.released' ? { ...event, type: 'session.leased' } : event,
    ),
  ),
  telling('tells every event of a lease with the time of another', hasEvents, (events) =>
    events.map((event) =>
      'fencingToken' in event ? { ...event, at: events[0]?.at ?? event.at } : event,
    ),
  ),
  telling('tells every lease with the same fencing token', hasEvents, (events) =>
    events.map((event) => ('fencingToken' in event ? { ...event, fencingToken: 1 } : event)),
  ),
];
