import { wrongCounterIn } from '../session/budget.js';
import { isLeasedWith } from '../session/lease-state.js';
import type { StateRecord } from '../session/session-record.js';
import { acceptsHistory } from '../session/session-status.js';
import { endsAt } from '../session/time-limits.js';
import type {
  BeginCommit,
  Begun,
  Changed,
  Guards,
  LiveLimit,
  Move,
  Redaction,
  RemoveCommit,
  Removed,
  StateChange,
  UseChange,
} from './commit.js';

/**
 * Whether a session is ACTIVE or PAUSED, and has not expired by this time.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id })); // its time limit: 600 seconds
 * if (state) console.log(isOpen(state, Date.now() + 600_000)); // false
 * ```
 */
export const isOpen = (state: StateRecord, now: number): boolean =>
  acceptsHistory[state.status] && now < endsAt(state);

/** What a store without a language of its own reads before it judges a change. */
export interface Facts {
  /** Undefined if there is no session. */
  readonly state: StateRecord | undefined;
  /** The earlier change with the operation id of the commit, and the position after it. */
  readonly known?: { readonly digest: string; readonly position: number } | undefined;
  /** The earlier message with the id of `send`. */
  readonly sent?: { readonly digest: string } | undefined;
  /** The position at the end of the history. */
  readonly end: number;
  /**
   * Number of entries that stay before the new ones: all of them, or those up to `truncate`.
   * Undefined if `truncate` is superseded. Not used if `truncate` is beyond the end.
   */
  readonly kept: number | undefined;
  /** Number of live sessions of the tenant at a time. */
  readonly liveAt: (now: number) => number;
}

const made: Changed = { outcome: 'made', position: 0 };

const refused = <G extends string>(guard: G) => ({ outcome: 'refused' as const, guard });

const isFull = (limit: LiveLimit | undefined, liveAt: Facts['liveAt']): boolean =>
  limit !== undefined && liveAt(limit.now) >= limit.sessions;

export const takenBy = (effects: (StateChange | UseChange)['effects']): number =>
  effects.put === undefined ? 0 : (effects.take?.messages ?? 0);

type StateGuard = 'revision' | 'unusedSince' | 'open' | 'over' | 'fence';

/** The parts of a state that a store can read even if the rest of it is damaged. */
export type StateSign = Pick<StateRecord, 'revision' | 'lastActivityAt'>;

const signGuard = (state: StateSign, { revision, unusedSince }: RemoveCommit['guards']) => {
  if (revision !== undefined && revision !== state.revision) return 'revision';
  if (unusedSince !== undefined && state.lastActivityAt > unusedSince) return 'unusedSince';
  return undefined;
};

const stateGuard = (state: StateRecord, guards: Guards): StateGuard | undefined => {
  const { open, over, fence } = guards;
  const guard = signGuard(state, guards);
  if (guard !== undefined) return guard;
  if (open !== undefined && !isOpen(state, open)) return 'open';
  if (over !== undefined && isOpen(state, over)) return 'over';
  if (fence !== undefined && !isLeasedWith(state, fence.token, fence.now)) return 'fence';
  return undefined;
};

const counterGuard = (
  state: StateRecord,
  { effects }: StateChange | UseChange,
): 'counters' | undefined => {
  if (effects.put !== undefined || effects.spend === undefined) return undefined;
  return wrongCounterIn(state, effects.spend) && 'counters';
};

const judgeHistory = (
  { end, kept, liveAt }: Facts,
  { guards, effects }: StateChange | UseChange,
): Changed => {
  const { truncate = 0, entries = [] } = effects;
  const taken = takenBy(effects);
  if (guards.end !== undefined && guards.end !== end) return { ...refused('end'), position: end };
  if (truncate > end) return refused('position');
  if (kept === undefined) return { ...refused('superseded'), position: end };
  if (guards.entries !== undefined && kept + entries.length + taken > guards.entries)
    return refused('entries');
  return isFull(guards.live, liveAt) ? refused('live') : made;
};

