import { err, ok, type Result } from 'neverthrow';
import { changeDetailOf, type EventDetail } from '../../src/events/event-detail.js';
import { type OptionNames, readOptions } from '../../src/input/read-options.js';
import { isFields, readWhole } from '../../src/input/values.js';
import { decideAppend } from '../../src/session/decide-append.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import { endsAt, owesEnd } from '../../src/session/timeline.js';
import type {
  ActiveLimit,
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
  Replaced,
  Rescheduling,
  SessionKey,
  SessionStore,
  UnleasedPage,
  UnleasedRange,
} from '../../src/store/session-store.js';
import { frozenState } from './copies.js';
import { DueTenants } from './due-tenants.js';
import { MemoryEndQueue } from './memory-end-queue.js';
import { MemoryEventLog } from './memory-event-log.js';
import { bytesOf, keyOf, newSession, recordOf, type StoredSession, sequenceOf } from './stored-session.js';
import { TenantSessions } from './tenant-sessions.js';

/** Options of a `MemorySessionStore`. */
export interface MemorySessionStoreOptions {
  /** Enables events. The store keeps the last `length` events, at least 1, by default 100000. Default: no events. */
  readonly events?:
    | boolean
    | {
        /** Number of the latest events that are kept, at least 1. Default: 100000. */
        readonly length?: number;
      };
}

const DEFAULT_EVENTS = 100_000;

const optionNames: OptionNames<MemorySessionStoreOptions> = { events: { length: true } };

const readEventsLength = (options: MemorySessionStoreOptions): number | undefined =>
  readOptions('MemorySessionStore', options, optionNames, (issues) => {
    const { events = false } = options;
    if (typeof events === 'boolean') return events ? DEFAULT_EVENTS : undefined;
    issues.check(isFields(events), 'events', 'must be true, false or { length }');
    return isFields(events) ? readWhole(issues, 'events.length', events.length ?? DEFAULT_EVENTS, 1) : undefined;
  });

/**
 * Keeps sessions in this process: for tests, for hosts with one process, and for sessions that may be lost when it ends.
 * Every call is complete when its method returns, so calls never race.
 */
export class MemorySessionStore implements SessionStore {
  readonly #tenants = new Map<string, TenantSessions>();
  readonly #dueTenants = new DueTenants();
  readonly events: MemoryEventLog | undefined;
  readonly ends = new MemoryEndQueue((session) => this.#move(session, session.state.deadline));

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: MemorySessionStoreOptions = {}) {
    const length = readEventsLength(options);
    this.events = length === undefined ? undefined : new MemoryEventLog(length);
  }

  insert(name: string, head: SessionHead, state: StateRecord): Result<'inserted' | 'taken', never> {
    const tenant = this.#tenants.get(name) ?? new TenantSessions();
    if (tenant.get(head.id) !== undefined) return ok('taken');
    this.#tenants.set(name, tenant);
    const session = newSession(name, head, state, this.events?.newBirth() ?? '');
    this.#change(name, tenant, () => tenant.add(session));
    this.#log(session, { type: 'created', at: Date.parse(head.createdAt) });
    return ok('inserted');
  }

  find<E = never>(key: SessionKey, size: ReadSize = {}, admit?: Admit<E>): Result<SessionRecord | undefined, E> {
    const session = this.#sessionOf(key);
    if (session === undefined) return ok(undefined);
    const refusal = admit?.(bytesOf(session, size), 1);
    return refusal === undefined ? ok(recordOf(session, size)) : err(refusal);
  }

  findState(key: SessionKey): Result<StateRecord | undefined, never> {
    const session = this.#sessionOf(key);
    return ok(session?.state);
  }

  list<E = never>(name: string, range: PageRange, admit?: Admit<E>): Result<RecordPage, E> {
    const tenant = this.#tenants.get(name);
    if (tenant === undefined) return ok({ records: [], total: 0, unreadable: [] });
    const { items, total, hasMore } = tenant.page(range);
    const bytes = items.reduce((sum, session) => sum + bytesOf(session, range), 0);
    const refusal = items.length === 0 ? undefined : admit?.(bytes, items.length);
    if (refusal !== undefined) return err(refusal);
    const page = { records: items.map((session) => recordOf(session, range)), total, unreadable: [] };
    const last = hasMore ? items.at(-1) : undefined;
    return ok(last === undefined ? page : { ...page, next: { id: last.head.id, createdAt: last.head.createdAt } });
  }

  replace(key: SessionKey, next: StateRecord, active?: ActiveLimit): Result<Replaced, never> {
    const tenant = this.#tenants.get(key.tenant);
    const session = tenant?.get(key.id);
    if (tenant === undefined || session === undefined) return ok('missing');
    const { state } = session;
    if (state.revision !== next.revision - 1) return ok('stale');
    if (active !== undefined && tenant.activeAt(active.now) >= active.sessions) return ok('too_many');
    const isEnd = next.status === 'TERMINATED' && owesEnd(state);
    const { lastActivityAt } = state;
    const stored = frozenState(lastActivityAt > next.lastActivityAt ? { ...next, lastActivityAt } : next);
    const dueAt = isEnd || session.endId !== undefined ? Number.POSITIVE_INFINITY : endsAt(stored);
    this.#change(key.tenant, tenant, () => tenant.change(session, stored, dueAt));
    if (isEnd) this.ends.add(session, next.since);
    const detail = changeDetailOf(state, next);
    if (detail === undefined) session.firstRevision += 1;
    else this.#log(session, detail);
    return ok('replaced');
  }

