import { err, ok, type Result } from 'neverthrow';
import { entriesAt } from '../input/entries-input.js';
import {
  type ParsedRelease,
  type ParsedTake,
  parseRelease,
  parseTake,
} from '../input/turn-input.js';
import { historyFull, invalidTransition, type StoreError } from '../session/errors.js';
import {
  isLeasedWith,
  leaseEndedIn,
  releasedLease,
  releaseState,
  sessionLeaseOf,
  withoutTurn,
  withWork,
} from '../session/lease-state.js';
import { HISTORY_LIMIT } from '../session/limits.js';
import { type Message, messagesIn } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { PositionedEntry } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { acceptsHistoryAt, stateAt, usedState } from '../session/state-at.js';
import { type Claim, openTurn, withoutMessages } from '../session/turn-state.js';
import type { Refusal, SessionKey } from '../store/session-store.js';
import { fitEntries, fitInput } from './fit-input.js';
import type { ClaimedSession } from './operation-results.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';
import type { Released, TakenMessages } from './turn-results.js';
import { type Decide, makeStep, type Stepped } from './update-state.js';

type TurnOfClaim = Pick<ClaimedSession, 'turn' | 'messages' | 'woken' | 'lease' | 'attempt'>;

/** The error of a refused write of a turn. */
const refusedBy =
  ({ policy: { limits } }: Settings, { id }: SessionKey) =>
  (refusal: Refusal): OperationErrors['take'] => {
    if (refusal.guard === 'entries') return historyFull(id, limits.historyEntries);
    throw contractBroken('change', refusal);
  };

/** The position after a step, or at the end of the history if there was nothing to do. */
const positionOf = async (
  { store }: Settings,
  key: SessionKey,
  stepped: Stepped | undefined,
): Promise<Result<number, OperationErrors['take']>> => {
  if (stepped !== undefined) return ok(stepped.changed.position);
  const part = await store.entries(key, { limit: 1 });
  return part.map((found) => (found.outcome === 'found' ? found.position : 0));
};

/** What a take makes of a session. Undefined if there is nothing to store, and nothing waits. */
const takeStep =
  (
    settings: Settings,
    key: SessionKey,
    { fencingToken, after, limit }: ParsedTake,
  ): Decide<OperationErrors['take']> =>
  (current, now) => {
    const { status } = stateAt(current, now);
    if (!acceptsHistoryAt(current, now)) return err(invalidTransition(status, 'take'));
    if (!isLeasedWith(current, fencingToken, now)) return err(leaseEndedIn(current, fencingToken));
    const { inbox = 0 } = current.work;
    const messages = Math.min(inbox, limit);
    if (messages + after.length === 0) return ok(undefined);
    const turn = openTurn(current, now)?.number;
    const take = turn === undefined || messages === 0 ? undefined : { messages, turn };
    return ok({
      state: usedState(take ? withoutMessages(current, messages) : current, now),
      guards: after.length > 0 ? { entries: settings.policy.limits.historyEntries } : {},
      effects: { entries: entriesAt(now, after, turn), take },
      refused: refusedBy(settings, key),
    });
  };

/** Stores what a turn has said so far, and takes what has been sent since. */
export const takeMessages = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<TakenMessages, OperationErrors['take']>> => {
  const read = parseTake(input, settings.policy);
  if (read.isErr()) return err(read.error);
  const after = await fitEntries(settings, 'after', read.value.after);
  if (after.isErr()) return err(after.error);
  const stepped = await makeStep(
    settings,
    key,
    takeStep(settings, key, { ...read.value, after: after.value }),
  );
  if (stepped.isErr()) return err(stepped.error);
  const position = await positionOf(settings, key, stepped.value);
  const taken: readonly PositionedEntry[] = stepped.value?.changed.messages ?? [];
  return position.map((end) => ({ messages: messagesIn(taken), position: end }));
};

/** The state of a session that was over before its turn was. */
const endedTurn = (current: StateRecord, now: number): StateRecord => {
  const { lease } = current.work;
  return withoutTurn(
    lease === undefined ? current : withWork(current, { lease: releasedLease(lease, now) }),
    now,
  );
};

/** What a release makes of a session, with the last entries of its turn. */
const releaseStep =
  (settings: Settings, key: SessionKey, input: ParsedRelease): Decide<OperationErrors['release']> =>
  (current, now) => {
    const { entries: given } = input;
    const { status } = stateAt(current, now);
    const released = releaseState(current, { ...input, random: settings.random() }, now);
    if (released.isErr()) return err(released.error);
    const wasReleased = current.work.lease?.releasedAt !== undefined;
    if (given.length === 0 || wasReleased) {
      if (released.value === current) return ok(undefined);
      return ok({ state: released.value, refused: refusedBy(settings, key) });
    }
    if (!acceptsHistoryAt(current, now)) return err(invalidTransition(status, 'append'));
    const entries = entriesAt(now, given, openTurn(current, now)?.number);
    return ok({
      state: status === 'TERMINATED' ? endedTurn(current, now) : usedState(released.value, now),
      guards: { entries: settings.policy.limits.historyEntries },
      effects: { entries },
      refused: refusedBy(settings, key),
    });
  };

/** Ends a lease, and stores the last entries of its turn in the same step. */
export const releaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Released, OperationErrors['release']>> => {
  const read = await fitInput(settings, parseRelease(input, settings.policy));
  if (read.isErr()) return err(read.error);
  let isStopped = false;
  const decide = releaseStep(settings, key, read.value);
  const stepped = await makeStep(settings, key, (current, now) => {
    isStopped = current.work.lease?.cancelled !== undefined;
    return decide(current, now);
  });
  return stepped.map(() => (isStopped ? { stopped: true } : {}));
};

/** What a claim takes: nothing if no message waits. */
export const takeOf = ({ take }: Claim): Claim['take'] | undefined =>
  take.messages === 0 ? undefined : take;

/** The messages of a turn: those that an attempt has taken, after those of earlier ones. */
const messagesOfTurn = async (
  { store }: Settings,
  key: SessionKey,
  { isAgain, state, take }: Claim,
  taken: readonly PositionedEntry[],
): Promise<Result<readonly Message[], StoreError>> => {
  if (!isAgain) return ok(messagesIn(taken));
  const { start } = state.work.turn;
  const part = await store.entries(key, { after: start, limit: HISTORY_LIMIT });
  return part.map((found) => {
    const entries = found.outcome === 'found' ? found.entries : taken;
    return messagesIn(entries.filter(({ turn }) => turn === take.turn));
  });
};

/** What a claim tells of its turn, with the messages that it has taken. */
export const turnOfClaim = async (
  settings: Settings,
  key: SessionKey,
  claim: Claim,
  taken: readonly PositionedEntry[] = [],
): Promise<Result<TurnOfClaim, StoreError>> => {
  const { turn, lease } = claim.state.work;
  const messages = await messagesOfTurn(settings, key, claim, taken);
  return messages.map((all) => ({
    turn: turn.number,
    messages: all,
    ...(turn.woken && { woken: turn.woken }),
    lease: sessionLeaseOf(lease),
    attempt: claim.attempt,
  }));
};
