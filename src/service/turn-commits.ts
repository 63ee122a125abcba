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
  leaseReleased,
  releaseState,
  sessionLeaseOf,
  withoutTurn,
  withWork,
} from '../session/lease-state.js';
import { messagesIn } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { PositionedEntry } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { acceptsHistoryAt, stateAt, usedState } from '../session/state-at.js';
import { type Claim, openTurn, withoutMessages } from '../session/turn-state.js';
import type { Refusal, SessionKey } from '../store/session-store.js';
import { fitEntries, fitInput } from './fit-input.js';
import type { ClaimedSession } from './operation-results.js';
import type { Settings } from './settings.js';
import { countedState } from './spending.js';
import { entriesOfTurn } from './turn-entries.js';
import type { Released, TakenMessages } from './turn-results.js';
import { type Decide, type Made, makeStep } from './update-state.js';

type TurnOfClaim = Pick<ClaimedSession, 'turn' | 'messages' | 'woken' | 'lease' | 'attempt'>;

const roomFor = ({ policy: { limits } }: Settings, { id }: SessionKey) => ({
  guards: { entries: limits.historyEntries },
  refused: ({ guard }: Refusal) =>
    guard === 'entries' ? historyFull(id, limits.historyEntries) : undefined,
});

/** The position at the end of the history after a step, which may have written nothing. */
export const positionAfter = async (
  { store }: Settings,
  key: SessionKey,
  made: Made | undefined,
): Promise<Result<number, StoreError>> => {
  if (made !== undefined && made.position !== 0) return ok(made.position);
  const part = await store.entries(key, { limit: 1 });
  return part.map((found) => (found.outcome === 'found' ? found.position : 0));
};

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
    if (messages + after.length === 0) return ok({ state: current });
    const turn = openTurn(current, now)?.number;
    const take = turn === undefined || messages === 0 ? undefined : { messages, turn };
    return ok({
      state: usedState(take ? withoutMessages(current, messages) : current, now),
      // A full history still accepts messages, because they are already in the store.
      ...(after.length > 0 && roomFor(settings, key)),
      effects: { entries: entriesAt(now, after, turn), take },
    });
  };

export const takeMessages = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<TakenMessages, OperationErrors['take']>> => {
  const read = parseTake(input, settings.policy);
  if (read.isErr()) return err(read.error);
  const after = await fitEntries(settings, 'after', read.value.after);
  if (after.isErr()) return err(after.error);
  const decide = takeStep(settings, key, { ...read.value, after: after.value });
  const stepped = await makeStep(settings, key, decide);
  if (stepped.isErr()) return err(stepped.error);
  const { changed } = stepped.value;
  const position = await positionAfter(settings, key, changed);
  return position.map((end) => ({ messages: messagesIn(changed?.messages ?? []), position: end }));
};

/** The state of a session that was over before its turn was. */
const endedTurn = (current: StateRecord, now: number): StateRecord => {
  const { lease } = current.work;
  const released = lease && { lease: leaseReleased(lease, now) };
  return withoutTurn(withWork(current, released ?? {}), now);
};

const releaseStep =
  (settings: Settings, key: SessionKey, input: ParsedRelease): Decide<OperationErrors['release']> =>
  (current, now) => {
    const { entries: given, usage } = input;
    const { status } = stateAt(current, now);
    const released = releaseState(current, { ...input, random: settings.random() }, now);
    const wasReleased = current.work.lease?.releasedAt !== undefined;
    const isSilent = given.length === 0 && usage === undefined;
    if (released.isErr() || isSilent || wasReleased) return released.map((state) => ({ state }));
    if (!acceptsHistoryAt(current, now)) return err(invalidTransition(status, 'append'));
    const ended = status === 'TERMINATED' ? endedTurn(current, now) : released.value;
    const counted = countedState(settings, usedState(ended, now), usage, now);
    if (counted.isErr()) return err(counted.error);
    const entries = entriesAt(now, given, openTurn(current, now)?.number);
    return ok({
      state: counted.value,
      ...roomFor(settings, key),
      effects: { entries },
    });
  };

export const releaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Released, OperationErrors['release']>> => {
  const read = await fitInput(settings, parseRelease(input, settings.policy));
  if (read.isErr()) return err(read.error);
  const stepped = await makeStep(settings, key, releaseStep(settings, key, read.value));
  return stepped.map(({ state }) => (state.work.lease?.cancelled ? { stopped: true } : {}));
};

export const turnOfClaim = async (
  settings: Settings,
  key: SessionKey,
  { isAgain, state, attempt }: Claim,
  taken: readonly PositionedEntry[] = [],
): Promise<Result<TurnOfClaim, StoreError>> => {
  const { turn, lease } = state.work;
  const part = { turn: turn.number, after: turn.start, areMessages: true };
  const found = isAgain ? await entriesOfTurn(settings, key, part) : ok(undefined);
  return found.map((all) => ({
    turn: turn.number,
    messages: messagesIn(all?.entries ?? taken),
    ...(turn.woken && { woken: turn.woken }),
    lease: sessionLeaseOf(lease),
    attempt,
  }));
};
