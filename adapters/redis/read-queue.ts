import { err, ok, Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { findSession } from '../../src/store/find-session.js';
import type {
  ClaimedRecords,
  ClaimRange,
  DueSession,
  DueSessions,
  SessionStore,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimedRecords } from '../shared/claimed-records.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import type { Call } from './connection.js';
import { type Answer, unreadable } from './failure.js';
import { dueKeyOf, type Keyspace, type TenantKeys } from './keyspace.js';
import { sessionIn } from './read-sessions.js';
import { asCount, asListOf, asText } from './reply-form.js';

/** The maximum number of parts, and the minimum number of partitions in a part. */
const PARTS = 10;
const MIN_PARTITIONS = 64;

/** The partitions after a cursor, and the cursor after them if there are more. */
const partOf = (
  partitions: readonly number[],
  cursor = '0',
): { readonly part: readonly number[]; readonly nextCursor?: string } => {
  const size = Math.max(MIN_PARTITIONS, Math.ceil(partitions.length / PARTS));
  const from = /^\d{1,5}$/.test(cursor) ? Number(cursor) : 0;
  const to = from + size;
  return {
    part: partitions.slice(from, to),
    ...(to < partitions.length && { nextCursor: String(to) }),
  };
};

/** Pairs of members and scores, from the flat list of a client's reply. */
const pairsOf = (flat: readonly string[]): readonly (readonly [string, number])[] =>
  flat.flatMap((idKey, at) => (at % 2 === 0 ? [[idKey, Number(flat[at + 1])] as const] : []));

/**
 * At most `count` items of a list, from a random position on, so that no item is left out for long.
 */
const randomSlice = <T>(items: readonly T[], count: number): readonly T[] => {
  if (items.length <= count) return items;
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, count);
};

