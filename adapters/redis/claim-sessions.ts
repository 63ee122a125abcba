import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { findSession } from '../../src/store/find-session.js';
import type {
  DueSession,
  DueSessions,
  SessionStore,
  TakenRecords,
  TakeRange,
} from '../../src/store/session-store.js';
import { claimedRecords } from '../../src/store/taken-records.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import type { Call } from './connection.js';
import { type Answer, type Failure, unreadable } from './failure.js';
import { dueKeyOf, type Keyspace, type TenantKeys } from './keyspace.js';
import { sessionIn } from './read-sessions.js';
import { partOf, tenantsIn, type WaitingTenant } from './waiting-tenants.js';
import { type Mutation, writeScripts } from './write-scripts.js';

const OUTCOME = /^(claimed|alone) ([01])(.*)$/;

export type MakeClaim = (keys: TenantKeys, mutation: Mutation) => Promise<Result<string, Failure>>;

/** A session that the script has handed out. A repeated call returns no text of its record. */
interface HandedOut extends DueSession {
  readonly text: string | undefined;
}

interface Taken extends DueSessions {
  readonly sessions: readonly HandedOut[];
}

const handedOutIn = (names: string, texts: readonly string[]): readonly HandedOut[] =>
  [...names.matchAll(/ (\S+) (\S+) (\S+)/g)].map(([, tenantKey = '', idKey = '', dueAt], at) => {
    const text = texts[at]?.replaceAll('\t', '\n') || undefined;
    return { ...dueKeyOf(unescapeName(tenantKey), idKey), dueAt: Number(dueAt), text };
  });

/** Tenants of each partition that a claim considers in addition to those that share its limit. */
const OTHERS = 64;

const byPartition = (tenants: readonly WaitingTenant[]): readonly (readonly string[])[] => {
  const groups = new Map<number, string[]>();
  for (const { partition, tenantKey } of tenants)
    groups.set(partition, [...(groups.get(partition) ?? []), tenantKey]);
  return [...groups.values()];
};

/** Claims from one partition after the other, because a script reaches only one hash slot. */
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
  const read = { call, now, limit: limit + OTHERS, failed };
  const waiting = await tenantsIn('waiting', keys, part, read);
  const inTurn = waiting.toSorted((a, b) => a.place - b.place);
  const first = inTurn.slice(0, limit);
  const share = Math.max(1, Math.floor(limit / first.length));
  const groups = [...byPartition(first), ...byPartition(inTurn.slice(limit))];
  const taken = await takeInTurn(keys, range, groups, share, make);
  return ok({ ...taken, ...next, failed: [...failed, ...taken.failed] });
};

/** Claims sessions with their records. Reads the records that the script has not returned. */
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
