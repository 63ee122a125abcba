import { ok, type Result } from 'neverthrow';
import { type Made, tidingsOf } from '../../src/events/tidings.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/record.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import { type SessionStatus, sessionStatuses } from '../../src/status.js';
import type {
  AppendOutcome,
  DueSession,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  ListPlace,
  PageRange,
  RecordPage,
  Removal,
  SessionKey,
  SessionStore,
} from '../../src/store.js';
import { MemoryEventLog } from './event-log.js';
import { HistoryLog } from './history-log.js';
import { OrderedIndex } from './ordered-index.js';
import { ownedHead, ownedState } from './owned.js';
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
  /** What no other session has, not even a later one of the same id; empty where nothing is told. */
  readonly birth: string;
  readonly log: HistoryLog;
  /** As it was handed out last. */
  record: SessionRecord;
  /** The number of the last change. */
  sequence: number;
  /** Whether the history has grown since the record was made. */
  grown: boolean;
  /** Where it stands in a list, once a page has ended with it: the same object every time, whose cursor is known. */
  place: ListPlace | undefined;
}

interface Tenant {
  readonly sessions: Map<string, Kept>;
  readonly byCreation: OrderedIndex<Kept>;
  /** Made when somebody asks for the first time. */
  byStatus: Map<SessionStatus, OrderedIndex<Kept>> | undefined;
}

const placeOf = ({ record: { head } }: Kept): ListPlace => head;

const listOrder = (a: Kept, b: Kept): number => newestFirst(a.record.head, b.record.head);

/** The sessions with a status. All are looked through once, and not again. */
const indexOf = (tenant: Tenant, status: SessionStatus): OrderedIndex<Kept> | undefined => {
  if (tenant.byStatus === undefined) {
    const byStatus = new Map(sessionStatuses.map((each) => [each, new OrderedIndex<Kept>(listOrder)]));
    for (const kept of tenant.sessions.values()) byStatus.get(kept.record.state.status)?.insert(kept);
    tenant.byStatus = byStatus;
  }
  return tenant.byStatus.get(status);
};

const deadlineOrder = (a: Kept, b: Kept): number =>
  a.record.state.deadline - b.record.state.deadline ||
  compare(a.tenant, b.tenant) ||
  compare(a.record.head.id, b.record.head.id);

const keyIn = ({ tenant, record }: Kept): SessionKey => ({ tenant, id: record.head.id });

const madeIn = ({ birth, sequence }: Kept): Made => ({ birth, sequence });

const recordOf = (kept: Kept): SessionRecord => {
  if (kept.grown) {
    const { head, state } = kept.record;
    kept.record = Object.freeze({ head, state, history: kept.log.snapshot(), sequence: kept.sequence });
    kept.grown = false;
  }
  return kept.record;
};

/**
 * Keeps sessions in this process: for tests, for hosts with one process, and for sessions that may go when it ends.
 * Every operation is done when its method returns; a call that races another does not exist here.
 */
export class MemorySessionStore implements SessionStore {
  readonly #tenants = new Map<string, Tenant>();
  /** The sessions that have a deadline. A session stands here by it: take it out before its state changes. */
  readonly #deadlines = new OrderedIndex<Kept>(deadlineOrder);
  readonly events: MemoryEventLog | undefined;

  constructor({ events = false }: MemorySessionStoreOptions = {}) {
    const length = typeof events === 'boolean' ? DEFAULT_EVENTS : (events.length ?? DEFAULT_EVENTS);
    this.events = events === false ? undefined : new MemoryEventLog(length >= 1 ? Math.floor(length) : DEFAULT_EVENTS);
  }

  insert(tenant: string, head: SessionHead, state: StateRecord): Result<'inserted' | 'taken', never> {
    const { sessions, byCreation, byStatus } = this.#tenantOf(tenant);
    if (sessions.has(head.id)) return ok('taken');
    const log = new HistoryLog();
    const history = log.snapshot();
    const record = Object.freeze({ head: ownedHead(head), state: ownedState(state), history, sequence: 1 });
    const birth = this.events?.newBirth() ?? '';
    const kept: Kept = { tenant, birth, log, record, sequence: 1, grown: false, place: undefined };
    sessions.set(head.id, kept);
    byCreation.insert(kept);
    byStatus?.get(state.status)?.insert(kept);
    this.#schedule(kept);
    this.events?.tell(keyIn(kept), madeIn(kept), { type: 'created', at: Date.parse(head.createdAt) });
    return ok('inserted');
  }

  find(key: SessionKey): Result<SessionRecord | undefined, never> {
    const kept = this.#keptOf(key);
    return ok(kept && recordOf(kept));
  }

