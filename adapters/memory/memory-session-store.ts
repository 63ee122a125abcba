import { err, ok, type Result } from 'neverthrow';
import { switchOr } from '../../src/schema/host-values.js';
import { object } from '../../src/schema/object.js';
import { optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema } from '../../src/schema/schema.js';
import { onOrOff, whole } from '../../src/schema/values.js';
import { timestampOf } from '../../src/session/clock.js';
import { type SearchTooLarge, type TooLarge, tooLarge } from '../../src/session/errors.js';
import { detailOf, type EventDetail } from '../../src/session/event-detail.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import { hasRunOut } from '../../src/session/work-state.js';
import {
  type BeginCommit,
  type Begun,
  type ChangeCommit,
  type Changed,
  type EventPart,
  type InboxEffects,
  isMove,
  isRedaction,
  type Move,
  type Redaction,
  type RemoveCommit,
  type Removed,
  type StateChange,
  type UseChange,
} from '../../src/store/commit.js';
import {
  type Facts,
  judgeBegin,
  judgeChange,
  judgeMove,
  judgeRedaction,
  judgeRemoval,
} from '../../src/store/judge.js';
import { updatedAt } from '../../src/store/page-range.js';
import { queueTimesAfter } from '../../src/store/queue-times.js';
import type {
  DueKey,
  DueSession,
  DueSessions,
  EntriesOutcome,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  SessionKey,
  SessionStore,
  StoredMessage,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import { stateAfter } from '../../src/store/state-after.js';
import { claimedTogether } from '../../src/store/taken-records.js';
import { HistoryLog } from './history-log.js';
import { Inbox } from './inbox.js';
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
   * Enable events. The store keeps the last `length` events, at least 1, by default 100000.
   * Default: no events.
   */
  readonly events?:
    | boolean
    | {
        /** Number of the latest events that are kept, at least 1. Default: 100000. */
        readonly length?: number | undefined;
      }
    | undefined;
  /** Report the end of each session to `onEnded` of a sweep. Default: false. */
  readonly reportEnds?: boolean | undefined;
}

const DEFAULT_EVENTS = 100_000;

const eventsOptions = object({ length: optional(whole(1), DEFAULT_EVENTS) });

const read = optionsOf('MemorySessionStore', {
  events: optional(switchOr(eventsOptions), false),
  reportEnds: onOrOff,
} satisfies Readonly<Record<keyof MemorySessionStoreOptions, Schema<unknown>>>);

const dueSessionOf = ({ at, session }: QueuedSession): DueSession => ({
  ...dueKeyOf(session),
  dueAt: at,
});

const byTime = (a: QueuedSession, b: QueuedSession): number => a.at - b.at;

const parseSettings = (options: MemorySessionStoreOptions) => {
  const { events, reportEnds } = read(options);
  if (typeof events !== 'boolean') return { eventsLength: events.length, reportEnds };
  return { eventsLength: events ? DEFAULT_EVENTS : undefined, reportEnds };
};

