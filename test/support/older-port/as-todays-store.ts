import { err, ok, type Result } from 'neverthrow';
import { planAgain, planAppend } from '../../../src/plan/append.js';
import { planCreate } from '../../../src/plan/create.js';
import { planMove } from '../../../src/plan/move.js';
import type { StoreError } from '../../../src/session/errors.js';
import type { AppendOutcome, HistoryAppend } from '../../../src/session/history-append.js';
import type { Changed } from '../../../src/store/commit.js';
import type { Answer, DueKey, SessionKey, SessionStore } from '../../../src/store/session-store.js';
import type { Rescheduling, TodaysStore } from './todays-store.js';

const MAX_ATTEMPTS = 32;

const appendOutcomeOf = (changed: Changed): AppendOutcome => {
  if (changed.outcome !== 'refused') {
    const { outcome, position } = changed;
    return { outcome: 'appended', position, ...(outcome === 'repeated' && { repeated: true }) };
  }
  switch (changed.guard) {
    case 'operation':
      return { outcome: 'mismatch' };
    case 'open':
    case 'over':
    case 'revision':
    case 'unusedSince':
      return { outcome: 'closed', state: changed.state };
    case 'fence':
      return { outcome: 'lease_lost' };
    case 'end':
    case 'superseded':
      return { outcome: 'moved', position: changed.position };
    case 'position':
      return { outcome: 'invalid_position' };
    case 'rewinds':
      return { outcome: 'full', maxRewinds: changed.rewinds };
    case 'entries':
      return { outcome: 'full' };
    default:
      return { outcome: 'missing' };
  }
};

const append = async (
  store: SessionStore,
  key: SessionKey,
  input: HistoryAppend,
): Promise<Result<AppendOutcome, StoreError>> => {
  let commit = planAppend(key, input);
  for (let attempt = 1; ; attempt += 1) {
    const changed = await store.change(commit);
    if (changed.isErr()) return err(changed.error);
    const next = attempt < MAX_ATTEMPTS ? planAgain(key, input, changed.value) : undefined;
    if (next === undefined) return ok(appendOutcomeOf(changed.value));
    commit = next;
  }
};

const reschedule = async (
  store: SessionStore,
  key: DueKey,
  { from, to, isDamaged = false }: Rescheduling,
): Promise<Result<'moved' | 'stale', StoreError>> => {
  for (;;) {
    const state = isDamaged ? ok(undefined) : await store.findState(key);
    if (state.isErr())
      return state.error.type === 'corrupt_record' ? ok('stale') : err(state.error);
    const move = planMove(key, { from, to }, state.value);
    if (move === undefined) return ok('stale');
    const moved = await store.change(move);
    if (moved.isErr()) return err(moved.error);
    if (moved.value.outcome !== 'refused') return ok('moved');
    if (moved.value.guard !== 'revision') return ok('stale');
  }
};

/** An answer with its value mapped. */
const mapped = async <T, U, E>(answer: Answer<T, E>, map: (value: T) => U): Promise<Result<U, E>> =>
  (await answer).map(map);

/** A store with the methods that the older cases call. */
export const asTodaysStore = (store: SessionStore): TodaysStore => ({
  ...(store.drain && { drain: () => store.drain?.() ?? Promise.resolve() }),
  insert: (tenant, head, state, opening) => {
    const { entries = [], source, cap } = opening ?? {};
    const guards = { source, live: cap };
    const { key, effects } = planCreate(tenant, { head, state, entries, guards });
    const events = opening === undefined ? effects.events.slice(0, 1) : effects.events;
    const commit = { key, guards, effects: { ...effects, events } };
    return mapped(store.begin(commit), (begun) => {
      if (begun.outcome === 'made') return 'inserted';
      if (begun.guard === 'absent') return 'taken';
      return begun.guard === 'source' ? 'source_changed' : 'too_many';
    });
  },
  replace: (key, previous, state, { event, cap, unusedSince } = {}) => {
    const guards = { revision: previous.revision, unusedSince, live: cap };
    const isQuiet = event === undefined || key.removal !== undefined;
    const events = isQuiet || event.type === 'appended' ? [] : [event];
    const commit = { key, guards, effects: { put: { state, previous }, events } };
    return mapped(store.change(commit), (changed) => {
      if (changed.outcome !== 'refused') return 'replaced';
      if (changed.guard === 'present') return 'missing';
      return changed.guard === 'live' ? 'too_many' : 'stale';
    });
  },
  append: (key, input) => append(store, key, input),
  redact: (key, redact, at) =>
    mapped(store.change({ key, guards: {}, effects: { redact, at } }), (changed) => {
      if (changed.outcome !== 'refused') return 'redacted';
      return changed.guard === 'present' ? 'missing' : 'invalid_position';
    }),
  remove: (key, { revision, unusedSince, now = Date.now(), remains } = {}) => {
    const events = key.removal === undefined ? [{ type: 'deleted' as const, at: now }] : [];
    const commit = { key, guards: { revision, unusedSince }, effects: { remains, events } };
    return mapped(store.remove(commit), (removed) => {
      if (removed.outcome === 'made') return 'removed';
      return removed.guard === 'present' ? 'missing' : 'stale';
    });
  },
  reschedule: (key, rescheduling) => reschedule(store, key, rescheduling),
  claim: (range) => store.take(range),
  find: (key, size) => store.find(key, size),
  findState: (key) => store.findState(key),
  findEntries: (key, slice) => store.entries(key, slice),
  list: (tenant, range) => store.page(tenant, range),
  due: (now, limit, cursor) => store.due(now, limit, cursor),
  countWaiting: (range) => store.countWaiting(range),
  reportsEnds: () => store.reportsEnds(),
  events: store.events,
});
