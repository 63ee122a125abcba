import { detailOf, eventOf } from '../../session/event-detail.js';
import type { PositionedEntry } from '../../session/session.js';
import type { SessionEvent } from '../../session/session-event.js';
import type { SessionRecord, StateRecord } from '../../session/session-record.js';
import { dueAtOf, endsAt, stateAt } from '../../session/time-limits.js';
import { wakeAtOf } from '../../session/work-state.js';
import {
  type BeginCommit,
  type Begun,
  type ChangeCommit,
  type Changed,
  type EventPart,
  type InboxEffects,
  isMove,
  isRedaction,
  type RemoveCommit,
  type Removed,
  type StateChange,
  type UseChange,
} from '../../store/commit.js';
import {
  isOpen,
  judgeBegin,
  judgeChange,
  judgeMove,
  judgeRedaction,
  judgeRemoval,
} from '../../store/judge.js';
import type { DueKey, PageRange, StoredMessage, TakenRecord } from '../../store/session-store.js';
import { stateAfter } from '../../store/state-after.js';
import { NEVER } from '../samples.js';
import { ModelHistory } from './model-history.js';

/** A session of the model. Its position in the lists and queues follows from these fields. */
export interface ModelSession {
  readonly key: DueKey;
  readonly head: SessionRecord['head'];
  readonly incarnation: string;
  readonly history: ModelHistory;
  readonly operations: Map<string, { readonly digest: string; readonly position: number }>;
  /** In the order in which they were sent. */
  readonly messages: Map<string, StoredMessage>;
  state: StateRecord;
  sequence: number;
  dueAt: number;
  wakeAt: number;
  /** Whether a `take` found the session ended, so that a store may have dropped it from the queue. */
  mayBeDropped: boolean;
}

const isAt = (key: DueKey, { tenant, id, removal }: DueKey): boolean =>
  key.tenant === tenant && key.id === id && key.removal === removal;

/**
 * The port as simply as it can be written, as a specification for stores: it searches one array
 * for everything. It does not implement `take`, where the port leaves stores a choice: `taken`
 * follows what a store returned.
 */
export class ModelStore {
  readonly #sessions: ModelSession[] = [];
  readonly events: SessionEvent[] = [];
  #incarnations = 0;

  sessionAt(key: DueKey): ModelSession | undefined {
    return this.#sessions.find((session) => isAt(session.key, key));
  }

  sessionsOf(tenant: string): readonly ModelSession[] {
    return this.#sessions.filter(({ key }) => key.tenant === tenant);
  }

  begin(commit: BeginCommit): Begun {
    const { key, guards, effects } = commit;
    const source = guards.source && this.sessionAt({ tenant: key.tenant, id: guards.source.id });
    const begun = judgeBegin(
      {
        isTaken: this.sessionAt(key) !== undefined,
        sourceVersion: source?.history.version,
        liveAt: (now) => this.#liveAt(key.tenant, now),
      },
      commit,
    );
    if (begun.outcome === 'refused') return begun;
    this.#incarnations += 1;
    const incarnation = `m${this.#incarnations}`;
    const { head, state } = effects;
    const history = new ModelHistory(incarnation);
    history.append(effects.entries);
    const queues = { dueAt: dueAtOf(state), wakeAt: wakeAtOf(state), mayBeDropped: false };
    const data = {
      history,
      operations: new Map<string, never>(),
      messages: new Map<string, never>(),
    };
    const session = { key, head, state, incarnation, ...data, sequence: 0, ...queues };
    this.#sessions.push(session);
    this.#log(session, effects.events, 0);
    return begun;
  }

  change(commit: ChangeCommit): Changed {
    const session = this.sessionAt(commit.key);
    if (isMove(commit)) {
      const moved = judgeMove(session?.state, session?.dueAt ?? NEVER, commit);
      if (session && moved.outcome === 'made') session.dueAt = commit.effects.dueAt;
      return moved;
    }
    if (isRedaction(commit)) {
      const judged = judgeRedaction(session?.history.end, commit);
      if (session === undefined || judged.outcome !== 'made') return judged;
      const { redact: positions, at } = commit.effects;
      if (session.history.redact(positions))
        this.#log(session, [{ type: 'redacted', at, positions }], 0);
      return judged;
    }
    return this.#replace(session, commit);
  }