/**
 * Keeps sessions in the memory of this process: for tests, and for hosts with a single process that
 * may lose its sessions when it ends. Every call is complete when its method returns, so calls
 * never race.
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

  begin(commit: BeginCommit): Result<Begun, never> {
    const { key, guards, effects } = commit;
    const tenant = this.#tenants.get(key.tenant) ?? new TenantIndex(key.tenant, this.#queues);
    const begun = judgeBegin(
      {
        isTaken: tenant.get(key.id) !== undefined,
        sourceVersion: guards.source && tenant.get(guards.source.id)?.log.version,
        liveAt: (now) => tenant.liveAt(now),
      },
      commit,
    );
    if (begun.outcome === 'refused') return ok(begun);
    this.#tenants.set(key.tenant, tenant);
    const session = newSession(key.tenant, effects.head, effects.state);
    session.log.append(effects);
    tenant.add(session);
    this.#logAll(session, effects.events, 0);
    return ok(begun);
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

  page(name: string, range: PageRange): Result<RecordPage, SearchTooLarge | TooLarge> {
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

  change(commit: ChangeCommit): Result<Changed, never> {
    const session = this.#sessionOf(commit.key);
    if (isMove(commit)) return ok(this.#moveDue(session, commit));
    if (isRedaction(commit)) return ok(this.#redact(session, commit));
    const changed = judgeChange(this.#factsOf(session, commit), commit);
    if (session === undefined || changed.outcome !== 'made') return ok(changed);
    const { log } = session;
    const start = log.end;
    const written = this.#write(session, commit);
    const next = stateAfter(session.state, commit);
    if (next !== session.state) {
      const state = frozenState(next);
      const { dueAt, wakeAt } = queueTimesAfter(session, state, commit);
      const times = claimableFrom({ state, dueAt }, wakeAt);
      this.#tenants.get(session.tenant)?.change(session, state, times);
    }
    this.#logAll(session, commit.effects.events, start);
    return ok({ outcome: 'made', ...written });
  }

  messages(key: SessionKey, ids?: readonly string[]): Result<readonly StoredMessage[], never> {
    const inbox = this.#sessionOf(key)?.inbox;
    if (ids === undefined) return ok(structuredClone(inbox?.waiting ?? []));
    return ok(structuredClone(ids.flatMap((id) => inbox?.find(id) ?? [])));
  }

  entries(key: SessionKey, slice: HistorySlice): Result<EntriesOutcome, never> {
    const log = this.#sessionOf(key)?.log;
    return ok(log?.part(slice) ?? { outcome: 'missing' });
  }

  remove(commit: RemoveCommit): Result<Removed, never> {
    const { key, effects } = commit;
    const tenant = this.#tenants.get(key.tenant);
    const session = tenant?.get(key.id, key.removal);
    const removed = judgeRemoval(session?.state, commit);
    if (tenant === undefined || session === undefined || removed.outcome === 'refused')
      return ok(removed);
    tenant.remove(session);
    if (effects.remains !== undefined) tenant.addRemains(remainsOf(session, effects.remains));
    if (tenant.size === 0) this.#tenants.delete(key.tenant);
    this.#logAll(session, effects.events, 0);
    return ok(removed);
  }

  due(now: number, limit: number): Result<DueSessions, never> {
    const { items, hasMore } = this.#queues.due.waiting(now, limit);
    return ok({ sessions: items.toSorted(byTime).map(dueSessionOf), failed: [], hasMore });
  }

  take(range: TakeRange): Result<TakenRecords, never> {
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

  #sessionOf({ tenant, id, removal }: DueKey): StoredSession | undefined {
    return this.#tenants.get(tenant)?.get(id, removal);
  }

  #moveDue(session: StoredSession | undefined, move: Move): Changed {
    const changed = judgeMove(session?.state, session?.dueAt ?? Number.POSITIVE_INFINITY, move);
    if (session === undefined || changed.outcome !== 'made') return changed;
    const { wakeAt, overAt } = session;
    this.#move(session, { dueAt: move.effects.dueAt, wakeAt, overAt });
    return changed;
  }

  #redact(session: StoredSession | undefined, redaction: Redaction): Changed {
    const { redact: positions, at } = redaction.effects;
    const changed = judgeRedaction(session?.log.end, redaction);
    if (session === undefined || changed.outcome !== 'made') return changed;
    if (session.log.redact(positions)) this.#log(session, { type: 'redacted', at, positions });
    return changed;
  }

  #write(session: StoredSession, { guards, effects }: StateChange | UseChange) {
    const { log } = session;
    const { truncate, entries = [], send } = effects;
    if (send !== undefined) this.#inboxOf(session).send(send);
    const { take, withdraw }: InboxEffects = effects.put === undefined ? {} : effects;
    if (withdraw !== undefined) session.inbox?.withdraw(withdraw);
    const start = log.end + (truncate === undefined ? 0 : 1) + entries.length;
    const messages = take && (session.inbox?.take(take, start) ?? []);
    log.append(messages === undefined ? effects : { truncate, entries: [...entries, ...messages] });
    const isWritten = truncate !== undefined || entries.length > 0 || messages !== undefined;
    const position = isWritten ? log.end : 0;
    if (guards.operation !== undefined) log.note(guards.operation, position);
    return { position, ...(messages && { messages }) };
  }

  #inboxOf(session: StoredSession): Inbox {
    session.inbox ??= new Inbox();
    return session.inbox;
  }

  #factsOf(
    session: StoredSession | undefined,
    { key, guards: { operation }, effects: { truncate, send } }: StateChange | UseChange,
  ): Facts {
    const { log } = session ?? { log: new HistoryLog('') };
    return {
      state: session?.state,
      known: operation && session?.log.find(operation.id),
      sent: send && session?.inbox?.find(send.entry.id),
      end: log.end,
      kept: truncate === undefined ? log.length : log.entriesUpToCurrent(truncate),
      liveAt: (now) => this.#tenants.get(key.tenant)?.liveAt(now) ?? 0,
    };
  }

  #move(session: StoredSession, times: QueueTimes): void {
    this.#tenants.get(session.tenant)?.change(session, session.state, times);
  }

  /** `start`: the end of the history before the commit. */
  #logAll(session: StoredSession, events: readonly EventPart[], start: number): void {
    const position = session.log.end;
    for (const event of events) this.#log(session, detailOf(event, { start, position }));
  }

  #log(session: StoredSession, detail: EventDetail): void {
    session.sequence += 1;
    const { incarnation, sequence } = session;
    this.events?.log(keyOf(session), { incarnation, sequence }, detail);
  }
}
