import { ok, type Result } from 'neverthrow';
import { safely } from '../events/safely.js';
import type { StoreUnavailable } from '../session/errors.js';
import type { Settings } from './settings.js';

export const drainService = async ({
  underWay,
  store,
}: Settings): Promise<Result<void, StoreUnavailable>> => {
  await underWay.drain();
  return safely(async () => ok(await store.drain?.()));
};
