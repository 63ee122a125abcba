import { err, ok, type Result } from 'neverthrow';
import { type Tidings, tidingsOf } from '../../src/events/tidings.js';
import { type OptionNames, readOptions } from '../../src/input/read-options.js';
import { isFields, readWhole } from '../../src/input/values.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/record.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import type { SessionStatus } from '../../src/status.js';
import type {
  Admit,
  AppendOutcome,
  DueSessions,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
  StatusAt,
} from '../../src/store.js';
import { copyHead, copyState } from './copies.js';
import { CorrectedIndex, type Ranked } from './corrected-index.js';
import { MemoryEventLog } from './event-log.js';
import { HistoryLog } from './history-log.js';
import { jsonBytes } from './json-bytes.js';
import { OrderedIndex } from './ordered-index.js';
import { compare, newestFirst, pageOf } from './page-of.js';

/** What a `MemorySessionStore` is made with. */
export interface MemorySessionStoreOptions {
  /** Whether changes are told. It keeps the last `length` events, at least 1, 100000 unless given. Default: no. */
  readonly events?: boolean | { readonly length?: number };
}

const DEFAULT_EVENTS = 100_000;

/** What is kept of one session. */
interface Kept {
  readonly tenant: string;
  readonly head: SessionHead;
  /** Bytes of the head's JSON, about. */
  readonly headBytes: number;
  /** What no other session has, not even a later one of the same id; empty where nothing is told. */
  readonly birth: string;
  readonly firstRevision: number;
  readonly log: HistoryLog;
  state: StateRecord;
  isRemoved: boolean;
}

/** The sessions of one tenant, and the indexes that its lists are read from. */
interface Tenant {
  readonly sessions: Map<string, Kept>;
  readonly byCreation: OrderedIndex<Kept>;
  readonly byStatus: Readonly<Record<SessionStatus, OrderedIndex<Kept>>>;
  readonly byDeadline: OrderedIndex<Kept>;
}

const creationOrder = (a: Kept, b: Kept): number => newestFirst(a.head, b.head);

const deadlineOrder = (a: Kept, b: Kept): number =>
  a.state.deadline - b.state.deadline || compare(a.tenant, b.tenant) || compare(a.head.id, b.head.id);

const newTenant = (): Tenant => ({
  sessions: new Map(),
  byCreation: new OrderedIndex(creationOrder),
  byStatus: {
    IDLE: new OrderedIndex(creationOrder),
    ACTIVE: new OrderedIndex(creationOrder),
    PAUSED: new OrderedIndex(creationOrder),
    TERMINATED: new OrderedIndex(creationOrder),
  },
  byDeadline: new OrderedIndex(deadlineOrder),
});

const isDueBy =
  (now: number) =>
  ({ state }: Kept): boolean =>
    state.deadline <= now;

/** The tenant's sessions that have a status at a time: the clock may have ended some that nobody has written down. */
const withStatus = ({ byStatus, byDeadline }: Tenant, { status, now }: StatusAt): Ranked<Kept> => {
  const due = byDeadline.slice(0, byDeadline.leading(isDueBy(now)));
  const ended = due.filter(({ state }) => state.status !== 'TERMINATED');
  if (ended.length === 0) return byStatus[status];
  return status === 'TERMINATED'
    ? new CorrectedIndex(byStatus[status], creationOrder, [], ended)
    : new CorrectedIndex(
        byStatus[status],
        creationOrder,
        ended.filter(({ state }) => state.status === status),
        [],
      );
};

const headBytes = ({ id, options: { face, profile, context, behavior }, createdAt }: SessionHead): number =>
  [id, face, profile, context, behavior, createdAt].map(jsonBytes).reduce((sum, bytes) => sum + bytes, 128);

const keyOf = ({ tenant, head }: Kept): SessionKey => ({ tenant, id: head.id });

/** The number of the last change: each state and each append counts on by one. */
const sequenceOf = ({ state, firstRevision, log, isRemoved }: Kept): number =>
  state.revision - firstRevision + 1 + log.appends + (isRemoved ? 1 : 0);

const historyStart = ({ log }: Kept, { historyLimit = log.length }: ReadSize): number =>
  Math.max(0, log.length - historyLimit);

