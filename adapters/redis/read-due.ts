import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import { unescapeName } from '../../src/store/escape-name.js';
import type { DueSession, DueSessions } from '../../src/store/session-store.js';
import { type Call, script } from './connection.js';
import type { Failure } from './failure.js';
import type { Keyspace, TenantKeys } from './keyspace.js';
import { decodeFixed, FIXED_LENGTH, type FixedFields } from './record-text.js';
import { rescheduleTenant } from './session-index.js';

/**
 * Reads the deadlines of a tenant together with the fields of the records.
 *
 * KEYS  deadlines, and the common beginning of the keys of records
 * ARGV  now, number of entries to skip, maximum number of entries to return
 * Returns two lines for each entry whose time has passed, the earliest first: its member, and the fields of fixed width
 * of its record, '' without a record, or 'corrupt'.
 */
const dueScript = script(`
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[2], ARGV[3])
local reply = {}
for _, member in ipairs(found) do
  local record = KEYS[2] .. member
  local length = redis.pcall('STRLEN', record)
  local head = type(length) == 'number' and length > 0 and redis.call('GETRANGE', record, 0, ${FIXED_LENGTH - 1}) or ''
  if type(length) ~= 'number' or string.find(head, '\\n', 1, true) then head = 'corrupt' end
  reply[#reply + 1] = member
  reply[#reply + 1] = head
end
return table.concat(reply, '\\n')
`);

/** The noted deadline of a session, with the fields of its record; without them if the record cannot be read. */
interface Noted {
  readonly member: string;
  readonly fields: FixedFields | 'removed' | undefined;
}

/** The sessions of a tenant whose noted deadline has passed, the earliest first. */
export const readNoted = async (
  call: Call,
  { deadlines, records }: TenantKeys,
  now: number,
  offset: number,
  limit: number,
): Promise<Result<readonly Noted[], Failure>> => {
  const reply = await call.readScript(dueScript, [deadlines, records], [String(now), String(offset), String(limit)]);
  if (reply.isErr()) return err(reply.error);
  const lines = reply.value === '' ? [] : String(reply.value).split('\n');
  const noted: Noted[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    noted.push({ member: lines[at] ?? '', fields: decodeFixed(lines[at + 1] ?? '') });
  }
  return ok(noted);
};

/** The maximum number of parts, and the minimum number of partitions in a part. */
const PARTS = 10;
const MIN_PARTITIONS = 64;

/** The partitions after a place, and the place after them if there are more. */
export const partOf = (keys: Keyspace, after = '0'): { readonly part: readonly number[]; readonly next?: string } => {
  const { partitions } = keys;
  const size = Math.max(MIN_PARTITIONS, Math.ceil(partitions.length / PARTS));
  const from = /^\d{1,5}$/.test(after) ? Number(after) : 0;
  const to = from + size;
  return { part: partitions.slice(from, to), ...(to < partitions.length && { next: String(to) }) };
};

/** Pairs of members and scores, from the flat list of a client's reply. */
const pairsOf = (flat: readonly string[]): readonly (readonly [string, number])[] =>
  flat.flatMap((member, at) => (at % 2 === 0 ? [[member, Number(flat[at + 1])] as const] : []));

/** At most `count` items of a list, from a random place on, so that each has its turn soon. */
const randomSlice = <T>(items: readonly T[], count: number): readonly T[] => {
  if (items.length <= count) return items;
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, count);
};

/**
 * Reads the due sessions of a part of the partitions, and shares the limit between the tenants that have due sessions.
 * A noted time may be too early: the caller then reschedules it. A key of a wrong type does not affect others.
 */
export const readDue = async (
  call: Call,
  keys: Keyspace,
  now: number,
  limit: number,
  after: string | undefined,
): Promise<Result<DueSessions, never>> => {
  const failed: StoreError[] = [];
  const { part, next } = partOf(keys, after);

  /**
   * The first members of a sorted set whose time has passed, each followed by its time; `undefined` if they cannot be
   * read.
   */
  const first = async (set: string, count: number): Promise<readonly string[] | undefined> => {
    const found = await call.readCommand((client) =>
      client.zrangebyscore(set, '-inf', now, 'WITHSCORES', 'LIMIT', 0, count),
    );
    if (found.isErr()) failed.push(found.error.error);
    return found.unwrapOr(undefined);
  };

  /**
   * The due sessions of a tenant. If it has none, its time was noted too early and is corrected. `undefined` if that
   * fails.
   */
  const dueOf = async (owner: string, share: number): Promise<readonly DueSession[] | undefined> => {
    const tenant = unescapeName(owner);
    const tenantKeys = keys.tenant(tenant);
    const found = await first(tenantKeys.deadlines, share);
    if (found?.length === 0 && (await rescheduleTenant(call, tenantKeys)).isErr()) return undefined;
    return found && pairsOf(found).map(([member, dueAt]) => ({ tenant, id: unescapeName(member), dueAt }));
  };

  for (;;) {
    const found = await Promise.all(part.map((partition) => first(keys.shared('tenants', partition), limit)));
    const waiting = found.flatMap((owners = []) => pairsOf(owners).map(([owner]) => owner));
    const owners = randomSlice(waiting, limit);
    const share = Math.max(1, Math.floor(limit / owners.length));
    const read = await Promise.all(owners.map((owner) => dueOf(owner, share)));
    const sessions = read.flatMap((due = []) => due).sort((a, b) => a.dueAt - b.dueAt);
    const hasMore = waiting.length >= limit || read.some((due) => due?.length === share);
    // Tenants that were all noted too early may hide others.
    const areAllEarly = read.every((due) => due?.length === 0);
    if (hasMore && areAllEarly && owners.length > 0) continue;
    return ok({ sessions, failed, hasMore, ...(next !== undefined && { next }) });
  }
};
