import { err, ok, type Result } from 'neverthrow';
import type { SessionRecord } from '../../src/session/record.js';
import type { RecordPage, StoreError } from '../../src/store.js';
import type { RedisClient } from './client.js';
import type { Connection } from './connection.js';
import { type Keyspace, type ListKeys, unescapeName } from './keys.js';
import { decodeRecord } from './record.js';
import { unlistScript } from './scripts.js';

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** A session on a page, as it came. */
interface Listed {
  readonly member: string;
  readonly state: string | null;
  readonly journal: string | null;
}

interface RawPage {
  readonly listed: readonly Listed[];
  readonly total: number;
}

/** So often a page is read anew because the index named sessions that are no more. */
const ROUNDS = 3;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Reads pages by rank, in one flight of two commands where the server allows it, else in two. */
export class PageReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  /** Servers refuse SORT with GET in cluster mode (before 7.4) and to users without access to all keys. */
  #sortAllowed = true;

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async read(tenant: string, range: Range): Promise<Result<RecordPage, StoreError>> {
    const keys = this.#keys.list(tenant);
    for (let round = 1; ; round += 1) {
      const raw = await this.#connection.read((client) => this.#fetch(client, keys, range));
      if (raw.isErr()) return err(raw.error.error);
      const { page, gone } = decodePage(raw.value);
      if (gone.length === 0 || round === ROUNDS) return ok(page);
      await Promise.all(gone.map((member) => this.#unlist(keys, member)));
    }
  }

  async #fetch(client: RedisClient, keys: ListKeys, range: Range): Promise<RawPage> {
    if (!this.#sortAllowed || typeof client.sort !== 'function') return fetchInTwo(client, keys, range);
    try {
      return await fetchAtOnce(client, keys, range);
    } catch (cause) {
      if (!isRefusalOfSort(cause)) throw cause;
      this.#sortAllowed = false;
      return fetchInTwo(client, keys, range);
    }
  }

  /** Mends an index that a crash has left ahead of its sessions. The next reader tries again where this one fails. */
  #unlist({ index, state, journal }: ListKeys, member: string): Promise<unknown> {
    return this.#connection.write(unlistScript, [`${state}${member}`, `${journal}${member}`, index], [member]);
  }
}

const isRefusalOfSort = (cause: unknown): boolean =>
  cause instanceof Error && /\bSORT\b|^NOPERM .*\bsort\b|^ERR unknown command/i.test(cause.message);

const fetchAtOnce = async (client: RedisClient, keys: ListKeys, { offset, limit }: Range): Promise<RawPage> => {
  const [sorted, total] = await Promise.all([
    client.sort(
      keys.index,
      ...['BY', 'nosort', 'DESC', 'LIMIT', String(offset), String(limit)],
      ...['GET', '#', 'GET', `${keys.state}*`, 'GET', `${keys.journal}*`],
    ),
    client.zcard(keys.index),
  ]);
  const values: readonly unknown[] = Array.isArray(sorted) ? sorted : [];
  const listed: Listed[] = [];
  for (let at = 0; at < values.length; at += 3) {
    listed.push({
      member: String(values[at]),
      state: textOf(values[at + 1]),
      journal: textOf(values[at + 2]),
    });
  }
  return { listed, total };
};

const fetchInTwo = async (client: RedisClient, keys: ListKeys, { offset, limit }: Range): Promise<RawPage> => {
  const last = Math.min(offset + limit, Number.MAX_SAFE_INTEGER) - 1;
  const [members, total] = await Promise.all([
    // Ranks below 0 count from the other end.
    last < 0 ? [] : client.zrevrange(keys.index, offset, last),
    client.zcard(keys.index),
  ]);
  if (members.length === 0) return { listed: [], total };
  const strings = await client.mget(
    ...members.flatMap((member) => [`${keys.state}${member}`, `${keys.journal}${member}`]),
  );
  const listed = members.map((member, at) => ({
    member,
    state: textOf(strings[2 * at]),
    journal: textOf(strings[2 * at + 1]),
  }));
  return { listed, total };
};

const decodePage = ({ listed, total }: RawPage): { readonly page: RecordPage; readonly gone: readonly string[] } => {
  const records: SessionRecord[] = [];
  const unreadable: string[] = [];
  const gone: string[] = [];
  for (const { member, state, journal } of listed) {
    const id = unescapeName(member);
    const record = decodeRecord(id, state, journal);
    if (record === 'missing') gone.push(member);
    else if (record === 'corrupt') unreadable.push(id);
    else records.push(record);
  }
  return { page: { records, total, unreadable }, gone };
};
