import { err, ok, Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { WaitingRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { type Call, scriptOf } from './connection.js';
import type { Answer } from './failure.js';
import type { Keyspace, TenantKeys } from './keyspace.js';
import { asCount, asListOf } from './reply-form.js';
import countLua from './scripts/count.lua';
import fieldsLua from './scripts/fields.lua';
import recordLua from './scripts/record.lua';
import { tenantsIn } from './waiting-tenants.js';

const countScript = scriptOf(fieldsLua, recordLua, countLua);

/** Sessions per call of the script, so that it does not block the server for long. */
const EXAMINED = 500;

const countOf = async (
  call: Call,
  { work, deadlines, records }: TenantKeys,
  now: number,
  limit: number,
): Answer<number> => {
  let ended = 0;
  let place = 0;
  for (;;) {
    const args = [now, limit, place, EXAMINED].map(String);
    const keys = [work, deadlines, records];
    const counted = await call.readScript(countScript, keys, args, asListOf(asCount));
    if (counted.isErr()) return err(counted.error.error);
    const [waiting = 0, endedHere = 0, next = 0] = counted.value;
    ended += endedHere;
    if (next === 0) return ok(Math.max(0, waiting - ended));
    place = next;
  }
};

export const countWaiting = async (
  call: Call,
  keys: Keyspace,
  { tenant, now, limit }: WaitingRange,
): Answer<number> => {
  const failed: StoreError[] = [];
  const tenants =
    tenant === undefined
      ? await tenantsIn('waiting', keys, keys.partitions, { call, now, limit, failed })
      : [{ tenantKey: escapeName(tenant) }];
  const [error] = failed;
  if (error !== undefined) return err(error);
  const counts = await Promise.all(
    tenants
      .slice(0, limit)
      .map(({ tenantKey }) => countOf(call, keys.tenant(unescapeName(tenantKey)), now, limit)),
  );
  return Result.combine(counts).map((all) => {
    const sum = all.reduce((total, count) => total + count, 0);
    return Math.min(limit, sum);
  });
};
