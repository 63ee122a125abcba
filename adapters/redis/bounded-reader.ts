import { err, ok, type Result } from 'neverthrow';
import type { ListPlace, PageRange, RecordPage, StoreError } from '../../src/store.js';
import type { Connection } from './connection.js';
import { escapeName, type Keyspace, unescapeName } from './keys.js';
import type { Leftovers } from './leftovers.js';
import { listScript } from './list-script.js';
import type { ReadRecord, RecordReader } from './record-reader.js';

interface Found {
  readonly id: string;
  readonly record: ReadRecord;
}

/** So often a page is read anew because the index named sessions that are no more. */
const ROUNDS = 3;

const timeOf = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

const argumentsOf = ({ offset, limit, order, createdAfter, createdBefore, after }: PageRange): readonly string[] => [
  order ?? 'newest',
  ...[timeOf(createdAfter), timeOf(createdBefore)],
  ...[timeOf(after?.createdAt), after === undefined ? '' : escapeName(after.id)],
  ...[String(offset), String(limit)],
];

/** Nothing where a hand has put a time into the index that is none: `repair` mends it. */
const placeOf = (id: string | undefined, score: unknown): ListPlace | undefined => {
  const time = new Date(score === '' ? Number.NaN : Number(score));
  return id === undefined || Number.isNaN(time.getTime()) ? undefined : { id, createdAt: time.toISOString() };
};

const stringsOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

/** Reads pages by script: between any bounds, with the names of what is missing or cannot be read, at one instant. */
export class BoundedReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #records: RecordReader;
  readonly #leftovers: Leftovers;

  constructor(connection: Connection, keys: Keyspace, records: RecordReader, leftovers: Leftovers) {
    this.#connection = connection;
    this.#keys = keys;
    this.#records = records;
    this.#leftovers = leftovers;
  }

  async read(tenant: string, range: PageRange, end: number): Promise<Result<RecordPage, StoreError>> {
    const { index, state, journal } = this.#keys.list(tenant);
    const args = argumentsOf(range);
    for (let round = 1; ; round += 1) {
      const reply = await this.#connection.ask(listScript, [index, state, journal], args, end);
      if (reply.isErr()) return err(reply.error.error);
      const [total, last, members, ...strings] = stringsOf(reply.value);
      const risen = this.#found(stringsOf(members), strings.flatMap(stringsOf));
      const found = range.order === 'oldest' ? risen : risen.toReversed();
      const gone = found.filter(({ record }) => record === 'missing');
      if (gone.length === 0 || round === ROUNDS) {
        const next = placeOf(found.at(-1)?.id, last);
        return ok({
          records: found.map(({ record }) => record).filter((record) => typeof record === 'object'),
          total: Number(total),
          unreadable: found.filter(({ record }) => record === 'corrupt').map(({ id }) => id),
          ...(next === undefined ? {} : { next }),
        });
      }
      // A crash has left the index ahead of its sessions; the next reader tries again where this one fails.
      await Promise.all(gone.map(({ id }) => this.#leftovers.clear({ tenant, id }, end)));
    }
  }

  #found(members: readonly unknown[], strings: readonly unknown[]): readonly Found[] {
    return members.map((member, at) => {
      const id = unescapeName(String(member));
      return { id, record: this.#records.readOf(id, textOf(strings[2 * at]), textOf(strings[2 * at + 1])) };
    });
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