const bytesOf = (kept: Kept, size: ReadSize): number => kept.headBytes + kept.log.bytes(historyStart(kept, size));

const recordOf = (kept: Kept, size: ReadSize): SessionRecord => ({
  head: copyHead(kept.head),
  state: copyState(kept.state),
  history: kept.log.slice(historyStart(kept, size)),
  historyCount: kept.log.length,
  sequence: sequenceOf(kept),
});

const optionNames: OptionNames<MemorySessionStoreOptions> = { events: { length: true } };

const readEventsLength = (options: MemorySessionStoreOptions): number | undefined =>
  readOptions('MemorySessionStore', options, optionNames, (issues) => {
    const { events = false } = options;
    if (typeof events === 'boolean') return events ? DEFAULT_EVENTS : undefined;
    issues.check(isFields(events), 'events', 'must be true, false or { length }');
    return isFields(events) ? readWhole(issues, 'events.length', events.length ?? DEFAULT_EVENTS, 1) : undefined;
  });

/**
 * Keeps sessions in this process: for tests, for hosts with one process, and for sessions that may go when it ends.
 * Every operation is done when its method returns; a call that races another does not exist here.
 */
export class MemorySessionStore implements SessionStore {
  readonly #tenants = new Map<string, Tenant>();
  /** The sessions of all tenants that have a deadline. A session stands here by it: take it out before its state changes. */
  readonly #byDeadline = new OrderedIndex<Kept>(deadlineOrder);
  readonly events: MemoryEventLog | undefined;

  /** Throws a `TypeError` that names every option which breaks a rule or is unknown. */
  constructor(options: MemorySessionStoreOptions = {}) {
    const length = readEventsLength(options);
    this.events = length === undefined ? undefined : new MemoryEventLog(length);
  }

  insert(name: string, head: SessionHead, state: StateRecord): Result<'inserted' | 'taken', never> {
    const tenant = this.#tenants.get(name) ?? newTenant();
    if (tenant.sessions.has(head.id)) return ok('taken');
    this.#tenants.set(name, tenant);
    const kept: Kept = {
      tenant: name,
      head: copyHead(head),
      headBytes: headBytes(head),
      birth: this.events?.newBirth() ?? '',
      firstRevision: state.revision,
      log: new HistoryLog(),
      state: copyState(state),
      isRemoved: false,
    };
    tenant.sessions.set(head.id, kept);
    tenant.byCreation.insert(kept);
    this.#index(tenant, kept);
    this.#tell(kept, { type: 'created', at: Date.parse(head.createdAt) });
    return ok('inserted');
  }

  find<E = never>(key: SessionKey, size: ReadSize = {}, admit?: Admit<E>): Result<SessionRecord | undefined, E> {
    const kept = this.#keptOf(key);
    if (kept === undefined) return ok(undefined);
    const refusal = admit?.(bytesOf(kept, size), 1);
    return refusal === undefined ? ok(recordOf(kept, size)) : err(refusal);
  }

  findState(key: SessionKey): Result<StateRecord | undefined, never> {
    const kept = this.#keptOf(key);
    return ok(kept && copyState(kept.state));
  }

  list<E = never>(name: string, range: PageRange, admit?: Admit<E>): Result<RecordPage, E> {
    const tenant = this.#tenants.get(name);
    if (tenant === undefined) return ok({ records: [], total: 0, unreadable: [] });
    const index = range.status === undefined ? tenant.byCreation : withStatus(tenant, range.status);
    const { items, total, hasMore } = pageOf(index, ({ head }) => head, range);
    const bytes = items.reduce((sum, kept) => sum + bytesOf(kept, range), 0);
    const refusal = items.length === 0 ? undefined : admit?.(bytes, items.length);
    if (refusal !== undefined) return err(refusal);
    const page = { records: items.map((kept) => recordOf(kept, range)), total, unreadable: [] };
    const last = hasMore ? items.at(-1) : undefined;
    return ok(last === undefined ? page : { ...page, next: { id: last.head.id, createdAt: last.head.createdAt } });
  }

