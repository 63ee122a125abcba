import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/session/errors.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import { sessionStatuses } from '../../src/session/session-status.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import type { Connection } from './connection.js';
import { type Keyspace, keyOfPath } from './keyspace.js';
import { findSession } from './read-sessions.js';
import type { RedisClient } from './redis-session-store-options.js';
import {
  removeEntryScript,
  removeNamesScript,
  repairEndScript,
  repairSessionScript,
} from './scripts/repair-scripts.js';
import { letterOf } from './status-letters.js';

/** Options of `repair`. */
export interface RepairOptions {
  /** Whether to change the stored settings to the options of this process. Default: false. */
  readonly reconfigure?: boolean;
}

/** The result of a repair. */
export interface RepairReport {
  /** Number of sessions that were checked. */
  readonly sessions: number;
  /** Number of sessions that were missing in a list, or in the wrong place. */
  readonly listed: number;
  /** Number of deadlines, and of ends that must be reported, that were missing or wrong. */
  readonly rescheduled: number;
  /** Number of removed entries and other remains of sessions that no longer exist. */
  readonly removed: number;
  /** Sessions that cannot be read. They are left unchanged: the host decides whether to delete them. */
  readonly unreadable: readonly SessionKey[];
}

/** Number of keys or entries to request at a time. */
const PAGE = 200;

/** Returns the cursor of the next page, `0` at the end, and a page of items. */
type Scan = (client: RedisClient, cursor: string) => Promise<readonly [string, readonly string[]]>;

const unsupported = new Error('ERR the client cannot scan');

/**
 * Checks all data of a store, page by page. It corrects index entries that are missing, wrong or stale because of
 * manual changes, another program or a restored backup; crashes of the engine cause no such errors. It may run while
 * sessions are used and in several processes, and can be stopped at any time. Damaged data is reported or skipped, and
 * does not affect the rest.
 */
