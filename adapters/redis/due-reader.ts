import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { DueSession, DueSessions } from '../../src/store.js';
import { type Call, script } from './connection.js';
import type { RedisEventLog } from './event-log.js';
import { type Failure, unreadable } from './failure.js';
import { type Keyspace, type TenantKeys, unescapeName } from './keys.js';
import { decodeFixed, FIXED_LENGTH, type FixedFields } from './record-text.js';
import { reschedule, rescheduleTenant } from './session-index.js';

/**
 * What a tenant's deadlines say, beside what the records themselves say.
 *
 * KEYS  deadlines, and what the keys of records begin with
 * ARGV  now, how many entries to pass over, how many to give
 * Gives for each entry that has passed, the earliest first, two lines: its member, and the fields of fixed width of its
 * record, '' where there is none, or 'corrupt'.
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

/** What deadlines say of a session, beside what its record says; nothing where that cannot be read. */
interface Noted {
  readonly member: string;
  readonly fields: FixedFields | 'removed' | undefined;
}

/** A tenant's sessions whose noted deadline has passed, the earliest first. */
export const readNoted = async (
  call: Call,
  { deadlines, records }: TenantKeys,
  now: number,
  offset: number,
  limit: number,
): Promise<Result<readonly Noted[], Failure>> => {
  const reply = await call.ask(dueScript, [deadlines, records], [String(now), String(offset), String(limit)]);
  if (reply.isErr()) return err(reply.error);
  const lines = reply.value === '' ? [] : String(reply.value).split('\n');
  const noted: Noted[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    noted.push({ member: lines[at] ?? '', fields: decodeFixed(lines[at + 1] ?? '') });
  }
  return ok(noted);
};

/**
 * Reads whose deadline has passed. What is noted may be too early: the record decides, and the note is put right. What
 * cannot be read stays noted, is told, and holds up nothing beside it.
 */
export const readDue = async (
  call: Call,
  keys: Keyspace,
  events: RedisEventLog,
  now: number,
  limit: number,
): Promise<Result<DueSessions, never>> => {
  const failed: StoreError[] = [];

  /** Whether the session stays noted. */
  const look = async (tenant: string, { member, fields }: Noted, due: DueSession[]): Promise<boolean> => {
    const id = unescapeName(member);
    const deadline = fields === 'removed' ? Number.POSITIVE_INFINITY : fields?.deadline;
    if (deadline === undefined) failed.push(unreadable({ tenant, id }));
    else if (deadline <= now) due.push({ tenant, id, deadline });
    else {
      const session = keys.of({ tenant, id });
      // The end that has left the note may not have been told.
      await events.repeatLast(call, session, (status) => status === 'TERMINATED');
      return (await reschedule(call, session)).isErr();
    }
    return true;
  };

  /** Whether the tenant stays noted: it has something that is due. What is put right falls out of the range. */
  const lookAtTenant = async (tenant: string, due: DueSession[]): Promise<boolean> => {
    const tenantKeys = keys.tenant(tenant);
    let stay = 0;
    for (let isLast = false; !isLast && due.length < limit; ) {
      const noted = await readNoted(call, tenantKeys, now, stay, limit);
      if (noted.isErr()) {
        failed.push(noted.error.error);
        return true;
      }
      const stays = await Promise.all(noted.value.map((each) => look(tenant, each, due)));
      stay += stays.filter(Boolean).length;
      isLast = noted.value.length < limit;
    }
    return stay > 0 || (await rescheduleTenant(call, tenantKeys)).isErr();
  };

  const lookAtPartition = async (partition: number): Promise<readonly DueSession[]> => {
    const due: DueSession[] = [];
    const tenants = keys.shared('tenants', partition);
    let stay = 0;
    for (let isLast = false; !isLast && due.length < limit; ) {
      const offset = stay;
      const owners = await call.read((client) => client.zrangebyscore(tenants, '-inf', now, 'LIMIT', offset, limit));
      if (owners.isErr()) {
        failed.push(owners.error.error);
        return due;
      }
      for (const owner of owners.value) {
        if (due.length < limit && (await lookAtTenant(unescapeName(owner), due))) stay += 1;
      }
      isLast = owners.value.length < limit;
    }
    return due;
  };

  const due = (await Promise.all(keys.partitions.map(lookAtPartition))).flat();
  return ok({ sessions: due.sort((a, b) => a.deadline - b.deadline).slice(0, limit), failed });
};
