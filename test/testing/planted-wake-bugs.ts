import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const wakes =
  'wake: an append that wakes makes a session wait for a worker from its time on, with another revision';
const earliest = 'wake: of several times the earliest counts';
const leases = 'wake: a lease holds off the claim until its end, and one that is over does not';
const handedOut = 'wake: a session that was just handed out can be claimed again at once';
const stale = 'wake: a change that was decided before is stale, so that it cannot undo the wake';
const without = 'wake: an append without wake changes neither the revision nor the time';
const repeated = 'wake: a repeated append wakes nothing, nor does one that is refused';
const grace = 'wake: in the grace period the entries are stored, and nobody is woken';
const inactivity = 'wake: postpones an end by inactivity as every append does';
const rewinds = 'wake: a rewind wakes too, also one without entries';
const counts = 'wake: has an event after that of its append, and each counts';

type Appending = (
  inner: MemorySessionStore,
  key: SessionKey,
  append: HistoryAppend,
) => AppendOutcome;

/** The memory store, whose appends are others. */
const appending = (bug: string, caughtBy: string, append: Appending): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({ append: (key, given) => ok(append(inner, key, given)) }));

const appendTo: Appending = (inner, key, append) => inner.append(key, append)._unsafeUnwrap();

const plain = ({ wake: _, ...append }: HistoryAppend): HistoryAppend => append;

/** Changes the stored state as no change of the service would. */
const restate = (
  inner: MemorySessionStore,
  key: SessionKey,
  { wakeAt, ...next }: Readonly<{ revision?: number; wakeAt?: number; lastActivityAt?: number }>,
): void => {
  const state = inner.findState(key)._unsafeUnwrap();
  if (state === undefined) return;
  const work = { ...state.work, ...(wakeAt !== undefined && { wakeAt }) };
  inner.replace(key, state, { ...state, ...next, work })._unsafeUnwrap();
};

/** Appends without a wake, and then changes the state. */
const appendThen = (
  inner: MemorySessionStore,
  key: SessionKey,
  append: HistoryAppend,
  next: Parameters<typeof restate>[2],
): AppendOutcome => {
  const outcome = appendTo(inner, key, plain(append));
  if (outcome.outcome === 'appended' && append.wake !== undefined) restate(inner, key, next);
  return outcome;
};

/** Bugs in appends that wake. */
export const plantedWakeBugs: readonly PlantedBug[] = [
  appending('wakes nobody', wakes, (inner, key, append) => appendTo(inner, key, plain(append))),
  appending('wakes for the latest time', earliest, (inner, key, append) =>
    appendThen(inner, key, append, {
      wakeAt: append.now,
      ...(append.wake && { revision: append.wake.revision }),
    }),
  ),
  appending('ends a lease by a wake', leases, (inner, key, append) => {
    const outcome = appendTo(inner, key, append);
    const state = inner.findState(key)._unsafeUnwrap();
    if (state?.work.lease === undefined || append.wake === undefined) return outcome;
    const work = { ...state.work, lease: { ...state.work.lease, until: 0 } };
    inner.replace(key, state, { ...state, work })._unsafeUnwrap();
    return outcome;
  }),
  planted('leaves what was handed out in its place when it is woken', handedOut, (inner) => {
    let out = 0;
    return {
      claim: (range) => {
        out = range.until;
        return inner.claim(range);
      },
      append: (key, append) => {
        const outcome = inner.append(key, append);
        if (out > 0)
          inner
            .claim({ ...key, now: Number.MAX_SAFE_INTEGER, until: out, limit: 1 })
            ._unsafeUnwrap();
        return outcome;
      },
    };
  }),
  appending('keeps the revision of what it wakes', stale, (inner, key, append) =>
    appendThen(inner, key, append, { wakeAt: append.now }),
  ),
  appending('wakes by every append', without, (inner, key, append) =>
    appendTo(inner, key, { wake: { revision: 99 }, ...append }),
  ),
  appending('wakes again by a repeated append', repeated, (inner, key, append) => {
    const outcome = appendTo(inner, key, append);
    const isRepeated = outcome.outcome === 'appended' && outcome.repeated === true;
    if (isRepeated && append.wake !== undefined)
      restate(inner, key, { ...append.wake, wakeAt: append.now });
    return outcome;
  }),
  appending('wakes what has ended', grace, (inner, key, append) => {
    const outcome = appendTo(inner, key, append);
    if (append.wake !== undefined) restate(inner, key, { ...append.wake, wakeAt: append.now });
    return outcome;
  }),
  appending('takes no append that wakes for an activity', inactivity, (inner, key, append) => {
    const before = inner.findState(key)._unsafeUnwrap();
    const outcome = appendTo(inner, key, append);
    const after = inner.findState(key)._unsafeUnwrap();
    if (append.wake === undefined || before === undefined || after === undefined) return outcome;
    inner.remove(key)._unsafeUnwrap();
    const head = {
      id: key.id,
      options: { face: '', profile: '', behavior: '', context: '', timeLimit: 0 },
    };
    const state = { ...after, lastActivityAt: before.lastActivityAt };
    inner
      .insert(key.tenant, { ...head, createdAt: '2026-01-31T12:00:00.000Z' }, state)
      ._unsafeUnwrap();
    return outcome;
  }),
  appending('wakes by no rewind', rewinds, (inner, key, append) =>
    appendTo(inner, key, append.after === undefined ? append : plain(append)),
  ),
  appending('wakes without an event', counts, (inner, key, append) =>
    appendThen(inner, key, append, { ...append.wake, wakeAt: append.now }),
  ),
];