  replace(key: SessionKey, next: StateRecord): Result<'replaced' | 'stale' | 'missing', never> {
    const tenant = this.#tenants.get(key.tenant);
    const kept = tenant?.sessions.get(key.id);
    if (tenant === undefined || kept === undefined) return ok('missing');
    const { state } = kept;
    if (state.revision !== next.revision - 1) return ok('stale');
    this.#unindex(tenant, kept);
    kept.state = copyState(next);
    this.#index(tenant, kept);
    this.#tell(kept, tidingsOf(state.status === 'PAUSED', next));
    return ok('replaced');
  }

  append(key: SessionKey, { entries, now, operationId, mostEntries }: HistoryAppend): Result<AppendOutcome, never> {
    const kept = this.#keptOf(key);
    if (kept === undefined) return ok({ outcome: 'missing' });
    const { state, log } = kept;
    const known = operationId === undefined ? undefined : log.positionAfter(operationId);
    if (known !== undefined) return ok({ outcome: 'appended', position: known });
    if (now >= acceptsHistoryUntil(state)) return ok({ outcome: 'closed', state: copyState(state) });
    if (mostEntries !== undefined && log.length + entries.length > mostEntries) return ok({ outcome: 'full' });
    const position = log.append(entries, operationId);
    this.#tell(kept, { type: 'appended', at: now, position });
    return ok({ outcome: 'appended', position });
  }

  findEntries(key: SessionKey, slice: HistorySlice): Result<EntriesOutcome, never> {
    const log = this.#keptOf(key)?.log;
    if (log === undefined) return ok({ outcome: 'missing' });
    const { maxBytes = Number.POSITIVE_INFINITY } = slice;
    if ('last' in slice) {
      let from = Math.max(0, log.length - slice.last);
      while (from < log.length - 1 && log.bytes(from) > maxBytes) from += 1;
      return ok({ outcome: 'found', entries: log.slice(from), position: log.length, hasMore: false });
    }
    const { after, limit } = slice;
    if (after < 0 || after > log.length) return ok({ outcome: 'astray' });
    let position = Math.min(after + limit, log.length);
    while (position > after + 1 && log.bytes(after, position) > maxBytes) position -= 1;
    const entries = log.slice(after, position);
    return ok({ outcome: 'found', entries, position, hasMore: position < log.length });
  }

  remove(
    key: SessionKey,
    { revision, now = Date.now() }: Removal = {},
  ): Result<'removed' | 'stale' | 'missing', never> {
    const tenant = this.#tenants.get(key.tenant);
    const kept = tenant?.sessions.get(key.id);
    if (tenant === undefined || kept === undefined) return ok('missing');
    if (revision !== undefined && revision !== kept.state.revision) return ok('stale');
    this.#unindex(tenant, kept);
    tenant.byCreation.remove(kept);
    tenant.sessions.delete(key.id);
    if (tenant.sessions.size === 0) this.#tenants.delete(key.tenant);
    kept.isRemoved = true;
    this.#tell(kept, { type: 'deleted', at: now });
    return ok('removed');
  }

  due(now: number, limit: number): Result<DueSessions, never> {
    const due = this.#byDeadline.slice(0, Math.min(limit, this.#byDeadline.leading(isDueBy(now))));
    return ok({ sessions: due.map((kept) => ({ ...keyOf(kept), deadline: kept.state.deadline })), failed: [] });
  }

  #keptOf({ tenant, id }: SessionKey): Kept | undefined {
    return this.#tenants.get(tenant)?.sessions.get(id);
  }

  #index({ byStatus, byDeadline }: Tenant, kept: Kept): void {
    byStatus[kept.state.status].insert(kept);
    if (kept.state.deadline === Number.POSITIVE_INFINITY) return;
    byDeadline.insert(kept);
    this.#byDeadline.insert(kept);
  }

  #unindex({ byStatus, byDeadline }: Tenant, kept: Kept): void {
    byStatus[kept.state.status].remove(kept);
    byDeadline.remove(kept);
    this.#byDeadline.remove(kept);
  }

  #tell(kept: Kept, tidings: Tidings): void {
    const { birth } = kept;
    this.events?.tell(keyOf(kept), { birth, sequence: sequenceOf(kept) }, tidings);
  }
}