  findState(key: SessionKey): Result<StateRecord | undefined, never> {
    return ok(this.#keptOf(key)?.record.state);
  }

  list(tenant: string, range: PageRange): Result<RecordPage, never> {
    const known = this.#tenants.get(tenant);
    const index = range.status === undefined ? known?.byCreation : known && indexOf(known, range.status);
    if (index === undefined) return ok({ records: [], total: 0, unreadable: [] });
    const { items, total, hasMore } = pageOf(index, placeOf, range);
    const records = items.map(recordOf);
    const last = hasMore ? items.at(-1) : undefined;
    if (last === undefined) return ok({ records, total, unreadable: [] });
    last.place ??= Object.freeze({ id: last.record.head.id, createdAt: last.record.head.createdAt });
    return ok({ records, total, unreadable: [], next: last.place });
  }

  replace(key: SessionKey, next: StateRecord): Result<'replaced' | 'stale' | 'missing', never> {
    const kept = this.#keptOf(key);
    if (kept === undefined) return ok('missing');
    const { head, state, history } = kept.record;
    if (state.revision !== next.revision - 1) return ok('stale');
    this.#unschedule(kept);
    const byStatus = this.#tenants.get(key.tenant)?.byStatus;
    byStatus?.get(state.status)?.remove(kept);
    byStatus?.get(next.status)?.insert(kept);
    kept.sequence += 1;
    kept.record = Object.freeze({ head, state: ownedState(next), history, sequence: kept.sequence });
    this.#schedule(kept);
    this.events?.tell(keyIn(kept), madeIn(kept), tidingsOf(state.status === 'PAUSED', next));
    return ok('replaced');
  }

  append(key: SessionKey, { entries, now, operationId, mostEntries }: HistoryAppend): Result<AppendOutcome, never> {
    const kept = this.#keptOf(key);
    if (kept === undefined) return ok({ outcome: 'missing' });
    const known = operationId === undefined ? undefined : kept.log.positionAfter(operationId);
    if (known !== undefined) return ok({ outcome: 'appended', position: known });
    const { state } = kept.record;
    if (now >= acceptsHistoryUntil(state)) return ok({ outcome: 'closed', state });
    if (mostEntries !== undefined && kept.log.length + entries.length > mostEntries) return ok({ outcome: 'full' });
    kept.grown = true;
    kept.sequence += 1;
    const position = kept.log.append(entries, operationId);
    this.events?.tell(keyIn(kept), madeIn(kept), { type: 'appended', at: now, position });
    return ok({ outcome: 'appended', position });
  }

  findEntries(key: SessionKey, slice: HistorySlice): Result<EntriesOutcome, never> {
    const log = this.#keptOf(key)?.log;
    if (log === undefined) return ok({ outcome: 'missing' });
    const from = 'last' in slice ? Math.max(0, log.length - slice.last) : slice.after;
    if (from < 0 || from > log.length) return ok({ outcome: 'astray' });
    const position = 'last' in slice ? log.length : Math.min(from + slice.limit, log.length);
    const entries = log.slice(from, position);
    return ok({ outcome: 'found', entries, position, hasMore: position < log.length });
  }

  remove(
    key: SessionKey,
    { revision, now = Date.now() }: Removal = {},
  ): Result<'removed' | 'stale' | 'missing', never> {
    const tenant = this.#tenants.get(key.tenant);
    const kept = tenant?.sessions.get(key.id);
    if (tenant === undefined || kept === undefined) return ok('missing');
    if (revision !== undefined && revision !== kept.record.state.revision) return ok('stale');
    this.#unschedule(kept);
    tenant.byCreation.remove(kept);
    tenant.byStatus?.get(kept.record.state.status)?.remove(kept);
    tenant.sessions.delete(key.id);
    if (tenant.sessions.size === 0) this.#tenants.delete(key.tenant);
    kept.sequence += 1;
    this.events?.tell(keyIn(kept), madeIn(kept), { type: 'deleted', at: now });
    return ok('removed');
  }

  due(now: number, limit: number): Result<readonly DueSession[], never> {
    const first = this.#deadlines.slice(0, limit).filter(({ record }) => record.state.deadline <= now);
    return ok(first.map(({ tenant, record: { head, state } }) => ({ tenant, id: head.id, deadline: state.deadline })));
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const tenant: Tenant = {
      sessions: new Map<string, Kept>(),
      byCreation: new OrderedIndex(listOrder),
      byStatus: undefined,
    };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #keptOf({ tenant, id }: SessionKey): Kept | undefined {
    return this.#tenants.get(tenant)?.sessions.get(id);
  }

  #schedule(kept: Kept): void {
    if (kept.record.state.deadline !== Number.POSITIVE_INFINITY) this.#deadlines.insert(kept);
  }

  #unschedule(kept: Kept): void {
    if (kept.record.state.deadline !== Number.POSITIVE_INFINITY) this.#deadlines.remove(kept);
  }
}
