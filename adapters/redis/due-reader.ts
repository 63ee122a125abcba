import { ok, type Result } from 'neverthrow';
import type { DueSession, DueSessions, StoreError } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import type { RedisEventLog } from './event-log.js';
import { unreadable } from './failure.js';
import { rescheduleTenantScript } from './index-scripts.js';
import { type Keyspace, unescapeName } from './keys.js';
import { dueScript } from './page-scripts.js';
import { NEVER, REMOVED, readDeadline } from './record-text.js';
import type { SessionIndex } from './session-index.js';

/** What one partition has, or one tenant. */
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
    const partitions = Array.from({ length: this.#keys.partitions }, (_, partition) => partition);
    const found = await Promise.all(partitions.map((partition) => this.#readPartition(partition, now, limit)));
    const sessions = found.flatMap((each) => each.sessions).sort((a, b) => a.deadline - b.deadline);
    return ok({ sessions: sessions.slice(0, limit), failed: found.flatMap((each) => each.failed) });
  }

  async #readPartition(partition: number, now: number, limit: number): Promise<Found> {
    const found: Found = { sessions: [], failed: [] };
    const call = this.#connection.begin();
    const { tenants } = this.#keys.partition(partition);
    const owners = await call.read((client) => client.zrangebyscore(tenants, '-inf', now, 'LIMIT', 0, limit));
    if (owners.isErr()) {
      found.failed.push(owners.error.error);
      return found;
    }
    for (const owner of owners.value) {
      await this.#readTenant(call, unescapeName(owner), now, limit, found);
      if (found.sessions.length >= limit) break;
    }
    return found;
  }

  async #readTenant(call: Call, tenant: string, now: number, limit: number, found: Found): Promise<void> {
    const { deadlines, tenants, record, owner } = this.#keys.tenant(tenant);
    let kept = 0;
    for (let isLast = false; !isLast && kept < 2 * limit; ) {
      const reply = await call.ask(dueScript, [deadlines, record], [String(now), String(kept), String(limit)]);
      if (reply.isErr()) {
        found.failed.push(reply.error.error);
        return;
      }
      const entries = reply.value === '' ? [] : String(reply.value).split('\n');
      isLast = entries.length < 2 * limit;
      const stale: string[] = [];
      for (let at = 0; at + 1 < entries.length; at += 2) {
        const id = unescapeName(entries[at] ?? '');
        const head = entries[at + 1] ?? '';
        const deadline = head === '' || head.charAt(38) === REMOVED ? NEVER : readDeadline(head);
        if (deadline === undefined) found.failed.push(unreadable({ tenant, id }));
        else if (deadline <= now) found.sessions.push({ tenant, id, deadline });
        else {
          stale.push(id);
          continue;
        }
        kept += 1;
      }
      const put = await Promise.all(stale.map((id) => this.#putRight(call, { tenant, id })));
      if (put.some((count) => count === 0)) kept += put.filter((count) => count === 0).length;
      if (found.sessions.length >= limit) return;
    }
    if (kept === 0) await call.write(rescheduleTenantScript, [deadlines, tenants], [owner]);
  }

  /** Gives 1 where the note is another now. The end that has left it may not have been told. */
  async #putRight(call: Call, key: { readonly tenant: string; readonly id: string }): Promise<number> {
    await this.#events?.repeatEnd(call, key);
    return this.#index.reschedule(call, key);
  }
}
