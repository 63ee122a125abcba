import { ok } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { DueSession, DueSessions } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import type { Call } from './connection.js';
import type { Answer } from './failure.js';
import { dueKeyOf, type Keyspace } from './keyspace.js';

/** The maximum number of parts, and the minimum number of partitions in a part. */
const PARTS = 10;
const MIN_PARTITIONS = 64;

/** The partitions after a position, and the position after them if there are more. */
const partOf = (
  partitions: readonly number[],
  after = '0',
): { readonly part: readonly number[]; readonly next?: string } => {
  const size = Math.max(MIN_PARTITIONS, Math.ceil(partitions.length / PARTS));
  const from = /^\d{1,5}$/.test(after) ? Number(after) : 0;
  const to = from + size;
  return { part: partitions.slice(from, to), ...(to < partitions.length && { next: String(to) }) };
};

/** Pairs of members and scores, from the flat list of a client's reply. */
const pairsOf = (flat: readonly string[]): readonly (readonly [string, number])[] =>
  flat.flatMap((member, at) => (at % 2 === 0 ? [[member, Number(flat[at + 1])] as const] : []));

/** At most `count` items of a list, from a random position on, so that no item is left out for long. */
const randomSlice = <T>(items: readonly T[], count: number): readonly T[] => {
  if (items.length <= count) return items;
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, count);
};

/**
 * Reads the due sessions of a part of the partitions. The limit is shared between the tenants with due sessions. A key
 * of a wrong type does not affect others.
 */
export const readDue = async (
  call: Call,
  keys: Keyspace,
  now: number,
  limit: number,
  after: string | undefined,
): Answer<DueSessions> => {
  const failed: StoreError[] = [];
  const { part, next } = partOf(keys.partitions, after);

  /** The first members of a sorted set whose time has passed, each followed by its time; none if it cannot be read. */
  const first = async (set: string, count: number): Promise<readonly string[]> => {
    const found = await call.readCommand((client) =>
      client.zrangebyscore(set, '-inf', now, 'WITHSCORES', 'LIMIT', 0, count),
    );
    if (found.isErr()) failed.push(found.error.error);
    return found.unwrapOr([]);
  };

  const dueOf = async (owner: string, share: number): Promise<readonly DueSession[]> => {
    const tenant = unescapeName(owner);
    const found = await first(keys.tenant(tenant).deadlines, share);
    return pairsOf(found).map(([member, dueAt]) => ({ ...dueKeyOf(tenant, member), dueAt }));
  };

  const found = await Promise.all(part.map((partition) => first(keys.tenantsOf(partition), limit)));
  const waiting = found.flatMap((owners) => pairsOf(owners).map(([owner]) => owner));
  const owners = randomSlice(waiting, limit);
  const share = Math.max(1, Math.floor(limit / owners.length));
  const read = await Promise.all(owners.map((owner) => dueOf(owner, share)));
  const sessions = read.flat().sort((a, b) => a.dueAt - b.dueAt);
  const hasMore = waiting.length >= limit || read.some((due) => due.length === share);
  return ok({ sessions, failed, hasMore, ...(next !== undefined && { next }) });
};
