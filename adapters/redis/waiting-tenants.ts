import type { StoreError } from '../../src/session/errors.js';
import type { Call } from './connection.js';
import type { Keyspace } from './keyspace.js';
import { asFlatListOf, asMemberOrScore } from './reply-form.js';

const PARTS = 10;
const MIN_PARTITIONS = 64;

/**
 * Divides the partitions into parts. The first call begins at a random part, so that no tenants are
 * always served first.
 */
export const partOf = (partitions: readonly number[], cursor: string | undefined) => {
  const size = Math.max(MIN_PARTITIONS, Math.ceil(partitions.length / PARTS));
  const parts = Math.ceil(partitions.length / size);
  const [first = 0, done = 0] =
    cursor === undefined ? [Math.floor(Math.random() * parts)] : cursor.split('-').map(Number);
  const from = ((first + done) % parts) * size;
  return {
    part: partitions.slice(from, from + size),
    ...(done + 1 < parts && { nextCursor: `${first}-${done + 1}` }),
  };
};

/** A turn is up to this much later than the time that it stands for: see `STEP` in `take.lua`. */
const FRACTION = 1023 / 1024;

/** A broken key affects only itself, so errors are collected. */
export interface QueueRead {
  readonly call: Call;
  readonly now: number;
  readonly limit: number;
  readonly failed: StoreError[];
}

export const firstIn = async (
  set: string,
  { call, now, limit, failed }: QueueRead,
): Promise<readonly (readonly [member: string, at: number])[]> => {
  const args = [set, '-inf', String(now + FRACTION), 'WITHSCORES', 'LIMIT', '0', String(limit)];
  const found = await call.readCommand('zrangebyscore', args, asFlatListOf(asMemberOrScore));
  if (found.isErr()) failed.push(found.error.error);
  const flat = found.unwrapOr<readonly string[]>([]);
  return flat.flatMap((each, at) => (at % 2 === 0 ? [[each, Number(flat[at + 1])] as const] : []));
};

export interface WaitingTenant {
  readonly partition: number;
  readonly tenantKey: string;
  readonly place: number;
}

export const tenantsIn = async (
  queue: 'tenants' | 'waiting',
  keys: Keyspace,
  partitions: readonly number[],
  read: QueueRead,
): Promise<readonly WaitingTenant[]> => {
  const found = partitions.map(async (partition) => {
    const pairs = await firstIn(keys.ofPartition(partition, queue), read);
    return pairs.map(([tenantKey, place]) => ({ partition, tenantKey, place }));
  });
  return (await Promise.all(found)).flat();
};
