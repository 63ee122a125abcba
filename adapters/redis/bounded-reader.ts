import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import type { SessionStatus } from '../../src/status.js';
import type { ListPlace, PageRange, RecordPage, SessionKey, StoreError } from '../../src/store.js';
import { escapeName, unescapeName } from './keys.js';
import { listScript } from './list-script.js';
import type { StoreParts } from './parts.js';
import type { ReadRecord } from './record-reader.js';

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

/** Whether a session that was found by its status has another one by now. */
const isOther = (record: ReadRecord, status: SessionStatus | undefined): boolean =>
  typeof record === 'object' && status !== undefined && record.state.status !== status;

const noStatuses = storeUnavailable('RedisSessionStore: lists by status need its option statusIndex', 'not_applied');

/** Nothing where a hand has put a time into the index that is none: `repair` mends it. */
const placeOf = (id: string | undefined, score: unknown): ListPlace | undefined => {
  const time = new Date(score === '' ? Number.NaN : Number(score));
  return id === undefined || Number.isNaN(time.getTime()) ? undefined : { id, createdAt: time.toISOString() };
};

const stringsOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

/** Reads pages by script: between any bounds, with the names of what is missing or cannot be read, at one instant. */
export class BoundedReader {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async read(tenant: string, range: PageRange, end: number): Promise<Result<RecordPage, StoreError>> {
    const { status } = range;
    if (status !== undefined && !this.#parts.statuses.isOn) return err(noStatuses);
    const { index: all, state, journal } = this.#parts.keys.list(tenant);
    const index = status === undefined ? all : this.#parts.keys.status(tenant, status);
    const args = argumentsOf(range);
    for (let round = 1; ; round += 1) {
      const reply = await this.#parts.connection.ask(listScript, [index, state, journal], args, end);
      if (reply.isErr()) return err(reply.error.error);
      const [total, last, members, ...strings] = stringsOf(reply.value);
      const risen = this.#found(stringsOf(members), strings.flatMap(stringsOf));
      const found = range.order === 'oldest' ? risen : risen.toReversed();
      const gone = found.filter(({ record }) => record === 'missing' || isOther(record, status));
      if (gone.length === 0 || round === ROUNDS) {
        const next = placeOf(found.at(-1)?.id, last);
        return ok({
          records: found
            .filter(({ record }) => !isOther(record, status))
            .map(({ record }) => record)
            .filter((record) => typeof record === 'object'),
          total: Number(total),
          unreadable: found.filter(({ record }) => record === 'corrupt').map(({ id }) => id),
          ...(next === undefined ? {} : { next }),
        });
      }
      // A crash has left the index ahead of its sessions; the next reader tries again where this one fails.
      await Promise.all(gone.map(({ id }) => this.#mend({ tenant, id }, status, end)));
    }
  }

  async #mend(key: SessionKey, status: SessionStatus | undefined, end: number): Promise<void> {
    if (status === undefined) await this.#parts.leftovers.clear(key, end);
    else await this.#parts.statuses.leave(key, [status], end);
  }

  #found(members: readonly unknown[], strings: readonly unknown[]): readonly Found[] {
    return members.map((member, at) => {
      const id = unescapeName(String(member));
      return { id, record: this.#parts.records.readOf(id, textOf(strings[2 * at]), textOf(strings[2 * at + 1])) };
    });
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