  append(key: SessionKey, append: HistoryAppend): Result<AppendOutcome, never> {
    const { entries, now, operation } = append;
    const session = this.#sessionOf(key);
    if (session === undefined) return ok({ outcome: 'missing' });
    const { state, log } = session;
    const known = operation && log.find(operation.id);
    const decided = decideAppend({ state, entries: log.length, known }, append);
    if (decided !== undefined) return ok(decided);
    const position = log.append(entries, operation);
    if (now > state.lastActivityAt) this.#use(session, Object.freeze({ ...state, lastActivityAt: now }));
    this.#log(session, { type: 'appended', at: now, position });
    return ok({ outcome: 'appended', position });
  }

  findEntries(key: SessionKey, slice: HistorySlice): Result<EntriesOutcome, never> {
    const log = this.#sessionOf(key)?.log;
    if (log === undefined) return ok({ outcome: 'missing' });
    const { after, before = log.length, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
    const given = after ?? before;
    if (given < 0 || given > log.length) return ok({ outcome: 'invalid_position' });
    let start = after ?? Math.max(0, before - limit);
    let position = after === undefined ? before : Math.min(after + limit, log.length);
    while (position > start + 1 && log.bytes(start, position) > maxBytes) {
      if (after === undefined) start += 1;
      else position -= 1;
    }
    const entries = log.slice(start, position).map((entry, at) => ({ ...entry, position: start + at + 1 }));
    return ok({ outcome: 'found', entries, start, position, hasMore: position < log.length });
  }

  remove(
    key: SessionKey,
    { revision, now = Date.now() }: Removal = {},
  ): Result<'removed' | 'stale' | 'missing', never> {
    const tenant = this.#tenants.get(key.tenant);
    const session = tenant?.get(key.id);
    if (tenant === undefined || session === undefined) return ok('missing');
    if (revision !== undefined && revision !== session.state.revision) return ok('stale');
    this.#change(key.tenant, tenant, () => tenant.remove(session));
    if (tenant.size === 0) this.#tenants.delete(key.tenant);
    if (owesEnd(session.state)) this.ends.add(session, now);
    this.ends.keep(session, now);
    session.isRemoved = true;
    this.#log(session, { type: 'deleted', at: now });
    return ok('removed');
  }

  unleased(name: string, range: UnleasedRange): Result<UnleasedPage, never> {
    const { sessions = [], ...page } = this.#tenants.get(name)?.unleased.page(range) ?? {};
    return ok({ ...page, records: sessions.map((session) => recordOf(session, { historyLimit: 0 })), unreadable: [] });
  }

  due(now: number, limit: number): Result<DueSessions, never> {
    const { items, hasMore } = this.#dueTenants.due(now, limit, (name, share) => {
      return this.#tenants.get(name)?.due(now, share) ?? [];
    });
    return ok({ sessions: items.map((each) => ({ ...keyOf(each), dueAt: each.dueAt })), failed: [], hasMore });
  }

  reschedule(key: SessionKey, { from, to, isDamaged = false }: Rescheduling): Result<'moved' | 'stale', never> {
    const session = this.#sessionOf(key);
    if (session?.dueAt !== from) return ok('stale');
    const { state } = session;
    const dueAt = state.status === 'TERMINATED' || isDamaged ? to : Math.min(to, endsAt(state));
    if (dueAt === from) return ok('stale');
    this.#move(session, dueAt);
    return ok('moved');
  }

  #sessionOf({ tenant, id }: SessionKey): StoredSession | undefined {
    return this.#tenants.get(tenant)?.get(id);
  }

  /** Stores a later activity, which may put off the end of the session. */
  #use(session: StoredSession, state: StateRecord): void {
    const hasMoved = endsAt(state) !== endsAt(session.state);
    session.state = state;
    if (hasMoved) this.#move(session, endsAt(state));
  }

  #move(session: StoredSession, dueAt: number): void {
    const tenant = this.#tenants.get(session.tenant);
    if (tenant !== undefined) this.#change(session.tenant, tenant, () => tenant.change(session, session.state, dueAt));
  }

  /** Changes a tenant, and keeps its place among the tenants correct. */
  #change(name: string, tenant: TenantSessions, change: () => void): void {
    const before = tenant.firstDue;
    change();
    this.#dueTenants.move(name, before, tenant.firstDue);
  }

  #log(session: StoredSession, detail: EventDetail): void {
    const { birth } = session;
    this.events?.log(keyOf(session), { birth, sequence: sequenceOf(session) }, detail);
  }
}
