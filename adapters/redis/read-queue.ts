import { err, ok, Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { findSession } from '../../src/store/find-session.js';
import type {
  DueSession,
  DueSessions,
  SessionStore,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimedRecords } from '../../src/store/taken-records.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { type Call, script } from './connection.js';
import { type Answer, type Failure, unreadable } from './failure.js';
import { dueKeyOf, type Keyspace, type TenantKeys } from './keyspace.js';
import { sessionIn } from './read-sessions.js';
import { asCount, asFlatListOf, asList, asText, type ReplyForm } from './reply-form.js';
import countLua from './scripts/count.lua';
import { type Mutation, writeScripts } from './write-scripts.js';

const countScript = script(countLua);

/** The maximum number of parts, and the minimum number of partitions in a part. */
const PARTS = 10;
const MIN_PARTITIONS = 64;

/**
 * A part of the partitions, and the cursor of the next one. The first call begins at any part, so
 * that the tenants of none come first.
 */
const partOf = (partitions: readonly number[], cursor: string | undefined) => {
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

/** Pairs of members and scores, from the flat list of a reply. */
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

/** Turns of tenants are less than a millisecond later than the times that they follow. */
const FRACTION = 1023 / 1024;

/** The first members of a sorted set whose time has come, each followed by its time. */
const firstIn = async (
  call: Call,
  set: string,
  now: number,
  count: number,
): Answer<readonly string[]> => {
  const most = String(now + FRACTION);
  const args = [set, '-inf', most, 'WITHSCORES', 'LIMIT', '0', String(count)];
  const found = await call.readCommand('zrangebyscore', args, asFlatListOf(asText));
  return found.mapErr(({ error }) => error);
};

/** Adds the error of a read to those of a call: a key of a wrong type does not affect others. */
const orNone = <T>(failed: StoreError[], found: Result<readonly T[], StoreError>): readonly T[] => {
  if (found.isErr()) failed.push(found.error);
  return found.unwrapOr([]);
};

/** A tenant in a queue of all tenants. */
interface WaitingTenant {
  readonly partition: number;
  readonly tenantKey: string;
  readonly place: number;
}

/** The first tenants of partitions in a queue. */
const tenantsIn = async (
  call: Call,
  keys: Keyspace,
  partitions: readonly number[],
  { queue, now, limit }: { queue: 'tenants' | 'waiting'; now: number; limit: number },
  failed: StoreError[],
): Promise<readonly WaitingTenant[]> => {
  const found = partitions.map(async (partition) => {
    const first = await firstIn(call, keys.tenantsOf(partition, queue), now, limit);
    const pairs = pairsOf(orNone(failed, first));
    return pairs.map(([tenantKey, place]) => ({ partition, tenantKey, place }));
  });
  return (await Promise.all(found)).flat();
};

const sessionsOf = (tenant: string, flat: readonly string[]): readonly DueSession[] =>
  pairsOf(flat).map(([idKey, dueAt]) => ({ ...dueKeyOf(tenant, idKey), dueAt }));

/**
 * Reads the due sessions of a part of the partitions. The limit is shared between their tenants.
 */
export const readDue = async (
  call: Call,
  keys: Keyspace,
  now: number,
  limit: number,
  cursor: string | undefined,
): Answer<DueSessions> => {
  const failed: StoreError[] = [];
  const { part, ...next } = partOf(keys.partitions, cursor);
  const due = await tenantsIn(call, keys, part, { queue: 'tenants', now, limit }, failed);
  const tenants = randomSlice(due, limit);
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const found = await Promise.all(
    tenants.map(async ({ tenantKey }) => {
      const tenant = unescapeName(tenantKey);
      const first = await firstIn(call, keys.tenant(tenant).deadlines, now, share);
      return sessionsOf(tenant, orNone(failed, first));
    }),
  );
  const sessions = found.flat().sort((a, b) => a.dueAt - b.dueAt);
  const hasMore = due.length >= limit || found.some(({ length }) => length === share);
  return ok({ sessions, failed, hasMore, ...next });
};

/** The outcome of the script, before the records. */
const OUTCOME = /^(claimed|alone) ([01])(.*)$/;

/** Makes a part of a claim, and returns the outcome of the script. */
export type MakeClaim = (keys: TenantKeys, mutation: Mutation) => Promise<Result<string, Failure>>;

/** A session that the script has handed out, with the text of its record if it told that. */
interface HandedOut extends DueSession {
  readonly text: string | undefined;
}

/** What a claim has handed out. */
interface Taken extends DueSessions {
  readonly sessions: readonly HandedOut[];
}

/** The sessions in the outcome of the script. */
const handedOutIn = (names: string, texts: readonly string[]): readonly HandedOut[] =>
  [...names.matchAll(/ (\S+) (\S+) (\S+)/g)].map(([, tenantKey = '', idKey = '', dueAt], at) => {
    const text = texts[at]?.replaceAll('\t', '\n') || undefined;
    return { ...dueKeyOf(unescapeName(tenantKey), idKey), dueAt: Number(dueAt), text };
  });

/** Tenants of each partition that a claim considers in addition to those that share its limit. */
const OTHERS = 64;

/** Tenants in their order by the partitions that hold them. */
const byPartition = (tenants: readonly WaitingTenant[]): readonly (readonly string[])[] => {
  const groups = new Map<number, string[]>();
  for (const { partition, tenantKey } of tenants)
    groups.set(partition, [...(groups.get(partition) ?? []), tenantKey]);
  return [...groups.values()];
};

/** Hands out sessions of groups of tenants, one partition after the other. */
const takeInTurn = async (
  keys: Keyspace,
  { now, until, limit, inCompany = false }: TakeRange,
  groups: readonly (readonly string[])[],
  share: number,
  make: MakeClaim,
): Promise<Taken> => {
  const sessions: HandedOut[] = [];
  const failed: StoreError[] = [];
  let hasMore = false;
  const left = [...groups];
  for (let tenantKeys = left.shift(); tenantKeys !== undefined; tenantKeys = left.shift()) {
    const tenant = keys.tenant(unescapeName(tenantKeys[0] ?? ''));
    const { partition, waiting } = tenant;
    const isInCompany = inCompany || sessions.length > 0;
    const numbers = [now, until, limit - sessions.length, share, Number(isInCompany)];
    const made = await make(tenant, {
      script: writeScripts.take,
      keys: [waiting, `${partition}work:`, `${partition}record:`],
      args: [...[...numbers, tenantKeys.length].map(String), ...tenantKeys],
    });
    if (made.isErr()) {
      // A queue of a wrong type fails for its tenant alone.
      const isSplit = tenantKeys.length > 1 && made.error.code === 'WRONGTYPE';
      if (isSplit) left.unshift(...tenantKeys.map((each) => [each]));
      else failed.push(made.error.error);
      continue;
    }
    const [outcome = '', ...texts] = made.value.split('\r');
    const [, word, more, names = ''] = OUTCOME.exec(outcome) ?? [];
    sessions.push(...handedOutIn(names, texts));
    hasMore ||= more === '1';
    if (word === 'alone' || sessions.length >= limit) break;
  }
  return { sessions, failed, hasMore };
};

/** Hands out sessions of one tenant, or of a part of the partitions. */
const takeSessions = async (
  call: Call,
  keys: Keyspace,
  range: TakeRange,
  make: MakeClaim,
): Answer<Taken> => {
  const { tenant, now, limit, cursor } = range;
  if (tenant !== undefined) {
    const taken = await takeInTurn(keys, range, [[escapeName(tenant)]], limit, make);
    const [error] = taken.failed;
    return error === undefined ? ok(taken) : err(error);
  }
  const failed: StoreError[] = [];
  const { part, ...next } = partOf(keys.partitions, cursor);
  const found = { queue: 'waiting', now, limit: limit + OTHERS } as const;
  const waiting = await tenantsIn(call, keys, part, found, failed);
  const inTurn = waiting.toSorted((a, b) => a.place - b.place);
  const first = inTurn.slice(0, limit);
  const share = Math.max(1, Math.floor(limit / first.length));
  const groups = [...byPartition(first), ...byPartition(inTurn.slice(limit))];
  const taken = await takeInTurn(keys, range, groups, share, make);
  return ok({ ...taken, ...next, failed: [...failed, ...taken.failed] });
};

/** Hands out sessions, and reads those that the script has not told. */
export const claimSessions = async (
  call: Call,
  keys: Keyspace,
  range: TakeRange,
  make: MakeClaim,
  store: Pick<SessionStore, 'find'>,
): Answer<TakenRecords> => {
  const recordOf = async ({ text, ...key }: HandedOut): Answer<SessionRecord | undefined> => {
    if (text === undefined) return findSession(store, key, { historyLimit: 0 });
    const record = sessionIn(escapeName(key.id), text, '', 0);
    return typeof record === 'string' ? err(unreadable(key)) : ok(record);
  };
  const taken = await takeSessions(call, keys, range, make);
  if (taken.isErr()) return err(taken.error);
  const sessions = taken.value.sessions.toSorted((a, b) => a.dueAt - b.dueAt);
  const reads = await Promise.all(sessions.map(recordOf));
  const dues = sessions.map(({ text: _, ...due }) => due);
  return ok(claimedRecords({ ...taken.value, sessions: dues }, reads));
};

/** Number of sessions that a call of the script examines. */
const EXAMINED = 500;

interface CountedPart {
  /** How many sessions wait, ended or not. */
  readonly waiting: number;
  /** How many of this part have ended. */
  readonly ended: number;
  /** Where the next part begins; empty if there is none. */
  readonly next: string;
}

const asPart: ReplyForm<CountedPart> = (reply) => {
  const [first, second, third] = asList(reply) ?? [];
  const [waiting, ended, next] = [asCount(first), asCount(second), asText(third)];
  if (waiting === undefined || ended === undefined || next === undefined) return undefined;
  return { waiting, ended, next };
};

/** Counts what a claim could return of one tenant; it may count further than `limit`. */
const countOf = async (
  call: Call,
  keys: TenantKeys,
  now: number,
  limit: number,
): Answer<number> => {
  const { work, deadlines, records } = keys;
  let ended = 0;
  let place = '0';
  for (;;) {
    const args = [now, limit, place, EXAMINED].map(String);
    const counted = await call.readScript(countScript, [work, deadlines, records], args, asPart);
    if (counted.isErr()) return err(counted.error.error);
    ended += counted.value.ended;
    if (counted.value.next === '') return ok(Math.max(0, counted.value.waiting - ended));
    place = counted.value.next;
  }
};

/** Counts the sessions that wait for a worker and have not ended. */
export const countWaiting = async (
  call: Call,
  keys: Keyspace,
  { tenant, now, limit }: WaitingRange,
): Answer<number> => {
  const failed: StoreError[] = [];
  const found = { queue: 'waiting', now, limit } as const;
  const tenants =
    tenant === undefined
      ? await tenantsIn(call, keys, keys.partitions, found, failed)
      : [{ tenantKey: escapeName(tenant) }];
  const [error] = failed;
  if (error !== undefined) return err(error);
  const counts = await Promise.all(
    tenants
      .slice(0, limit)
      .map(({ tenantKey }) => countOf(call, keys.tenant(unescapeName(tenantKey)), now, limit)),
  );
  return Result.combine(counts).map((all) =>
    Math.min(
      limit,
      all.reduce((sum, count) => sum + count, 0),
    ),
  );
};