/**
 * Judges a move of a session, undefined if there is none, that is due at this time.
 *
 * @example
 * ```ts
 * const commit = { key: { tenant: 'acme', id }, guards: { dueAt: 1000 }, effects: { dueAt: 2000 } };
 * console.log(judgeMove(undefined, 1000, commit).outcome); // made
 * ```
 */
export const judgeMove = (
  state: StateRecord | undefined,
  dueAt: number,
  { guards }: Move,
): Changed => {
  if (guards.revision !== undefined) {
    if (state === undefined) return refused('present');
    if (state.revision !== guards.revision) return { ...refused('revision'), state };
  }
  return guards.dueAt === dueAt ? made : refused('dueAt');
};

/**
 * Judges a redaction in a history that ends at this position; undefined if there is no session.
 *
 * @example
 * ```ts
 * const commit = { key: { tenant: 'acme', id }, guards: {}, effects: { redact: [7], at: Date.now() } };
 * console.log(judgeRedaction(3, commit)); // { outcome: 'refused', guard: 'position' }
 * ```
 */
export const judgeRedaction = (end: number | undefined, { effects }: Redaction): Changed => {
  if (end === undefined) return refused('present');
  return effects.redact.every((position) => position <= end) ? made : refused('position');
};

/**
 * Judges a change of a state or a history by its guards, in their order. `made`: all hold, and the
 * effects are to be made.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * const facts = { state, end: 2, kept: 2, liveAt: () => 0 };
 * const guards = { end: 1 };
 * const commit = { key: { tenant: 'acme', id }, guards, effects: { activity: Date.now(), events: [] } };
 * console.log(judgeChange(facts, commit)); // { outcome: 'refused', guard: 'end', position: 2 }
 * ```
 */
export const judgeChange = (facts: Facts, commit: StateChange | UseChange): Changed => {
  const { state, known, sent } = facts;
  const { operation, inbox } = commit.guards;
  const { send } = commit.effects;
  if (operation !== undefined && known !== undefined) {
    if (known.digest !== operation.digest) return refused('operation');
    return { outcome: 'repeated', position: known.position };
  }
  if (send !== undefined && sent !== undefined)
    return send.digest === sent.digest ? { outcome: 'repeated', position: 0 } : refused('message');
  if (state === undefined) return refused('present');
  const guard = stateGuard(state, commit.guards) ?? counterGuard(state, commit);
  if (guard !== undefined) return { ...refused(guard), state };
  if (inbox !== undefined && (state.work.inbox ?? 0) > inbox) return refused('inbox');
  return judgeHistory(facts, commit);
};

/** What a store without a language of its own reads before it judges the begin of a session. */
export interface BeginFacts {
  /** Whether there is a session with the key. */
  readonly isTaken: boolean;
  /** The version of the history of the source; undefined if there is none. */
  readonly sourceVersion: string | undefined;
  /** Number of live sessions of the tenant at a time. */
  readonly liveAt: Facts['liveAt'];
}

/**
 * Judges the begin of a session by its guards, in their order.
 *
 * @example
 * ```ts
 * const facts = { isTaken: true, sourceVersion: undefined, liveAt: () => 0 };
 * console.log(judgeBegin(facts, { guards: {} })); // { outcome: 'refused', guard: 'absent' }
 * ```
 */
export const judgeBegin = (facts: BeginFacts, { guards }: Pick<BeginCommit, 'guards'>): Begun => {
  const { source, live } = guards;
  if (facts.isTaken) return refused('absent');
  if (source !== undefined && facts.sourceVersion !== source.version) return refused('source');
  if (isFull(live, facts.liveAt)) return refused('live');
  return { outcome: 'made' };
};

/**
 * Judges a removal by its guards, in their order.
 *
 * @example
 * ```ts
 * console.log(judgeRemoval(undefined, { guards: {} })); // { outcome: 'refused', guard: 'present' }
 * ```
 */
export const judgeRemoval = (
  state: StateSign | undefined,
  { guards }: Pick<RemoveCommit, 'guards'>,
): Removed => {
  if (state === undefined) return refused('present');
  const guard = signGuard(state, guards);
  return guard === undefined ? { outcome: 'made' } : refused(guard);
};
