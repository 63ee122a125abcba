import { err, ok, type Result } from 'neverthrow';
import type { IssueList } from '../../src/input/issue-list.js';
import { isFields, parseSwitch, parseWhole } from '../../src/input/parse-fields.js';
import { type OptionNames, parseOptions } from '../../src/input/parse-options.js';
import { timestampOf } from '../../src/session/clock.js';
import { decideAppend } from '../../src/session/decide-append.js';
import { type SearchTooLarge, type TooLarge, tooLarge } from '../../src/session/errors.js';
import {
  appendedDetailOf,
  type EventDetail,
  openingDetailsOf,
  wokenDetailOf,
} from '../../src/session/event-detail.js';
import {
  entriesUpTo,
  entriesUpToCurrent,
  isSuperseded,
  partBetween,
} from '../../src/session/history-positions.js';
import { wokenState } from '../../src/session/lease-state.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import { endsAt, usedAt } from '../../src/session/state-at.js';
import { hasRunOut, wakeAtOf } from '../../src/session/work-state.js';
import type {
  AppendOutcome,
  ClaimedRecords,
  ClaimRange,
  DueKey,
  DueSession,
  DueSessions,
  EntriesOutcome,
  HistoryAppend,
  HistorySlice,
  Inserted,
  Opening,
  PageRange,
  ReadSize,
  RecordPage,
  Redacted,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
  SessionStore,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimedTogether } from '../shared/claimed-records.js';
import { NEVER } from '../shared/never.js';
import { updatedAt } from '../shared/session-search.js';
import { MemoryEventLog } from './memory-event-log.js';
import {
  bytesOf,
  claimableFrom,
  dueKeyOf,
  frozenState,
  keyOf,
  newSession,
  type QueueTimes,
  recordOf,
  remainsOf,
  type StoredSession,
  timesOf,
} from './stored-session.js';
import { TenantIndex } from './tenant-index.js';
import { type QueuedSession, TimeQueue } from './time-queue.js';

/**
 * Options of a `MemorySessionStore`.
 *
 * @example
 * ```ts
 * const store = new MemorySessionStore({ events: { length: 10_000 }, reportEnds: true });
 * const sessions = new SessionService({ store });
 * ```
 */
export interface MemorySessionStoreOptions {
  /**
   * Enables events. The store keeps the last `length` events, at least 1, by default 100000.
   * Default: no events.
   */
  readonly events?:
    | boolean
    | {
        /** Number of the latest events that are kept, at least 1. Default: 100000. */
        readonly length?: number | undefined;
      }
    | undefined;
  /** Whether sweeps report the end of each session to `onEnded`. Default: false. */
  readonly reportEnds?: boolean | undefined;
}

const DEFAULT_EVENTS = 100_000;

const optionNames: OptionNames<MemorySessionStoreOptions> = {
  events: { length: true },
  reportEnds: true,
};

const parseEventsLength = (
  issues: IssueList,
  events: MemorySessionStoreOptions['events'] = false,
): number | undefined => {
  if (typeof events === 'boolean') return events ? DEFAULT_EVENTS : undefined;
  issues.check(isFields(events), 'events', 'must be true, false or { length }');
  if (!isFields(events)) return undefined;
  return parseWhole(issues, 'events.length', events.length ?? DEFAULT_EVENTS, 1);
};

const dueSessionOf = ({ at, session }: QueuedSession): DueSession => ({
  ...dueKeyOf(session),
  dueAt: at,
});

const byTime = (a: QueuedSession, b: QueuedSession): number => a.at - b.at;

const parseSettings = (options: MemorySessionStoreOptions) =>
  parseOptions('MemorySessionStore', options, optionNames, (issues) => {
    return {
      eventsLength: parseEventsLength(issues, options.events),
      reportEnds: parseSwitch(issues, 'reportEnds', options.reportEnds),
    };
  });

/**
 * Keeps sessions in the memory of this process: for tests, and for hosts with one process whose
 * sessions may be lost when it ends. Every call is complete when its method returns, so calls never
 * race.
 *
 * @example
 * ```ts
 * const sessions = new SessionService({ store: new MemorySessionStore() });
 * const { status } = await sessions.orThrow.create({ face: 'ada', profile: 'tutor' });
 * console.log(status); // IDLE
 * ```
 */
