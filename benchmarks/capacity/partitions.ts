import { Keyspace } from '../../adapters/redis/keyspace.js';
import { randomFrom } from '../../test/support/random.js';

/**
 * Slots of a Redis Cluster, and CRC-16 (XMODEM) of what is between the braces of a key: the
 * cluster's own rule.
 */
const SLOTS = 16_384;

const crc16 = (text: string): number => {
  let crc = 0;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
};

/** Where a tenant's sessions are when the slots are shared out evenly. */
const shardOf = (index: string, shards: number): number => {
  const tag = /\{(.*?)\}/.exec(index)?.[1] ?? '';
  return Math.floor(((crc16(tag) % SLOTS) * shards) / SLOTS);
};

export interface Evenness {
  readonly tenants: number;
  readonly partitions: number;
  readonly shards: number;
  /** Sessions on the fullest shard, beside what each would have if all had the same. */
  readonly fullestShard: number;
  readonly emptyShards: number;
  /** The largest tenant, as a part of all sessions. */
  readonly largestTenant: number;
}

/**
 * Spreads tenants whose sizes are far apart (Pareto, shape 1.16: a fifth of the tenants have four
 * fifths of the sessions) by the adapter's own keys, and looks how full the shards are. The middle
 * of several such deployments.
 */
export const spread = (tenants: number, partitions: number, shards: number): Evenness => {
  const runs = Array.from({ length: 9 }, (_, seed) => {
    const random = randomFrom(seed + 1);
    const keys = new Keyspace('colloquy', partitions);
    const load = new Float64Array(shards);
    let total = 0;
    let largest = 0;
    for (let tenant = 0; tenant < tenants; tenant += 1) {
      const size = (1 - random()) ** (-1 / 1.16);
      const shard = shardOf(keys.tenant(`tenant-${seed}-${tenant}`).index, shards);
      load[shard] = (load[shard] ?? 0) + size;
      total += size;
      largest = Math.max(largest, size);
    }
    const fullest = Math.max(...load) / (total / shards);
    return {
      fullest,
      largest: largest / total,
      empty: load.filter((sessions) => sessions === 0).length,
    };
  });
  const middle = runs.sort((a, b) => a.fullest - b.fullest)[4];
  return {
    tenants,
    partitions,
    shards,
    fullestShard: middle?.fullest ?? Number.NaN,
    emptyShards: middle?.empty ?? Number.NaN,
    largestTenant: middle?.largest ?? Number.NaN,
  };
};