/** What a call finds in a queue of all tenants. */
interface QueueRange {
  readonly queue: 'tenants' | 'waiting';
  readonly now: number;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Sessions in a queue that a call has taken. */
interface Taken<T extends DueSession> extends DueSessions {
  readonly sessions: readonly T[];
}

/** The first members of a sorted set whose time has come, each followed by its time. */
const firstIn = async (
  call: Call,
  set: string,
  now: number,
  count: number,
): Answer<readonly string[]> => {
  const found = await call.readCommand(
    (client) => client.zrangebyscore(set, '-inf', now, 'WITHSCORES', 'LIMIT', 0, count),
    asListOf(asText),
  );
  return found.mapErr(({ error }) => error);
};

/**
 * The sessions in a part of the partitions whose time has come, by `takeOf`, which gives those of
 * one tenant. The limit is shared between the tenants. A key of a wrong type does not affect
 * others.
 */
const inPart = async <T extends DueSession>(
  call: Call,
  keys: Keyspace,
  { queue, now, limit, cursor }: QueueRange,
  takeOf: (tenant: string, share: number) => Answer<readonly T[]>,
): Answer<Taken<T>> => {
  const failed: StoreError[] = [];
  const { part, nextCursor } = partOf(keys.partitions, cursor);
  const orNone = <T>(found: Result<readonly T[], StoreError>): readonly T[] => {
    if (found.isErr()) failed.push(found.error);
    return found.unwrapOr([]);
  };
  const found = await Promise.all(
    part.map(async (partition) =>
      orNone(await firstIn(call, keys.tenantsOf(partition, queue), now, limit)),
    ),
  );
  const waiting = found.flatMap((pairs) => pairsOf(pairs).map(([tenantKey]) => tenantKey));
  const tenants = randomSlice(waiting, limit);
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const taken = await Promise.all(
    tenants.map(async (tenantKey) => orNone(await takeOf(unescapeName(tenantKey), share))),
  );
  const sessions = taken.flat().sort((a, b) => a.dueAt - b.dueAt);
  const hasMore = waiting.length >= limit || taken.some((due) => due.length === share);
  return ok({ sessions, failed, hasMore, ...(nextCursor !== undefined && { nextCursor }) });
};

const sessionsOf = (tenant: string, flat: readonly string[]): readonly DueSession[] =>
  pairsOf(flat).map(([idKey, dueAt]) => ({ ...dueKeyOf(tenant, idKey), dueAt }));

/** Reads the due sessions of a part of the partitions. */
export const readDue = (
  call: Call,
  keys: Keyspace,
  now: number,
  limit: number,
  cursor: string | undefined,
): Answer<DueSessions> =>
  inPart(call, keys, { queue: 'tenants', now, limit, cursor }, async (tenant, share) => {
    const found = await firstIn(call, keys.tenant(tenant).deadlines, now, share);
    return found.map((flat) => sessionsOf(tenant, flat));
  });

/** Makes a claim for a tenant, and returns the outcome of the script. */
export type MakeClaim = (keys: TenantKeys, range: ClaimRange) => Answer<string>;

/** A session that the script has handed out, with the text of its record if it told that. */
interface HandedOut extends DueSession {
  readonly text: string | undefined;
}

/** The sessions in the outcome of the script. */
const handedOut = (tenant: string, outcome: string): readonly HandedOut[] => {
  const [moved = '', ...records] = outcome.split('\r');
  const sessions = sessionsOf(tenant, moved.split(' ').slice(1));
  return sessions.map((session, at) => ({
    ...session,
    text: records[at]?.replaceAll('\t', '\n') || undefined,
  }));
};

/** Hands out sessions of one tenant, or of a part of the partitions. */
const takeSessions = async (
  call: Call,
  keys: Keyspace,
  range: ClaimRange,
  make: MakeClaim,
): Answer<Taken<HandedOut>> => {
  const claimOf = async (tenant: string, limit: number): Answer<readonly HandedOut[]> => {
    const made = await make(keys.tenant(tenant), { ...range, limit });
    return made.map((outcome) => handedOut(tenant, outcome));
  };
  const { tenant, now, limit, cursor } = range;
  if (tenant === undefined)
    return inPart(call, keys, { queue: 'waiting', now, limit, cursor }, claimOf);
  const claimed = await claimOf(tenant, limit);
  return claimed.map((sessions) => ({ sessions, failed: [], hasMore: sessions.length === limit }));
};

/** Hands out sessions, and reads those that the script has not told. */
export const claimSessions = async (
  call: Call,
  keys: Keyspace,
  range: ClaimRange,
  make: MakeClaim,
  store: Pick<SessionStore, 'find'>,
): Answer<ClaimedRecords> => {
  const recordOf = async ({ text, ...key }: HandedOut): Answer<SessionRecord | undefined> => {
    if (text === undefined) return findSession(store, key, { historyLimit: 0 });
    const record = sessionIn(escapeName(key.id), text, '', 0);
    return typeof record === 'string' ? err(unreadable(key)) : ok(record);
  };
  const taken = await takeSessions(call, keys, range, make);
  if (taken.isErr()) return err(taken.error);
  const { sessions } = taken.value;
  const reads = await Promise.all(sessions.map(recordOf));
  const dues = sessions.map(({ text: _, ...due }) => due);
  return ok(claimedRecords({ ...taken.value, sessions: dues }, reads));
};

/** The tenants of all partitions with a session that waits for a worker, at most `limit`. */
const tenantsWaiting = async (
  call: Call,
  keys: Keyspace,
  { now, limit }: WaitingRange,
): Answer<readonly string[]> => {
  const sets = keys.partitions.map((partition) => keys.tenantsOf(partition, 'waiting'));
  const found = Result.combine(
    await Promise.all(sets.map((set) => firstIn(call, set, now, limit))),
  );
  return found.map((all) =>
    all
      .flatMap(pairsOf)
      .slice(0, limit)
      .map(([tenantKey]) => unescapeName(tenantKey)),
  );
};

/** Counts the sessions that wait for a worker. */
export const countWaiting = async (
  call: Call,
  keys: Keyspace,
  range: WaitingRange,
): Answer<number> => {
  const { tenant, now, limit } = range;
  const tenants = tenant === undefined ? await tenantsWaiting(call, keys, range) : ok([tenant]);
  if (tenants.isErr()) return err(tenants.error);
  const sets = tenants.value.map((name) => keys.tenant(name).work);
  const counts = await Promise.all(
    sets.map((set) => call.readCommand((client) => client.zcount(set, '-inf', now), asCount)),
  );
  return Result.combine(counts)
    .map((all) =>
      Math.min(
        limit,
        all.reduce((sum, count) => sum + count, 0),
      ),
    )
    .mapErr(({ error }) => error);
};
