import { err, ok, type Result } from 'neverthrow';
import { parseMessageIds } from '../input/message-input.js';
import { waitingIn } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { StateRecord } from '../session/session-record.js';
import { withoutMessages } from '../session/turn-state.js';
import type { SessionKey, StoredMessage } from '../store/session-store.js';
import type { Settings } from './settings.js';
import type { WithdrawnMessages } from './turn-results.js';
import { makeStep } from './update-state.js';

export const withdrawMessages = async (
  settings: Settings,
  key: SessionKey,
  given: unknown,
): Promise<Result<WithdrawnMessages, OperationErrors['withdraw']>> => {
  const read = parseMessageIds(given);
  if (read.isErr()) return err(read.error);
  const ids = read.value;
  let found: readonly StoredMessage[] = [];
  // The messages are read after the state, so that its revision vouches for them.
  const decide = async (current: StateRecord) => {
    const messages = await settings.store.messages(key, ids);
    if (messages.isErr()) return err(messages.error);
    found = messages.value;
    const withdraw = waitingIn(found).map(({ id }) => id);
    if (withdraw.length === 0) return ok({ state: current });
    const state = withoutMessages(current, withdraw.length);
    return ok({ state, effects: { withdraw } });
  };
  const stepped = await makeStep(settings, key, decide);
  const taken = found.flatMap(({ id, position }) => (position === undefined ? [] : [id]));
  return stepped.map(() => ({ withdrawn: waitingIn(found), taken }));
};
