import { err, ResultAsync } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import { corruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type {
  Answer,
  ClaimedRecords,
  ClaimRange,
  DueKey,
  EventLog,
  PageRange,
  ReadSize,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
  WaitingRange,
} from '../../src/store/session-store.js';
import type { StoredPart } from '../../src/testing/index.js';

/** `inner` with some of its methods changed. */
export const changed = (inner: SessionStore, changes: Partial<SessionStore>): SessionStore => ({
  insert: (...args) => inner.insert(...args),
  find: (...args) => inner.find(...args),
  findState: (key) => inner.findState(key),
  list: (...args) => inner.list(...args),
  replace: (...args) => inner.replace(...args),
  append: (key, append) => inner.append(key, append),
  redact: (...args) => inner.redact(...args),
  findEntries: (key, slice) => inner.findEntries(key, slice),
  remove: (key, removal) => inner.remove(key, removal),
  due: (...args) => inner.due(...args),
  reschedule: (...args) => inner.reschedule(...args),
  claim: (range) => inner.claim(range),
  countWaiting: (range) => inner.countWaiting(range),
  reportsEnds: () => inner.reportsEnds(),
  ...changes,
});

const later = <T, E = never>(answer: Answer<T, StoreError | E>): ResultAsync<T, StoreError | E> =>
  new ResultAsync(Promise.resolve(answer));

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

/** A store that answers later and can be damaged, as one after a network. */
export class TextSessionStore implements SessionStore {
  readonly events: EventLog | undefined;
  readonly #inner: SessionStore;
  readonly #damaged = new Map<string, StoredPart>();

  constructor(inner: SessionStore = new MemorySessionStore()) {
    this.#inner = inner;
    this.events = inner.events;
  }

  damage(key: SessionKey, part: StoredPart): void {
    this.#damaged.set(labelOf(key), part);
  }

  insert(...args: Parameters<SessionStore['insert']>) {
    return later(this.#inner.insert(...args));
  }

  find(
    key: SessionKey,
    size?: ReadSize,
  ): ResultAsync<SessionRecord | undefined, StoreError | TooLarge> {
    return this.#unlessDamaged(key, ['state', 'head', 'history'], () =>
      later(this.#inner.find(key, size)),
    );
  }

  reportsEnds() {
    return later(this.#inner.reportsEnds());
  }

  findState(key: DueKey) {
    return this.#unlessDamaged(key, ['state'], () => later(this.#inner.findState(key)));
  }

  list(
    tenant: string,
    range: PageRange,
  ): ResultAsync<RecordPage, StoreError | SearchTooLarge | TooLarge> {
    return later(this.#inner.list(tenant, range)).map(
      ({ records, ...page }): RecordPage => ({
        ...page,
        records: records.filter(({ head }) => !this.#isDamaged(tenant, head.id)),
        unreadable: records.map(({ head }) => head.id).filter((id) => this.#isDamaged(tenant, id)),
      }),
    );
  }

  replace(...args: Parameters<SessionStore['replace']>) {
    return this.#unlessDamaged(args[0], ['state'], () => later(this.#inner.replace(...args)));
  }

  append(...[key, append]: Parameters<SessionStore['append']>) {
    return this.#unlessDamaged(key, ['state'], () => later(this.#inner.append(key, append)));
  }

  redact(...[key, positions, now]: Parameters<SessionStore['redact']>) {
    return this.#unlessDamaged(key, ['state', 'history'], () =>
      later(this.#inner.redact(key, positions, now)),
    );
  }

  findEntries(...[key, slice]: Parameters<SessionStore['findEntries']>) {
    return this.#unlessDamaged(key, ['state', 'history'], () =>
      later(this.#inner.findEntries(key, slice)),
    );
  }

  remove(key: DueKey, removal?: Removal) {
    this.#damaged.delete(labelOf(key));
    return later(this.#inner.remove(key, removal));
  }

  claim(range: ClaimRange) {
    return later(this.#inner.claim(range)).map(({ sessions, failed, ...rest }): ClaimedRecords => {
      const damaged = sessions.filter(({ tenant, id }) => this.#isDamaged(tenant, id));
      return {
        ...rest,
        sessions: sessions.filter((each) => !damaged.includes(each)),
        failed: [...failed, ...damaged.map(({ id }) => corruptRecord(id, 'it is damaged'))],
      };
    });
  }

  countWaiting(range: WaitingRange) {
    return later(this.#inner.countWaiting(range));
  }

  due(now: number, limit: number) {
    return later(this.#inner.due(now, limit));
  }

  reschedule(...args: Parameters<SessionStore['reschedule']>) {
    return later(this.#inner.reschedule(...args));
  }

  #isDamaged(tenant: string, id: string): boolean {
    return this.#damaged.has(labelOf({ tenant, id }));
  }

  #unlessDamaged<T, E>(
    key: SessionKey,
    parts: readonly StoredPart[],
    operation: () => ResultAsync<T, E>,
  ): ResultAsync<T, StoreError | E> {
    const part = this.#damaged.get(labelOf(key));
    return part !== undefined && parts.includes(part)
      ? new ResultAsync<T, StoreError | E>(
          Promise.resolve(err(corruptRecord(key.id, `its ${part} is damaged`))),
        )
      : operation();
  }
}
