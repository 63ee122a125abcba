import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { sessionStatuses } from '../../src/status.js';
import type { SessionKey } from '../../src/store.js';
import type { RedisClient } from './client.js';
import type { Call, Connection } from './connection.js';
import { rescheduleTenantScript } from './index-scripts.js';
import { type Keyspace, keyOfPath, unescapeName } from './keys.js';
import type { Removals } from './removals.js';
import type { SessionIndex } from './session-index.js';
import { SessionReader } from './session-reader.js';

/** What a repair has looked at and put right. */
export interface RepairReport {
  /** Sessions that were looked at. */
  readonly sessions: number;
  /** Sessions that lists did not show, or not at their place. */
  readonly listed: number;
  /** Deadlines that were missing or wrong. */
  readonly rescheduled: number;
  /** Entries of lists and deadlines, and other leftovers, of sessions that are no more. */
  readonly removed: number;
  /** Sessions that cannot be read. They are left as they are: deleting them is for the host to decide. */
  readonly unreadable: readonly SessionKey[];
}

type Counts = { -readonly [K in Exclude<keyof RepairReport, 'unreadable'>]: number };

/** Number of keys or entries that are asked for at a time. */
const PAGE = 200;

/** Ids in paths of the tenant that a key of a sorted set is of. */
const keyIn = (owner: string, member: string): SessionKey => ({
  tenant: unescapeName(owner),
  id: unescapeName(member),
});

/**
 * Goes through everything that a store keeps, page by page, and puts right what no crash of ours leaves behind but a
 * hand, another program or a restored backup may: entries of indexes that are missing, wrong or stale. It may run while
 * sessions are used, by several processes, and be given up at any time. What is damaged is told or passed over, and
 * stops nothing beside it.
 */
export class Repair {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #index: SessionIndex;
  readonly #removals: Removals;
  readonly #sessions: SessionReader;

  constructor(connection: Connection, keys: Keyspace, index: SessionIndex, removals: Removals) {
    this.#connection = connection;
    this.#keys = keys;
    this.#index = index;
    this.#removals = removals;
    this.#sessions = new SessionReader(connection, keys);
  }

  async run(): Promise<Result<RepairReport, StoreUnavailable>> {
    const counts: Counts = { sessions: 0, listed: 0, rescheduled: 0, removed: 0 };
    const unreadable: SessionKey[] = [];
    const nodes = await this.#connection.begin().read(async (client) => client.nodes?.('master') ?? [client]);
    if (nodes.isErr()) return err(nodes.error.error);
    for (const node of nodes.value) {
      const scanned = await this.#pages(
        (client, cursor) => scanKeys(client, node, this.#keys, cursor),
        (name) => this.#mendKey(name, counts, unreadable),
      );
      if (scanned.isErr()) return err(scanned.error);
    }
    const purged = await this.#removals.purge(Date.now(), PAGE);
    if (purged.isErr() && purged.error.type === 'store_unavailable') return err(purged.error);
    return ok({ ...counts, unreadable });
  }

  /** Does something with every item of a scan, a page of it at a time. */
  async #pages(
    scan: (client: RedisClient, cursor: string) => Promise<readonly [string, readonly string[]]>,
    each: (item: string) => Promise<void>,
  ): Promise<Result<void, StoreUnavailable>> {
    let cursor = '0';
    do {
      const at = cursor;
      const page = await this.#connection.begin().read((client) => scan(client, at));
      // A key of a wrong type cannot be scanned: nothing in it is an entry.
      if (page.isErr() && page.error.code === 'WRONGTYPE') return ok(undefined);
      if (page.isErr()) return err(page.error.error);
      const [next, items] = page.value;
      await Promise.all(items.map(each));
      cursor = next;
    } while (cursor !== '0');
    return ok(undefined);
  }

  async #mendKey(name: string, counts: Counts, unreadable: SessionKey[]): Promise<void> {
    const { kind, rest } = this.#keys.parse(name) ?? { kind: '', rest: '' };
    const call = this.#connection.begin();
    if (kind === 'record' || kind === 'journal' || kind === 'names') {
      await this.#mendSession(call, keyOfPath(rest), kind, counts, unreadable);
      return;
    }
    const status = sessionStatuses.find((each) => each.toLowerCase() === kind);
    if (kind !== 'index' && kind !== 'deadlines' && status === undefined) return;
    await this.#pages(
      (client, cursor) => entriesOf(client, name, cursor),
      async (member) => {
        const entry = this.#connection.begin();
        const key = keyIn(rest, member);
        // Not a name that this layout writes: it leads nowhere.
        if (this.#keys.of(key).member !== member) return;
        // Added in a second step: `+=` before `await` would lose what others have counted meanwhile.
        const removed = await (status === undefined
          ? this.#removals.clear(entry, key)
          : this.#index.dropStatus(entry, key, status));
        counts.removed += removed;
      },
    );
    if (kind === 'deadlines') {
      const { deadlines, tenants, owner } = this.#keys.tenant(unescapeName(rest));
      await call.write(rescheduleTenantScript, [deadlines, tenants], [owner]);
    }
  }

  async #mendSession(
    call: Call,
    key: SessionKey,
    kind: 'record' | 'journal' | 'names',
    counts: Counts,
    unreadable: SessionKey[],
  ): Promise<void> {
    const { record } = this.#keys.of(key);
    const exists = await call.read((client) => client.strlen(record));
    // What has its record is looked at when the scan comes to that.
    if (kind !== 'record' && exists.isOk() && Number(exists.value) > 0) return;
    const found = await this.#sessions.find<never>(key, {}, undefined);
    if (found.isErr()) {
      if (found.error.type !== 'corrupt_record') return;
      counts.sessions += 1;
      unreadable.push(key);
    } else if (found.value === undefined) {
      const removed = await this.#removals.clear(call, key);
      counts.removed += removed;
    } else {
      const mended = await this.#index.mend(call, key, found.value.state.status);
      counts.sessions += 1;
      counts.listed += mended.listed;
      counts.rescheduled += mended.rescheduled;
    }
  }
}

/** Keys of the store, without the `keyPrefix` of the client, which no client puts before a pattern or takes off again. */
const scanKeys = async (
  client: RedisClient,
  node: RedisClient,
  keys: Keyspace,
  cursor: string,
): Promise<readonly [string, readonly string[]]> => {
  if (node.scan === undefined) throw unable;
  const keyPrefix = client.options?.keyPrefix ?? '';
  const [next, found] = await node.scan(cursor, 'MATCH', keys.pattern(keyPrefix), 'COUNT', PAGE);
  return [next, found.map((name) => name.slice(keyPrefix.length))];
};

/** Members of a sorted set, without their scores. */
const entriesOf = async (
  client: RedisClient,
  key: string,
  cursor: string,
): Promise<readonly [string, readonly string[]]> => {
  if (client.zscan === undefined) throw unable;
  const [next, found] = await client.zscan(key, cursor, 'COUNT', PAGE);
  return [next, found.filter((_, at) => at % 2 === 0)];
};

const unable = new Error('ERR the client cannot scan');
