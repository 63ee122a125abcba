import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { DueSession, DueSessions } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import type { RedisEventLog } from './event-log.js';
import { type Failure, unreadable } from './failure.js';
import { type Keyspace, unescapeName } from './keys.js';
import { dueScript } from './page-scripts.js';
import { decodeFixed, type FixedFields } from './record-text.js';
import type { SessionIndex } from './session-index.js';

/** What deadlines say of a session, beside what its record says; nothing where that cannot be read. */
export interface Noted {
  readonly member: string;
  readonly fields: FixedFields | 'removed' | undefined;
}

/** A tenant's sessions whose noted deadline has passed, the earliest first. */
export const readNoted = async (
  call: Call,
  keys: { readonly deadlines: string; readonly records: string },
  now: number,
  offset: number,
  limit: number,
): Promise<Result<readonly Noted[], Failure>> => {
  const args = [String(now), String(offset), String(limit)];
  const reply = await call.ask(dueScript, [keys.deadlines, keys.records], args);
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
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #index: SessionIndex;
  readonly #events: RedisEventLog | undefined;

  constructor(connection: Connection, keys: Keyspace, index: SessionIndex, events: RedisEventLog | undefined) {
    this.#connection = connection;
    this.#keys = keys;
    this.#index = index;
    this.#events = events;
  }

  async read(now: number, limit: number): Promise<Result<DueSessions, never>> {
    const call = this.#connection.begin();
    const partitions = Array.from({ length: this.#keys.partitions }, (_, partition) => partition);
    const found = await Promise.all(partitions.map((partition) => this.#readPartition(call, partition, now, limit)));
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
          const key = { tenant, id: unescapeName(member) };
          const deadline = fields === 'removed' ? Number.POSITIVE_INFINITY : fields?.deadline;
          if (deadline === undefined) found.failed.push(unreadable(key));
          else if (deadline <= now) found.sessions.push({ ...key, deadline });
          else {
            // The end that has left the note may not have been told.
            await this.#events?.repeatEnd(call, key);
            return (await this.#index.reschedule(call, key)).isErr();
          }
          return true;
        }),
      );
      stay += stays.filter(Boolean).length;
      isLast = noted.value.length < limit;
    }
    return stay > 0 || (await this.#index.rescheduleTenant(call, tenant)).isErr() ? 1 : 0;
  }
}
