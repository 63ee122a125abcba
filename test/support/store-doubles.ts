import { err, ResultAsync } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { corruptRecord } from '../../src/errors.js';
import type { SessionRecord } from '../../src/session/record.js';
import type {
  Answer,
  EventLog,
  PageRange,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
  StoreError,
} from '../../src/store.js';
import type { StoredPart } from '../../src/testing/index.js';
import { entryJson } from '../../src/wire.js';

/** `inner` with some of its methods changed. */
export const changed = (inner: SessionStore, changes: Partial<SessionStore>): SessionStore => ({
  insert: (tenant, head, state) => inner.insert(tenant, head, state),
  find: (key) => inner.find(key),
  findState: (key) => inner.findState(key),
  list: (tenant, page) => inner.list(tenant, page),
  replace: (key, next) => inner.replace(key, next),
  append: (key, append) => inner.append(key, append),
  findEntries: (key, slice) => inner.findEntries(key, slice),
  remove: (key, removal) => inner.remove(key, removal),
  due: (now, limit) => inner.due(now, limit),
  ...changes,
});

/** A record whose history is kept as text. */
export const encodedRecord = (record: SessionRecord): SessionRecord => {
  const { head, state, history, sequence } = record;
  if ('json' in history) return record;
  const text = `[${history.map(entryJson).join(',\n')}\n]`;
  return { head, state, history: { entries: () => JSON.parse(text), json: () => text }, sequence };
};

const later = <T>(answer: Answer<T, StoreError>): ResultAsync<T, StoreError> =>
  new ResultAsync(Promise.resolve(answer));

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

/** A store that answers later, keeps its histories as text, and can be damaged: all that a store behind a network is. */
export class TextSessionStore implements SessionStore {
  readonly events: EventLog | undefined;
  readonly #inner: MemorySessionStore;
  readonly #damaged = new Map<string, StoredPart>();

  constructor(inner = new MemorySessionStore()) {
    this.#inner = inner;
    this.events = inner.events;
  }

  damage(key: SessionKey, part: StoredPart): void {
    this.#damaged.set(labelOf(key), part);
  }

  insert(...args: Parameters<SessionStore['insert']>) {
    return later(this.#inner.insert(...args));
  }

  find(key: SessionKey) {
    return this.#unlessDamaged(key, ['state', 'head', 'history'], () =>
      later(this.#inner.find(key)).map((record) => record && encodedRecord(record)),
    );
  }

  findState(key: SessionKey) {
    return this.#unlessDamaged(key, ['state'], () => later(this.#inner.findState(key)));
  }

  list(tenant: string, range: PageRange) {
    return later(this.#inner.list(tenant, range)).map(
      ({ records, ...page }): RecordPage => ({
        ...page,
        records: records.filter(({ head }) => !this.#isDamaged(tenant, head.id)).map(encodedRecord),
        unreadable: records.map(({ head }) => head.id).filter((id) => this.#isDamaged(tenant, id)),
      }),
    );
  }

  replace(...[key, next]: Parameters<SessionStore['replace']>) {
    return this.#unlessDamaged(key, ['state'], () => later(this.#inner.replace(key, next)));
  }

  append(...[key, append]: Parameters<SessionStore['append']>) {
    return this.#unlessDamaged(key, ['state'], () => later(this.#inner.append(key, append)));
  }

  findEntries(...[key, slice]: Parameters<SessionStore['findEntries']>) {
    return this.#unlessDamaged(key, ['state', 'history'], () => later(this.#inner.findEntries(key, slice)));
  }

  remove(key: SessionKey, removal?: Removal) {
    this.#damaged.delete(labelOf(key));
    return later(this.#inner.remove(key, removal));
  }

  due(now: number, limit: number) {
    return later(this.#inner.due(now, limit));
  }

  #isDamaged(tenant: string, id: string): boolean {
    return this.#damaged.has(labelOf({ tenant, id }));
  }

  #unlessDamaged<T>(key: SessionKey, parts: readonly StoredPart[], operation: () => ResultAsync<T, StoreError>) {
    const part = this.#damaged.get(labelOf(key));
    return part !== undefined && parts.includes(part)
      ? new ResultAsync<T, StoreError>(Promise.resolve(err(corruptRecord(key.id, `its ${part} is damaged`))))
      : operation();
  }
}