export class MemorySessionStore implements SessionStore {
  readonly #tenants = new Map<string, TenantIndex>();
  readonly #queues = {
    due: new TimeQueue(({ dueAt }) => dueAt),
    work: new TimeQueue(({ wakeAt }) => wakeAt),
    over: new TimeQueue(({ overAt }) => overAt),
  };
  readonly events: MemoryEventLog | undefined;
  readonly #reportsEnds: boolean;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: MemorySessionStoreOptions = {}) {
    const { eventsLength, reportEnds } = parseSettings(options);
    this.events = eventsLength === undefined ? undefined : new MemoryEventLog(eventsLength);
    this.#reportsEnds = reportEnds;
  }

  insert(
    name: string,
    head: SessionHead,
    state: StateRecord,
    opening?: Opening,
  ): Result<Inserted, never> {
    const tenant = this.#tenants.get(name) ?? new TenantIndex(name, this.#queues);
    if (tenant.get(head.id) !== undefined) return ok('taken');
    const { entries = [], source, cap } = opening ?? {};
    if (source !== undefined && tenant.get(source.id)?.log.version !== source.version)
      return ok('source_changed');
    if (cap !== undefined && tenant.liveAt(cap.now) >= cap.sessions) return ok('too_many');
    this.#tenants.set(name, tenant);
    const session = newSession(name, head, state);
    session.log.fill(entries);
    tenant.add(session);
    const details = openingDetailsOf(head.createdAt, opening && state, entries.length || undefined);
    for (const detail of details) this.#log(session, detail);
    return ok('inserted');
  }

  /** Settles immediately: no call is ever under way. */
  async drain(): Promise<void> {}

  find(key: SessionKey, size: ReadSize = {}): Result<SessionRecord | undefined, TooLarge> {
    const session = this.#sessionOf(key);
    if (session === undefined) return ok(undefined);
    const isBounded = size.maxBytes !== undefined;
    const refusal = isBounded ? tooLarge(size, bytesOf(session, size), 1) : undefined;
    if (refusal !== undefined) return err(refusal);
    return ok(recordOf(session, size));
  }

  reportsEnds(): Result<boolean, never> {
    return ok(this.#reportsEnds);
  }

  findState(key: DueKey): Result<StateRecord | undefined, never> {
    const session = this.#sessionOf(key);
    return ok(session?.state);
  }

  list(name: string, range: PageRange): Result<RecordPage, SearchTooLarge | TooLarge> {
    const tenant = this.#tenants.get(name);
    if (tenant === undefined) return ok({ records: [], total: 0, unreadable: [] });
    const found = tenant.page(range);
    if (found.isErr()) return err(found.error);
    const { items, total, hasMore } = found.value;
    const bytes = items.reduce((sum, session) => sum + bytesOf(session, range), 0);
    const refusal = tooLarge(range, bytes, items.length);
    if (refusal !== undefined) return err(refusal);
    const page = {
      records: items.map((session) => recordOf(session, range)),
      total,
      unreadable: [],
    };
    const last = items.at(-1);
    if (last === undefined || !hasMore) return ok(page);
    const { id, createdAt } = last.head;
    const at =
      range.order === 'updated' ? timestampOf(updatedAt(last.state, range.now)) : createdAt;
    return ok({ ...page, nextCursor: { id, at } });
  }

  replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    { event, cap, unusedSince }: ReplaceOptions = {},
  ): Result<Replaced, never> {
    const tenant = this.#tenants.get(key.tenant);
    const session = tenant?.get(key.id, key.removal);
    if (tenant === undefined || session === undefined) return ok('missing');
    const { state } = session;
    if (state.revision !== previous.revision) return ok('stale');
    if (state.lastActivityAt > (unusedSince ?? NEVER)) return ok('stale');
    if (cap !== undefined && tenant.liveAt(cap.now) >= cap.sessions) return ok('too_many');
    const { lastActivityAt } = state;
    const stored = frozenState(
      lastActivityAt > next.lastActivityAt ? { ...next, lastActivityAt } : next,
    );
    tenant.change(session, stored, timesOf(stored));
    if (event !== undefined) this.#log(session, event);
    return ok('replaced');
  }

  append(key: SessionKey, append: HistoryAppend): Result<AppendOutcome, never> {
    const { now, operation, after, wake } = append;
    const session = this.#sessionOf(key);
    if (session === undefined) return ok({ outcome: 'missing' });
    const { state, log } = session;
    const known = operation && log.find(operation.id);
    const { positions } = log;
    const kept = after === undefined ? positions.entries : entriesUpToCurrent(positions, after);
    const decided = decideAppend({ state, known, end: positions.end, kept }, append);
    if (typeof decided !== 'number') return ok(decided);
    const position = log.append(append, decided);
    const used = usedAt(state, now);
    if (used !== state) this.#use(session, used);
    this.#log(session, appendedDetailOf(append, { start: positions.end, position }));
    if (wake !== undefined) this.#wake(session, wake.revision, now);
    return ok({ outcome: 'appended', position });
  }

  redact(key: SessionKey, positions: readonly number[], now: number): Result<Redacted, never> {
    const session = this.#sessionOf(key);
    if (session === undefined) return ok('missing');
    const { log } = session;
    if (positions.some((position) => position > log.positions.end)) return ok('invalid_position');
    if (log.redact(positions)) this.#log(session, { type: 'redacted', at: now, positions });
    return ok('redacted');
  }

  findEntries(key: SessionKey, slice: HistorySlice): Result<EntriesOutcome, never> {
    const log = this.#sessionOf(key)?.log;
    if (log === undefined) return ok({ outcome: 'missing' });
    const { positions } = log;
    const { end } = positions;
    const { after, before = end, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
    const given = after ?? before;
    if (given < 0 || given > end) return ok({ outcome: 'invalid_position' });
    const number = entriesUpTo(positions, given);
    let from = after === undefined ? Math.max(0, number - limit) : number;
    let to = after === undefined ? number : Math.min(number + limit, log.length);
    while (to > from + 1 && log.bytes(from, to) > maxBytes) {
      if (after === undefined) from += 1;
      else to -= 1;
    }
    const entries = log
      .slice(from, to)
      .map((entry, at) => ({ ...entry, position: positions.positionOf(from + at + 1) }));
    const part = partBetween(positions, slice, from, to);
    const { version } = log;
    return ok({
      outcome: 'found',
      entries,
      ...part,
      isSuperseded: isSuperseded(positions, given),
      version,
    });
  }

  remove(
    key: DueKey,
    { revision, unusedSince, now = Date.now(), remains }: Removal = {},
  ): Result<'removed' | 'stale' | 'missing', never> {
    const tenant = this.#tenants.get(key.tenant);
    const session = tenant?.get(key.id, key.removal);
    if (tenant === undefined || session === undefined) return ok('missing');
    if (revision !== undefined && revision !== session.state.revision) return ok('stale');
    if (session.state.lastActivityAt > (unusedSince ?? NEVER)) return ok('stale');
    tenant.remove(session);
    if (remains !== undefined) tenant.addRemains(remainsOf(session, remains));
    if (tenant.size === 0) this.#tenants.delete(key.tenant);
    if (key.removal === undefined) this.#log(session, { type: 'deleted', at: now });
    return ok('removed');
  }

  due(now: number, limit: number): Result<DueSessions, never> {
    const { items, hasMore } = this.#queues.due.waiting(now, limit);
    return ok({ sessions: items.toSorted(byTime).map(dueSessionOf), failed: [], hasMore });
  }

  claim(range: ClaimRange): Result<ClaimedRecords, never> {
    const { tenant, now, until, limit, inCompany } = range;
    const { work, over } = this.#queues;
    for (const { session } of over.waiting(now, Number.POSITIVE_INFINITY, tenant).items)
      this.#move(session, claimableFrom(session, Number.POSITIVE_INFINITY));
    const { items, hasMore } = work.waiting(now, limit, tenant);
    const claimed = claimedTogether(
      items,
      ({ session }) => hasRunOut(session.state, now),
      inCompany,
    );
    for (const { session } of claimed) {
      this.#move(session, claimableFrom(session, until));
      work.giveWay(session.tenant, now);
    }
    const sessions = claimed.toSorted(byTime).map(({ at, session }) => ({
      ...keyOf(session),
      dueAt: at,
      record: recordOf(session, { historyLimit: 0 }),
    }));
    return ok({ sessions, failed: [], hasMore });
  }

  countWaiting({ tenant, now, limit }: WaitingRange): Result<number, never> {
    const { work, over } = this.#queues;
    let count = 0;
    for (const name of tenant === undefined ? work.tenantsAt(now) : [tenant]) {
      count += work.count(name, now) - over.count(name, now);
      if (count >= limit) return ok(limit);
    }
    return ok(count);
  }

  reschedule(
    key: DueKey,
    { from, to, isDamaged = false }: Rescheduling,
  ): Result<'moved' | 'stale', never> {
    const session = this.#sessionOf(key);
    if (session?.dueAt !== from) return ok('stale');
    const { state } = session;
    const isFree = state.status === 'TERMINATED' || state.report !== undefined || isDamaged;
    const dueAt = isFree ? to : Math.min(to, endsAt(state));
    if (dueAt === from) return ok('stale');
    this.#move(session, { dueAt, wakeAt: session.wakeAt, overAt: session.overAt });
    return ok('moved');
  }

  #sessionOf({ tenant, id, removal }: DueKey): StoredSession | undefined {
    return this.#tenants.get(tenant)?.get(id, removal);
  }

  /** Stores a later activity, which may postpone the end of the session. */
  #use(session: StoredSession, state: StateRecord): void {
    const hasMoved = endsAt(state) !== endsAt(session.state);
    session.state = state;
    if (!hasMoved) return;
    // A claim by a clock that is ahead may have taken the session for ended.
    const wakeAt = Number.isFinite(session.wakeAt) ? session.wakeAt : wakeAtOf(state);
    this.#move(session, { ...claimableFrom(session, wakeAt), dueAt: endsAt(state) });
  }

  #wake(session: StoredSession, revision: number, now: number): void {
    const woken = wokenState(session.state, revision, now);
    if (woken === session.state) return;
    session.state = woken;
    this.#move(session, claimableFrom(session, wakeAtOf(woken)));
    this.#log(session, wokenDetailOf(now));
  }

  #move(session: StoredSession, times: QueueTimes): void {
    this.#tenants.get(session.tenant)?.change(session, session.state, times);
  }

  #log(session: StoredSession, detail: EventDetail): void {
    session.sequence += 1;
    const { incarnation, sequence } = session;
    this.events?.log(keyOf(session), { incarnation, sequence }, detail);
  }
}
