import { err, ok, type Result } from 'neverthrow';
import { entriesAt } from '../input/entries-input.js';
import { type ParsedTake, parseTake } from '../input/turn-input.js';
import { historyFull, invalidTransition, type StoreError } from '../session/errors.js';
import { acceptsHistoryAt } from '../session/grace-period.js';
import { isLeasedWith, leaseEndedIn } from '../session/lease-state.js';
import { messagesIn } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { stateAt, usedState } from '../session/time-limits.js';
import { openTurn, withoutMessages } from '../session/turn-state.js';
import type { Refusal, SessionKey } from '../store/session-store.js';
import { fitEntries } from './fit-input.js';
import type { Settings } from './settings.js';
import type { TakenMessages } from './turn-results.js';
import { type Decide, type Made, makeStep } from './update-state.js';

export const roomFor = ({ policy: { limits } }: Settings, { id }: SessionKey) => ({
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
