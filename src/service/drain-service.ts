import { err, ok, type Result } from 'neverthrow';
import { type StoreUnavailable, storeUnavailable } from '../session/errors.js';
import type { Settings } from './settings.js';

export const drainService = async ({
  underWay,
  store,
}: Settings): Promise<Result<void, StoreUnavailable>> => {
  await underWay.drain();
  try {
    await store.drain?.();
    return ok();
  } catch (cause) {
    return err(storeUnavailable('the store threw an exception', 'not_applied', cause));
  }
};