export class Repair {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #report = { sessions: 0, listed: 0, rescheduled: 0, removed: 0 };
  /** The unreadable sessions, by their paths. */
  readonly #unreadable = new Map<string, SessionKey>();

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async run(): Promise<Result<RepairReport, StoreUnavailable>> {
    const nodes = await this.#connection.begin().readCommand(async (client) => client.nodes?.('master') ?? [client]);
    if (nodes.isErr()) return err(nodes.error.error);
    for (const node of nodes.value) {
      const scan: Scan = async (client, cursor) => {
        if (node.scan === undefined) throw unsupported;
        // Clients neither put their `keyPrefix` before a pattern nor remove it from the keys in a reply.
        const keyPrefix = client.options?.keyPrefix ?? '';
        const [next, found] = await node.scan(cursor, 'MATCH', this.#keys.pattern(keyPrefix), 'COUNT', PAGE);
        return [next, found.map((name) => name.slice(keyPrefix.length))];
      };
      const scanned = await this.#each(scan, (name) => this.#repairKey(name));
      if (scanned.isErr()) return err(scanned.error);
    }
    return ok({ ...this.#report, unreadable: [...this.#unreadable.values()] });
  }

  /** Calls `repair` for every item of a scan, one page at a time. */
  async #each(scan: Scan, repair: (item: string) => Promise<void>): Promise<Result<void, StoreUnavailable>> {
    let cursor = '0';
    do {
      const at = cursor;
      const page = await this.#connection.begin().readCommand((client) => scan(client, at));
      // A key of a wrong type contains no entries.
      if (page.isErr() && page.error.code === 'WRONGTYPE') return ok(undefined);
      if (page.isErr()) return err(page.error.error);
      const [next, items] = page.value;
      await Promise.all(items.map(repair));
      cursor = next;
    } while (cursor !== '0');
    return ok(undefined);
  }

  async #repairKey(name: string): Promise<void> {
    const { kind, rest } = this.#keys.parse(name) ?? { kind: '', rest: '' };
    if (kind === 'record' || kind === 'journal' || kind === 'names') return this.#repairSession(kind, keyOfPath(rest));
    if (kind === 'remains') {
      const [remaining = '', ...member] = rest.split(':');
      return this.#repairEnd(remaining, member.join(':'));
    }
    const status = sessionStatuses.find((each) => each.toLowerCase() === kind);
    if (!['index', 'deadlines', 'label', 'unleased', 'ends'].includes(kind) && status === undefined) return;
    const [owner = '', last = ''] = rest.split(':');
    const { records, deadlines, tenants } = this.#keys.tenant(unescapeName(owner));
    const scan: Scan = async (client, cursor) => {
      if (client.zscan === undefined) throw unsupported;
      const [next, found] = await client.zscan(name, cursor, 'COUNT', PAGE);
      return [next, found.filter((_, at) => at % 2 === 0)];
    };
    const label = kind === 'label' ? last : '';
    const ofUnleased = kind === 'unleased' ? last : '';
    const letter = status === undefined ? ofUnleased : letterOf(status);
    if (kind === 'ends') {
      await this.#each(scan, (member) => this.#repairEnd(owner, member));
      return;
    }
    await this.#each(scan, async (member) => {
      const keys = [records + member, name, deadlines, tenants];
      const call = this.#connection.begin();
      const removed = await call.repairScript(removeEntryScript, keys, [member, owner, letter, label]);
      this.#report.removed += Number(removed.unwrapOr(0));
    });
  }

  /** Repairs the end of a session. `member` is that of `ends`. */
  async #repairEnd(owner: string, member: string): Promise<void> {
    const [id = '', incarnation = ''] = member.split(':');
    const { record, remains, ends, reporting } = this.#keys.of(keyOfPath(`${owner}:${id}`));
    const call = this.#connection.begin();
    const repaired = await call.repairScript(
      repairEndScript,
      [record, remains + incarnation, ends, reporting],
      [member, owner, incarnation],
    );
    const counts = repaired.unwrapOr(undefined);
    const [rescheduled, removed] = Array.isArray(counts) ? counts.map(Number) : [];
    this.#report.rescheduled += rescheduled ?? 0;
    this.#report.removed += removed ?? 0;
  }

  async #repairSession(kind: 'record' | 'journal' | 'names', key: SessionKey): Promise<void> {
    const call = this.#connection.begin();
    const report = this.#report;
    const session = this.#keys.of(key);
    const {
      record,
      names,
      deadlines,
      tenants,
      ends,
      reporting,
      labels,
      index,
      byStatus,
      unleased,
      member,
      owner,
      path,
    } = session;
    const found = await findSession(call, session, {});
    if (found.isErr()) {
      if (found.error.type !== 'corrupt_record') return;
      // The same session is checked again for its journal.
      if (!this.#unreadable.has(path)) report.sessions += 1;
      this.#unreadable.set(path, key);
      return;
    }
    if (found.value === undefined) {
      // The names of a session without a record and a journal: remains of another program.
      if (kind !== 'names') return;
      const deleted = await call.repairScript(removeNamesScript, [record, names], []);
      report.removed += Number(deleted.unwrapOr(0));
      return;
    }
    // A session is repaired when the scan reaches its record.
    if (kind !== 'record') return;
    const { state } = found.value;
    const keys = [record, deadlines, tenants, ends, reporting, labels, index, ...Object.values(byStatus)];
    const args = [member, owner, String(state.since)];
    if (unleased !== undefined) {
      keys.push(unleased);
      args.push(state.status === 'TERMINATED' ? '' : String(unleasedSince(state)));
    }
    const repaired = await call.repairScript(repairSessionScript, keys, args);
    const counts = repaired.unwrapOr(undefined);
    const [listed, rescheduled, removed] = Array.isArray(counts) ? counts.map(Number) : [];
    report.sessions += 1;
    report.listed += listed ?? 0;
    report.rescheduled += rescheduled ?? 0;
    report.removed += removed ?? 0;
  }
}
