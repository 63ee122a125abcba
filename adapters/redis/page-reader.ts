import { err, ok, type Result } from 'neverthrow';
import type { SessionRecord } from '../../src/session/record.js';
import type { RecordPage, StoreError } from '../../src/store.js';
import type { RedisClient } from './client.js';
import type { Connection } from './connection.js';
import { errorCode } from './failure.js';
import { type Keyspace, type ListKeys, unescapeName } from './keys.js';
import type { Leftovers } from './leftovers.js';
import type { ReadRecord, RecordReader } from './record-reader.js';

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** A page that named its sessions: what was found under each member of the index. */
interface NamedPage {
  readonly found: readonly { readonly member: string; readonly record: ReadRecord }[];
  readonly total: number;
}

/** So often a page is read anew because the index named sessions that are no more. */
const ROUNDS = 3;

/** Reads pages by rank, in one flight of two commands where the server allows it, else in two. */
export class PageReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #records: RecordReader;
  readonly #leftovers: Leftovers;
  /** Servers refuse SORT with GET in cluster mode (before 7.4) and to users without access to all keys. */
  #sortAllowed = true;

  constructor(connection: Connection, keys: Keyspace, records: RecordReader, leftovers: Leftovers) {
    this.#connection = connection;
    this.#keys = keys;
    this.#records = records;
    this.#leftovers = leftovers;
  }

  async read(tenant: string, range: Range): Promise<Result<RecordPage, StoreError>> {
    const keys = this.#keys.list(tenant);
    const end = this.#connection.endOfCall();
    const sorted = await this.#connection.read((client) => this.#readAtOnce(client, keys, range), end);
    if (sorted.isErr()) return err(sorted.error.error);
    return sorted.value === undefined ? this.#readByName(tenant, range, end) : ok(sorted.value);
  }

  /** The page by one command and the total by another, in one flight; nothing if that cannot give the whole page. */
  async #readAtOnce(client: RedisClient, keys: ListKeys, range: Range): Promise<RecordPage | undefined> {
    if (!this.#sortAllowed || typeof client.sort !== 'function') return undefined;
    try {
      return await sortedPage(client, keys, range, this.#records);
    } catch (cause) {
      // To a replica SORT is a write; it may be promoted, so that the next page is asked for by SORT again.
      if (errorCode(cause) === 'READONLY') return undefined;
      if (!isRefusalOfSort(cause)) throw cause;
      this.#sortAllowed = false;
      return undefined;
    }
  }

  /** The page by its ids first and their strings then: this way what is missing or cannot be read has a name. */
  async #readByName(tenant: string, range: Range, end: number): Promise<Result<RecordPage, StoreError>> {
    const keys = this.#keys.list(tenant);
    for (let round = 1; ; round += 1) {
      const page = await this.#connection.read((client) => namedPage(client, keys, range, this.#records), end);
      if (page.isErr()) return err(page.error.error);
      const { found, total } = page.value;
      const gone = found.filter(({ record }) => record === 'missing');
      if (gone.length === 0 || round === ROUNDS) {
        const unreadable = found.filter(({ record }) => record === 'corrupt');
        return ok({
          records: found.map(({ record }) => record).filter((record) => typeof record === 'object'),
          total,
          unreadable: unreadable.map(({ member }) => unescapeName(member)),
        });
      }
      // A crash has left the index ahead of its sessions; the next reader tries again where this one fails.
      await Promise.all(gone.map(({ member }) => this.#leftovers.clear({ tenant, id: unescapeName(member) }, end)));
    }
  }
}

const isRefusalOfSort = (cause: unknown): boolean =>
  cause instanceof Error && /\bSORT\b|^NOPERM .*\bsort\b|^ERR unknown command/i.test(cause.message);

const sortedPage = async (
  client: RedisClient,
  keys: ListKeys,
  { offset, limit }: Range,
  reader: RecordReader,
): Promise<RecordPage | undefined> => {
  const [strings, total] = await Promise.all([
    client.sort(
      keys.index,
      ...['BY', 'nosort', 'DESC', 'LIMIT', String(offset), String(limit)],
      ...['GET', `${keys.state}*`, 'GET', `${keys.journal}*`],
    ),
    client.zcard(keys.index),
  ]);
  if (!Array.isArray(strings)) return undefined;
  const records: SessionRecord[] = [];
  for (let at = 0; at < strings.length; at += 2) {
    const record = reader.read(strings[at], strings[at + 1]);
    if (typeof record !== 'object') return undefined;
    records.push(record);
  }
  return { records, total, unreadable: [] };
};

const namedPage = async (
  client: RedisClient,
  keys: ListKeys,
  { offset, limit }: Range,
  reader: RecordReader,
): Promise<NamedPage> => {
  const last = Math.min(offset + limit, Number.MAX_SAFE_INTEGER) - 1;
  const [members, total] = await Promise.all([
    // Ranks below 0 count from the other end.
    last < 0 ? [] : client.zrevrange(keys.index, offset, last),
    client.zcard(keys.index),
  ]);
  if (members.length === 0) return { found: [], total };
  const strings = await client.mget(
    ...members.flatMap((member) => [`${keys.state}${member}`, `${keys.journal}${member}`]),
  );
  const found = members.map((member, at) => ({
    member,
    record: reader.readOf(unescapeName(member), strings[2 * at], strings[2 * at + 1]),
  }));
  return { found, total };
};
