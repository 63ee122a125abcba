import { err, ok, Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { type SessionStatus, sessionStatuses } from '../../src/status.js';
import type { SessionKey } from '../../src/store.js';
import type { RedisClient } from './client.js';
import { dropScript, relistScript } from './index-scripts.js';
import { type Keyspace, keyOfDue, unescapeName } from './keys.js';
import type { StoreParts } from './parts.js';

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

type Mended = Partial<Omit<RepairReport, 'unreadable'>> & { readonly unreadable?: SessionKey };

/** So many keys or entries are asked for at a time. */
const PAGE = 200;

const nothing: Mended = {};

/**
 * Goes through everything that a store keeps, page by page, and puts right what no crash of ours leaves behind but a
 * hand, another program or a restored backup may: entries of indexes that are missing, wrong or stale. It may run while
 * sessions are used, by several processes, and be given up at any time.
 */
export class Repair {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async run(): Promise<Result<RepairReport, StoreUnavailable>> {
    const report = { sessions: 0, listed: 0, rescheduled: 0, removed: 0, unreadable: [] as SessionKey[] };
    const add = ({ sessions = 0, listed = 0, rescheduled = 0, removed = 0, unreadable }: Mended): void => {
      report.sessions += sessions;
      report.listed += listed;
      report.rescheduled += rescheduled;
      report.removed += removed;
      if (unreadable !== undefined) report.unreadable.push(unreadable);
    };
    const nodes = await this.#parts.connection.read(async (client) => client.nodes?.('master') ?? [client]);
    if (nodes.isErr()) return err(nodes.error.error);
    for (const node of nodes.value) {
      const scanned = await this.#pages(
        (client, cursor) => scanKeys(client, node, this.#parts.keys, cursor),
        (key) => this.#mendKey(key, add),
      );
      if (scanned.isErr()) return err(scanned.error);
    }
    return ok(report);
  }

  /** Does something with every item of a scan, a page of it at a time. */
  async #pages(
    scan: (client: RedisClient, cursor: string) => Promise<readonly [string, readonly string[]]>,
    each: (item: string) => Promise<Result<unknown, StoreUnavailable>>,
  ): Promise<Result<void, StoreUnavailable>> {
    let cursor = '0';
    do {
      const at = cursor;
      const page = await this.#parts.connection.read((client) => scan(client, at));
      if (page.isErr()) return err(page.error.error);
      const [next, items] = page.value;
      for (const done of await Promise.all(items.map(each))) if (done.isErr()) return err(done.error);
      cursor = next;
    } while (cursor !== '0');
    return ok(undefined);
  }

  async #mendKey(name: string, add: (mended: Mended) => void): Promise<Result<unknown, StoreUnavailable>> {
    const found = this.#parts.keys.parse(name);
    if (found === undefined) return ok(undefined);
    const { kind, rest } = found;
    if (kind === 'index' || kind === 'deadlines') {
      const keyOf =
        kind === 'deadlines'
          ? keyOfDue
          : (member: string) => ({ tenant: unescapeName(rest), id: unescapeName(member) });
      return this.#pages(
        async (client, cursor) => entriesOf(client, name, cursor),
        async (member) => (await this.#mendEntry(keyOf(member), member)).map(add),
      );
    }
    const key = keyOfDue(rest);
    if (kind === 'state' || kind === 'journal') return (await this.#mendSession(key, kind)).map(add);
    const status = sessionStatuses.find((each) => each.toLowerCase() === kind);
    if (status !== undefined) {
      return this.#pages(
        async (client, cursor) => entriesOf(client, name, cursor),
        async (member) =>
          (await this.#mendStatus({ tenant: unescapeName(rest), id: unescapeName(member) }, status)).map(add),
      );
    }
    if (kind === 'names') return (await this.#dropNames(key)).map(add);
    return ok(undefined);
  }

  async #mendSession(key: SessionKey, kind: 'state' | 'journal'): Promise<Result<Mended, StoreUnavailable>> {
    const keys = this.#parts.keys.of(key);
    const strings = await this.#parts.connection.read((client) => client.mget(keys.state, keys.journal));
    if (strings.isErr()) return err(strings.error.error);
    const [state, journal] = strings.value;
    // A journal that has its state is looked at when the scan comes to the state.
    if (kind === 'journal' && state !== null) return ok(nothing);
    const record = this.#parts.records.readOf(key.id, state, journal);
    if (record === 'corrupt') return ok({ sessions: 1, unreadable: key });
    if (record === 'missing') return this.#unlist(key);
    const createdAt = String(Date.parse(record.head.createdAt));
    // After what lists all, from which those by status take the place.
    const [listed, rescheduled, entered, left] = await Promise.all([
      this.#parts.connection.write(relistScript, [keys.state, keys.index], [keys.member, createdAt]),
      this.#parts.deadlines.reschedule(keys),
      this.#parts.statuses.enter(key, record.state.status),
      this.#parts.statuses.leave(key),
    ]);
    return Result.combine([listed, rescheduled, entered, left])
      .mapErr(({ error }) => error)
      .map(([one, other, third, removed]) => ({
        sessions: 1,
        listed: Math.max(Number(one), Number(third)),
        rescheduled: Number(other),
        removed: Number(removed),
      }));
  }

  /** An entry of an index whose session may not be there. */
  async #mendEntry(key: SessionKey, member: string): Promise<Result<Mended, StoreUnavailable>> {
    const keys = this.#parts.keys.of(key);
    // Not a name that this layout writes: it leads nowhere.
    if (member !== keys.member && member !== keys.due) return ok(nothing);
    const state = await this.#parts.connection.read((client) => client.mget(keys.state, keys.journal));
    if (state.isErr()) return err(state.error.error);
    return this.#parts.records.readOf(key.id, state.value[0], state.value[1]) === 'missing'
      ? this.#unlist(key)
      : ok(nothing);
  }

  /** An entry whose session may have another status, or be gone. */
  async #mendStatus(key: SessionKey, status: SessionStatus): Promise<Result<Mended, StoreUnavailable>> {
    const left = await this.#parts.statuses.leave(key, [status]);
    return left.mapErr(({ error }) => error).map((removed) => ({ removed }));
  }

  async #unlist(key: SessionKey): Promise<Result<Mended, StoreUnavailable>> {
    const cleared = await this.#parts.leftovers.clear(key);
    return cleared.mapErr(({ error }) => error).map((removed) => ({ removed }));
  }

  async #dropNames(key: SessionKey): Promise<Result<Mended, StoreUnavailable>> {
    const { state, journal, names } = this.#parts.keys.of(key);
    const dropped = await this.#parts.connection.write(dropScript, [state, journal, names], []);
    return dropped.mapErr(({ error }) => error).map((count) => ({ removed: Number(count) }));
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
