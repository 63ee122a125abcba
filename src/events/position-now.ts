import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { openLog, safely } from './safely.js';
import type { WatchSource } from './watch-source.js';

/**
 * The position from which a watch misses nothing that is acknowledged after this call; undefined if
 * the deployment has no events. A time, because the position of the last event would reveal the
 * activity of other tenants.
 */
export const positionNow = async ({
  store,
  tenant,
}: Pick<WatchSource, 'store' | 'tenant'>): Promise<Result<string | undefined, StoreError>> => {
  const log = store.events;
  if (log === undefined) return ok(undefined);
  const opened = await openLog(log);
  const now = opened.isErr() ? opened : await safely(() => log.now(log.streamOf(tenant)));
  // Any other wrong setting is the answer of every other call of the store.
  if (now.isErr() && now.error.type === 'misconfigured') return ok(undefined);
  return now.map(String);
};
