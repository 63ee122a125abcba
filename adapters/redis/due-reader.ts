import { err, ok, type Result } from 'neverthrow';
import type { DueSession, DueSessions, StoreError } from '../../src/store.js';
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

/** What one partition has. */
interface Found {
  readonly sessions: DueSession[];
  readonly failed: StoreError[];
}

/**
 * Reads whose deadline has passed. What is noted may be too early: the record decides, and the note is put right. What
 * cannot be read stays noted, is told, and holds up nothing beside it.
 */
export class DueReader {
  readonly #keys: Keyspace;
  readonly #events: RedisEventLog;

  constructor(keys: Keyspace, events: RedisEventLog) {
    this.#keys = keys;
    this.#events = events;
  }

  async read(call: Call, now: number, limit: number): Promise<Result<DueSessions, never>> {
    const read = (partition: number): Promise<Found> => this.#readPartition(call, partition, now, limit);
    const found = await Promise.all(this.#keys.partitions.map(read));
    const sessions = found.flatMap((each) => each.sessions).sort((a, b) => a.deadline - b.deadline);
    return ok({ sessions: sessions.slice(0, limit), failed: found.flatMap((each) => each.failed) });
  }

  /** Tenants whose time is put right fall out of the range: only the others are passed over. */
  async #readPartition(call: Call, partition: number, now: number, limit: number): Promise<Found> {
    const found: Found = { sessions: [], failed: [] };
    const tenants = this.#keys.shared('tenants', partition);
    for (let stay = 0; found.sessions.length < limit; ) {
      const offset = stay;
      const owners = await call.read((client) => client.zrangebyscore(tenants, '-inf', now, 'LIMIT', offset, limit));
      if (owners.isErr()) {
        found.failed.push(owners.error.error);
        return found;
      }
      for (const owner of owners.value) {
        if (found.sessions.length < limit) stay += await this.#readTenant(call, unescapeName(owner), now, limit, found);
      }
      if (owners.value.length < limit) return found;
    }
    return found;
  }

  /** Gives 0 where the tenant has nothing more that is due, else 1. */
  async #readTenant(call: Call, tenant: string, now: number, limit: number, found: Found): Promise<number> {
    const keys = this.#keys.tenant(tenant);
    let stay = 0;
    for (let isLast = false; !isLast && found.sessions.length < limit; ) {
      const noted = await readNoted(call, keys, now, stay, limit);
      if (noted.isErr()) {
        found.failed.push(noted.error.error);
        return 1;
      }
      const stays = await Promise.all(
        noted.value.map(async ({ member, fields }): Promise<boolean> => {
          const session = this.#keys.of({ tenant, id: unescapeName(member) });
          const deadline = fields === 'removed' ? Number.POSITIVE_INFINITY : fields?.deadline;
          if (deadline === undefined) found.failed.push(unreadable(session));
          else if (deadline <= now) found.sessions.push({ tenant, id: session.id, deadline });
          else {
            // The end that has left the note may not have been told.
            await this.#events.repeatLast(call, session, (status) => status === 'TERMINATED');
            return (await reschedule(call, session)).isErr();
          }
          return true;
        }),
      );
      stay += stays.filter(Boolean).length;
      isLast = noted.value.length < limit;
    }
    return stay > 0 || (await rescheduleTenant(call, keys)).isErr() ? 1 : 0;
  }
}
