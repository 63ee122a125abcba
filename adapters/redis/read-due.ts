import { ok } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { DueSessions } from '../../src/store/session-store.js';
import { unescapeName } from '../stored/escape-name.js';
import type { Call } from './connection.js';
import type { Answer } from './failure.js';
import { dueKeyOf, type Keyspace } from './keyspace.js';
import { firstIn, partOf, tenantsIn } from './waiting-tenants.js';

/** At most `count` items from a random position on, so that no item is left out for long. */
const randomSlice = <T>(items: readonly T[], count: number): readonly T[] => {
  if (items.length <= count) return items;
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, count);
};

export const readDue = async (
  call: Call,
  keys: Keyspace,
  now: number,
  limit: number,
  cursor: string | undefined,
): Answer<DueSessions> => {
  const failed: StoreError[] = [];
  const { part, ...next } = partOf(keys.partitions, cursor);
  const due = await tenantsIn('tenants', keys, part, { call, now, limit, failed });
  const tenants = randomSlice(due, limit);
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const found = await Promise.all(
    tenants.map(async ({ tenantKey }) => {
      const tenant = unescapeName(tenantKey);
      const { deadlines } = keys.tenant(tenant);
      const first = await firstIn(deadlines, { call, now, limit: share, failed });
      return first.map(([idKey, dueAt]) => ({ ...dueKeyOf(tenant, idKey), dueAt }));
    }),
  );
  const sessions = found.flat().sort((a, b) => a.dueAt - b.dueAt);
  const hasMore = due.length >= limit || found.some(({ length }) => length === share);
  return ok({ sessions, failed, hasMore, ...next });
};
