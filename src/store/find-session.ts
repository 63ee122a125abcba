import type { Result } from 'neverthrow';
import { type StoreError, storeUnavailable, type TooLarge } from '../session/errors.js';
import type { SessionRecord } from '../session/session-record.js';
import type { ReadSize, SessionKey, SessionStore } from './session-store.js';

const broken = storeUnavailable(
  'the store returned too_large for a read without a maximum',
  'not_applied',
);

export const findSession = async (
  store: Pick<SessionStore, 'find'>,
  key: SessionKey,
  size: Omit<ReadSize, 'maxBytes'>,
): Promise<Result<SessionRecord | undefined, StoreError>> => {
  const found = await store.find(key, size);
  return found.mapErr((error: StoreError | TooLarge) =>
    error.type === 'too_large' ? broken : error,
  );
};