  #replace(session: ModelSession | undefined, commit: StateChange | UseChange): Changed {
    const { key, guards, effects } = commit;
    const { operation } = guards;
    const history = session?.history ?? new ModelHistory('');
    const facts = {
      state: session?.state,
      known: operation && session?.operations.get(operation.id),
      sent: effects.send && session?.messages.get(effects.send.entry.id),
      end: history.end,
      kept: history.keptAfter(effects.truncate),
      liveAt: (now: number) => this.#liveAt(key.tenant, now),
    };
    const changed = judgeChange(facts, commit);
    if (session === undefined || changed.outcome !== 'made') return changed;
    const start = history.end;
    const { truncate, entries = [] } = effects;
    if (truncate !== undefined) history.truncate(truncate);
    history.append(entries);
    const messages = this.#moveMessages(session, effects);
    const isWritten = truncate !== undefined || entries.length > 0 || messages !== undefined;
    const position = isWritten ? history.end : 0;
    if (operation) session.operations.set(operation.id, { digest: operation.digest, position });
    this.#setState(session, commit);
    this.#log(session, effects.events, start);
    return { outcome: 'made', position, ...(messages && { messages }) };
  }

  /** The messages of a session that wait, oldest first, or those with these ids. */
  messages(key: DueKey, ids?: readonly string[]): readonly StoredMessage[] {
    const all = this.sessionAt(key)?.messages ?? new Map<string, StoredMessage>();
    if (ids !== undefined) return ids.flatMap((id) => all.get(id) ?? []);
    return [...all.values()].filter(({ entry }) => entry !== undefined);
  }

  #moveMessages(
    { history, messages, key }: ModelSession,
    effects: (StateChange | UseChange)['effects'],
  ): readonly PositionedEntry[] | undefined {
    if (effects.send) {
      const { entry, digest } = effects.send;
      messages.set(entry.id, { id: entry.id, digest, entry });
    }
    if (effects.put === undefined) return undefined;
    const { take, withdraw = [] }: InboxEffects = effects;
    const leave = (id: string, place: { position?: number }) =>
      messages.set(id, { id, digest: messages.get(id)?.digest ?? '', ...place });
    for (const id of withdraw) leave(id, {});
    if (take === undefined) return undefined;
    return this.messages(key)
      .slice(0, take.messages)
      .flatMap(({ id, entry }) => {
        if (entry === undefined) return [];
        const taken = { ...entry, turn: take.turn };
        history.append([taken]);
        const position = history.end;
        leave(id, { position });
        return [{ ...taken, position }];
      });
  }

  #setState(session: ModelSession, commit: StateChange | UseChange): void {
    const { key, state: before } = session;
    const state = stateAfter(before, commit);
    const isPut = commit.effects.put !== undefined;
    session.state = state;
    if (isPut || endsAt(before) !== endsAt(state)) session.dueAt = dueAtOf(state);
    if (key.removal !== undefined || (!isPut && commit.effects.send === undefined)) return;
    session.wakeAt = wakeAtOf(state);
    session.mayBeDropped = false;
  }

  remove(commit: RemoveCommit): Removed {
    const { key, effects } = commit;
    const session = this.sessionAt(key);
    const removed = judgeRemoval(session?.state, commit);
    if (session === undefined || removed.outcome === 'refused') return removed;
    this.#sessions.splice(this.#sessions.indexOf(session), 1);
    this.#log(session, effects.events, 0);
    if (effects.remains === undefined) return removed;
    const { removal, state } = effects.remains;
    const history = new ModelHistory(session.incarnation);
    const queues = { dueAt: dueAtOf(state), wakeAt: NEVER };
    this.#sessions.push({ ...session, key: { ...key, removal }, state, history, ...queues });
    return removed;
  }

  find(key: DueKey, historyLimit = NEVER): SessionRecord | undefined {
    const session = this.sessionAt(key);
    if (session === undefined) return undefined;
    const { head, state, sequence, history } = session;
    const all = history.current.map(({ entry }) => entry);
    return {
      head,
      state,
      history: all.slice(Math.max(0, all.length - historyLimit)),
      historyCount: all.length,
      sequence,
      historyVersion: history.version,
      historyPosition: history.end,
    };
  }

  /** The sessions of all pages of a range, in their order. */
  page(tenant: string, range: PageRange): readonly SessionRecord[] {
    const { status, labels = {}, createdAfter = '', createdBefore = '~' } = range;
    const { order = 'newest', now = 0, historyLimit } = range;
    const found = this.sessionsOf(tenant).filter(
      ({ key, state, head }) =>
        key.removal === undefined &&
        (status === undefined || status.anyOf.includes(stateAt(state, status.now).status)) &&
        Object.entries(labels).every(([name, value]) => state.labels?.[name] === value) &&
        head.createdAt > createdAfter &&
        head.createdAt < createdBefore,
    );
    const timeOf = ({ head, state }: ModelSession) =>
      order === 'updated' ? stateAt(state, now).lastActivityAt : Date.parse(head.createdAt);
    const newest = found.toSorted(
      (a, b) => timeOf(b) - timeOf(a) || (a.head.id < b.head.id ? 1 : -1),
    );
    const inOrder = order === 'oldest' ? newest.toReversed() : newest;
    return inOrder.flatMap(({ key }) => this.find(key, historyLimit) ?? []);
  }

  /** The sessions that a `take` may return, the longest waiting first. */
  waiting(tenant: string, now: number): readonly ModelSession[] {
    return this.sessionsOf(tenant)
      .filter(({ wakeAt, state }) => wakeAt <= now && now < endsAt(state))
      .toSorted((a, b) => a.wakeAt - b.wakeAt);
  }

  taken(sessions: readonly TakenRecord[], tenant: string, now: number, until: number): void {
    for (const session of this.sessionsOf(tenant)) {
      if (session.wakeAt <= now && endsAt(session.state) <= now) session.mayBeDropped = true;
      if (sessions.some(({ id }) => isAt(session.key, { tenant, id }))) session.wakeAt = until;
    }
  }

  #liveAt(tenant: string, now: number): number {
    return this.sessionsOf(tenant).filter(
      ({ key, state }) => key.removal === undefined && isOpen(state, now),
    ).length;
  }

  #log(session: ModelSession, events: readonly EventPart[], start: number): void {
    const { incarnation, history, key } = session;
    for (const event of events) {
      session.sequence += 1;
      const { sequence } = session;
      const detail = detailOf(event, { start, position: history.end });
      this.events.push(eventOf(key, { incarnation, sequence }, detail, ''));
    }
  }
}
