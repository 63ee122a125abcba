import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { sessionStatuses } from '../../src/session/session-status.js';
import { unescapeName } from '../../src/store/escape-name.js';
import type { SessionKey } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';
import { type Keyspace, keyOfPath } from './keyspace.js';
import { findSession } from './read-sessions.js';
import type { RedisClient } from './redis-session-store-options.js';
import { clearRemoved, purge } from './remove-session.js';
import { mend, noteScript, rescheduleTenant, unlist, unlistLabel } from './session-index.js';

/** The result of a repair. */
export interface RepairReport {
  /** Number of sessions that were checked. */
  readonly sessions: number;
  /** Number of sessions that lists did not contain, or had in the wrong place. */
  readonly listed: number;
  /** Number of deadlines that were missing or wrong. */
  readonly rescheduled: number;
  /** Number of entries of lists and deadlines, and other remains, of sessions that no longer exist. */
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
 * Checks everything that a store keeps, page by page. It corrects errors that no crash of ours leaves, but that a
 * person, another program or a restored backup may cause: index entries that are missing, wrong or stale. It may run
 * while sessions are used and in several processes, and can be stopped at any time. Damaged data is reported or
 * skipped, and does not affect the rest.
 */
export class Repair {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #report = { sessions: 0, listed: 0, rescheduled: 0, removed: 0 };
  /** By their paths. */
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
      const scanned = await this.#each(scan, (name) => this.#mendKey(name));
      if (scanned.isErr()) return err(scanned.error);
    }
    // What cannot be purged now, the next sweep deletes.
    for (let purged = PAGE; purged >= PAGE; ) {
      purged = (await purge(this.#connection.begin(), this.#keys, this.#keys.partitions, Date.now(), PAGE)).unwrapOr(0);
    }
    return ok({ ...this.#report, unreadable: [...this.#unreadable.values()] });
  }

  /** Calls `mend` for every item of a scan, one page at a time. */
  async #each(scan: Scan, mend: (item: string) => Promise<void>): Promise<Result<void, StoreUnavailable>> {
    let cursor = '0';
    do {
      const at = cursor;
      const page = await this.#connection.begin().readCommand((client) => scan(client, at));
      // A key of a wrong type contains no entries.
      if (page.isErr() && page.error.code === 'WRONGTYPE') return ok(undefined);
      if (page.isErr()) return err(page.error.error);
      const [next, items] = page.value;
      await Promise.all(items.map(mend));
      cursor = next;
    } while (cursor !== '0');
    return ok(undefined);
  }

  async #mendKey(name: string): Promise<void> {
    const { kind, rest } = this.#keys.parse(name) ?? { kind: '', rest: '' };
    if (kind === 'record' || kind === 'journal' || kind === 'names') return this.#mendSession(kind, keyOfPath(rest));
    const status = sessionStatuses.find((each) => each.toLowerCase() === kind);
    const isIndex = kind === 'index' || kind === 'deadlines' || kind === 'label' || status !== undefined;
    if (!isIndex) return;
    const [owner = '', label = ''] = rest.split(':');
    const [labelName = '', labelValue = ''] = label.split('=');
    const keys = this.#keys.tenant(unescapeName(owner));
    const scan: Scan = async (client, cursor) => {
      if (client.zscan === undefined) throw unsupported;
      const [next, found] = await client.zscan(name, cursor, 'COUNT', PAGE);
      return [next, found.filter((_, at) => at % 2 === 0)];
    };
    await this.#each(scan, async (member) => {
      const record = keys.records + member;
      const call = this.#connection.begin();
      const removed =
        kind === 'label'
          ? await unlistLabel(call, { record, member }, name, labelName, unescapeName(labelValue))
          : await unlist(call, { record, member }, name, status);
      this.#report.removed += removed;
    });
    if (kind === 'deadlines') await rescheduleTenant(this.#connection.begin(), keys);
  }

  async #mendSession(kind: 'record' | 'journal' | 'names', key: SessionKey): Promise<void> {
    const call = this.#connection.begin();
    const report = this.#report;
    const session = this.#keys.of(key);
    const { removals, path } = session;
    const found = await findSession<never>(call, session, {}, undefined);
    // A session with a record is checked when the scan reaches the record.
    if (kind !== 'record' && found.isOk() && found.value !== undefined) return;
    if (found.isErr()) {
      if (found.error.type !== 'corrupt_record') return;
      // The session is checked a second time for its journal.
      if (!this.#unreadable.has(path)) report.sessions += 1;
      this.#unreadable.set(path, key);
    } else if (found.value === undefined) {
      if (kind === 'record') await call.writeScript(noteScript, [removals], [path, String(Date.now())]);
      const cleared = await clearRemoved(call, session);
      report.removed += cleared;
    } else {
      const { listed, rescheduled } = await mend(call, session, found.value.state, found.value.head.labels);
      report.sessions += 1;
      report.listed += listed;
      report.rescheduled += rescheduled;
    }
  }
}
