import { err, ok, type Result } from 'neverthrow';
import { notFound } from '../session/errors.js';
import { jsonBytesOf } from '../session/exceeds-bytes.js';
import { type Message, waitingIn } from '../session/message.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

const fitting = (messages: readonly Message[], maxBytes: number): readonly Message[] => {
  let bytes = 0;
  const end = messages.findIndex((message, at) => {
    bytes += jsonBytesOf(message);
    return at > 0 && bytes > maxBytes;
  });
  return end === -1 ? messages : messages.slice(0, end);
};

export const readInbox = async (
  { store, policy: { limits } }: Settings,
  key: SessionKey,
): Promise<Result<readonly Message[], OperationErrors['inbox']>> => {
  const found = await store.messages(key);
  if (found.isErr()) return err(found.error);
  if (found.value.length > 0) return ok(fitting(waitingIn(found.value), limits.pageBytes));
  const state = await store.findState(key);
  if (state.isErr()) return err(state.error);
  return state.value === undefined ? err(notFound(key.id)) : ok([]);
};
