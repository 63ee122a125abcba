import type { Result } from 'neverthrow';
import { spentState } from '../../session/budget.js';
import { changeStatus } from '../../session/change-status.js';
import { extendState } from '../../session/extend-state.js';
import { leaseState, releaseState, renewState, wakeState } from '../../session/lease-state.js';
import type { StateRecord } from '../../session/session-record.js';
import { endByClock } from '../../session/time-limits.js';
import { cancelState, claimState } from '../../session/turn-state.js';
import type { Dice } from './dice.js';

type Next = StateRecord | undefined;

const valueIn = (result: Result<StateRecord, unknown>): Next => result.unwrapOr(undefined);

const COMMANDS = ['start', 'pause', 'resume', 'terminate', 'fail'] as const;

const usual = { IDLE: 'start', ACTIVE: 'pause', PAUSED: 'resume', TERMINATED: 'fail' } as const;

const byCommand = (dice: Dice, state: StateRecord, now: number): Next => {
  const command = dice.maybe(0.5, dice.pick(COMMANDS)) ?? usual[state.status];
  return valueIn(changeStatus(state, command, { now, operationId: dice.maybe(0.2, 'x') }));
};

const byUpdate = (dice: Dice, state: StateRecord): Next => {
  const { labels: _, metadata: __, ...rest } = state;
  const labels = dice.maybe(0.8, { topic: `t${dice.below(3)}`, user: 'bob' });
  const metadata = dice.maybe(0.5, { n: dice.below(3) });
  return { ...rest, ...(labels && { labels }), ...(metadata && { metadata }) };
};

const byLease = (dice: Dice, state: StateRecord, now: number): Next => {
  const random = 0.1;
  const fencingToken = state.work.lease?.fencingToken ?? 0;
  const lease = { holder: 'w', seconds: 0.1, random };
  const ways = [
    () => valueIn(leaseState(state, lease, now)),
    () => valueIn(renewState(state, { fencingToken, seconds: 0.2 }, now)),
    () => valueIn(releaseState(state, { fencingToken, done: dice.chance(0.5), random }, now)),
    () => valueIn(wakeState(state, now + dice.below(50), now)),
    () => valueIn(cancelState(state, { reason: 'r' }, now)),
    () => claimState(state, { ...lease, attempts: 2, messages: 0, start: 0 }, now)?.state,
  ];
  return dice.pick(ways)?.();
};

const byClock = (dice: Dice, state: StateRecord, now: number): Next => {
  const end = endByClock(state, now);
  if (end === undefined || dice.chance(0.5)) return end;
  return { ...end, report: { removal: String(end.revision), dueAt: end.since } };
};

const byExtension = (dice: Dice, state: StateRecord, now: number): Next => {
  const limitMs = 400 + dice.below(1000);
  const budget = dice.maybe(0.3, { tokens: 60 + dice.below(60) });
  return valueIn(
    extendState(state, { now, limitMs, budget, command: 'extend', operationId: undefined }),
  );
};

/** What is left of a session, due at another time. */
const byReport = (dice: Dice, state: StateRecord, now: number): Next =>
  state.report && { ...state, report: { ...state.report, dueAt: now + dice.below(100) } };

export const nextState = (dice: Dice, state: StateRecord, now: number): Next => {
  if (state.report !== undefined) return byReport(dice, state, now);
  const kind = dice.below(11);
  if (kind < 3) return byCommand(dice, state, now);
  if (kind < 7) return byLease(dice, state, now);
  if (kind === 7) return byUpdate(dice, state);
  if (kind === 8) return byClock(dice, state, now);
  if (kind === 9) return spentState(state, { usage: { tokens: dice.below(20) } }, now);
  return byExtension(dice, state, now);
};
