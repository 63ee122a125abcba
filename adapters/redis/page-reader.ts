import { err, ok, type Result } from 'neverthrow';
import type { SessionRecord } from '../../src/session/record.js';
import type { PageRange, RecordPage, StoreError } from '../../src/store.js';
import { BoundedReader } from './bounded-reader.js';
import type { RedisClient } from './client.js';
import type { Connection } from './connection.js';
import { errorCode } from './failure.js';
import { type Keyspace, type ListKeys, unescapeName } from './keys.js';
import type { StoreParts } from './parts.js';
import type { ReadRecord, RecordReader } from './record-reader.js';

const isPlain = ({ order, status, createdAfter, createdBefore, after }: PageRange): boolean =>
  after === undefined &&
  status === undefined &&
  order !== 'oldest' &&
  createdAfter === undefined &&
  createdBefore === undefined;

/** Reads pages by rank, in one flight of two commands where the server allows it, else in two; any others by script. */
export class PageReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #records: RecordReader;
  readonly #bounded: BoundedReader;
  /** Servers refuse SORT with GET in cluster mode (before 7.4) and to users without access to all keys. */
  #sortAllowed = true;

  constructor(parts: StoreParts) {
    this.#connection = parts.connection;
    this.#keys = parts.keys;
    this.#records = parts.records;
    this.#bounded = new BoundedReader(parts);
  }

  async read(tenant: string, range: PageRange): Promise<Result<RecordPage, StoreError>> {
    const end = this.#connection.endOfCall();
    if (!isPlain(range)) return this.#bounded.read(tenant, range, end);
    const keys = this.#keys.list(tenant);
    const page = await this.#connection.read((client) => this.#readPlain(client, keys, range), end);
    if (page.isErr()) return err(page.error.error);
    return page.value === undefined ? this.#bounded.read(tenant, range, end) : ok(page.value);
  }

  async #readPlain(client: RedisClient, keys: ListKeys, range: PageRange): Promise<RecordPage | undefined> {
    if (!this.#sortAllowed || typeof client.sort !== 'function') return namedPage(client, keys, range, this.#records);
    try {
      return await sortedPage(client, keys, range, this.#records);
    } catch (cause) {
      // To a replica SORT is a write; it may be promoted, so that the next page is asked for by SORT again.
      if (errorCode(cause) !== 'READONLY') {
        if (!isRefusalOfSort(cause)) throw cause;
        this.#sortAllowed = false;
      }
      return namedPage(client, keys, range, this.#records);
    }
  }
}

const isRefusalOfSort = (cause: unknown): boolean =>
  cause instanceof Error && /\bSORT\b|^NOPERM .*\bsort\b|^ERR unknown command/i.test(cause.message);

/**
 * The page, or nothing where it is not certain that it is the whole one: something is missing or cannot be read, or it
 * is full and ends the list, while the total is of another instant.
 */
const pageOf = (read: readonly ReadRecord[], total: number, { offset, limit }: PageRange): RecordPage | undefined => {
  const records: SessionRecord[] = [];
  for (const record of read) {
    if (typeof record !== 'object') return undefined;
    records.push(record);
  }
  const last = records.at(-1)?.head;
  if (last === undefined || records.length < limit) return { records, total, unreadable: [] };
  if (offset + records.length >= total) return undefined;
  return { records, total, unreadable: [], next: { id: last.id, createdAt: last.createdAt } };
};

/** The page by one command and the total by another, in one flight. */
const sortedPage = async (
  client: RedisClient,
  keys: ListKeys,
  range: PageRange,
  reader: RecordReader,
): Promise<RecordPage | undefined> => {
  const [strings, total] = await Promise.all([
    client.sort(
      keys.index,
      ...['BY', 'nosort', 'DESC', 'LIMIT', String(range.offset), String(range.limit)],
      ...['GET', `${keys.state}*`, 'GET', `${keys.journal}*`],
    ),
    client.zcard(keys.index),
  ]);
  if (!Array.isArray(strings)) return undefined;
  const records: ReadRecord[] = [];
  for (let at = 0; at < strings.length; at += 2) records.push(reader.read(strings[at], strings[at + 1]));
  return pageOf(records, total, range);
};

/** The page by its ids first and their strings then. */
const namedPage = async (
  client: RedisClient,
  keys: ListKeys,
  range: PageRange,
  reader: RecordReader,
): Promise<RecordPage | undefined> => {
  const last = Math.min(range.offset + range.limit, Number.MAX_SAFE_INTEGER) - 1;
  const [members, total] = await Promise.all([
    // Ranks below 0 count from the other end.
    last < 0 ? [] : client.zrevrange(keys.index, range.offset, last),
    client.zcard(keys.index),
  ]);
  if (members.length === 0) return { records: [], total, unreadable: [] };
  const strings = await client.mget(
    ...members.flatMap((member) => [`${keys.state}${member}`, `${keys.journal}${member}`]),
  );
  const records = members.map((member, at) =>
    reader.readOf(unescapeName(member), strings[2 * at], strings[2 * at + 1]),
  );
  return pageOf(records, total, range);
};
