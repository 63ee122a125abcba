import { err, ok, okAsync, ResultAsync } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import { corruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import {
  type BeginCommit,
  type ChangeCommit,
  type Changed,
  isMove,
  isRedaction,
  isStateChange,
  type Move,
  type Redaction,
  type RemoveCommit,
  type StateChange,
  type UseChange,
} from '../../src/store/commit.js';
import type {
  Answer,
  DueKey,
  EventLog,
  PageRange,
  ReadSize,
  RecordPage,
  SessionKey,
  SessionStore,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import type { StoredPart } from '../../src/testing/index.js';

/** Replacements for methods of a store, and for its kinds of `change`. */
export interface Changes extends Partial<SessionStore> {
  /** Changes of a state, and rewinds. */
  readonly put?: (commit: StateChange) => Answer<Changed, StoreError>;
  /** Appends and messages. */
  readonly use?: (commit: UseChange) => Answer<Changed, StoreError>;
  readonly redact?: (commit: Redaction) => Answer<Changed, StoreError>;
  readonly move?: (commit: Move) => Answer<Changed, StoreError>;
}

export const changed = (
  inner: SessionStore,
  { put, use, redact, move, ...changes }: Changes,
): SessionStore => ({
  begin: (commit) => inner.begin(commit),
  change: (commit) => {
    if (isMove(commit)) return move?.(commit) ?? inner.change(commit);
    if (isRedaction(commit)) return redact?.(commit) ?? inner.change(commit);
    if (isStateChange(commit)) return put?.(commit) ?? inner.change(commit);
    return use?.(commit) ?? inner.change(commit);
  },
  remove: (commit) => inner.remove(commit),
  take: (range) => inner.take(range),
  find: (...args) => inner.find(...args),
  findState: (key) => inner.findState(key),
  entries: (...args) => inner.entries(...args),
  messages: (...args) => inner.messages(...args),
  page: (...args) => inner.page(...args),
  due: (...args) => inner.due(...args),
  countWaiting: (range) => inner.countWaiting(range),
  reportsEnds: () => inner.reportsEnds(),
  ...changes,
});

/** The refusal of a state change after a rival's change. */
export const staleOf = ({ effects }: StateChange) =>
  ok<Changed>({ outcome: 'refused', guard: 'revision', state: effects.put.previous });

const later = <T, E = never>(answer: Answer<T, StoreError | E>): ResultAsync<T, StoreError | E> =>
  new ResultAsync(Promise.resolve(answer));

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

/** An asynchronous store with damageable records, like a remote one. */
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

  begin(commit: BeginCommit) {
    return later(this.#inner.begin(commit));
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

  page(
    tenant: string,
    range: PageRange,
  ): ResultAsync<RecordPage, StoreError | SearchTooLarge | TooLarge> {
    return later(this.#inner.page(tenant, range)).map(
      ({ records, ...page }): RecordPage => ({
        ...page,
        records: records.filter(({ head }) => !this.#isDamaged(tenant, head.id)),
        unreadable: records.map(({ head }) => head.id).filter((id) => this.#isDamaged(tenant, id)),
      }),
    );
  }

  change(commit: ChangeCommit) {
    const parts: readonly StoredPart[] = isRedaction(commit) ? ['state', 'history'] : ['state'];
    // A damaged session can still be moved.
    const isBlind = isMove(commit) && commit.guards.revision === undefined;
    return this.#unlessDamaged(commit.key, isBlind ? [] : parts, () =>
      later(this.#inner.change(commit)),
    );
  }

  entries(...[key, slice]: Parameters<SessionStore['entries']>) {
    return this.#unlessDamaged(key, ['state', 'history'], () =>
      later(this.#inner.entries(key, slice)),
    );
  }

  messages(...[key, ids]: Parameters<SessionStore['messages']>) {
    return later(this.#inner.messages(key, ids)).andThen((found) =>
      found.some(({ entry }) => entry !== undefined)
        ? this.#unlessDamaged(key, ['inbox'], () => okAsync(found))
        : okAsync(found),
    );
  }

  remove(commit: RemoveCommit) {
    this.#damaged.delete(labelOf(commit.key));
    return later(this.#inner.remove(commit));
  }

  take(range: TakeRange) {
    return later(this.#inner.take(range)).map(({ sessions, failed, ...rest }): TakenRecords => {
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

  #isDamaged(tenant: string, id: string): boolean {
    const part = this.#damaged.get(labelOf({ tenant, id }));
    return part !== undefined && part !== 'inbox';
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
