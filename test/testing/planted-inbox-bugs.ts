import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { StateChange, UseChange } from '../../src/store/commit.js';
import type { SessionStore, StoredMessage } from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

type Send = NonNullable<UseChange['effects']['send']>;

/** A bug in the effects of a sent message. */
const sending = (
  bug: string,
  caughtBy: string,
  change: (send: Send, work: StateRecord['work']) => Send | undefined,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    use: ({ effects, ...commit }) => {
      const { work = {} } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
      const send = effects.send && change(effects.send, work);
      return inner.change({ ...commit, effects: { ...effects, send } });
    },
  }));

const putting = (
  bug: string,
  caughtBy: string,
  put: (commit: StateChange, inner: MemorySessionStore) => ReturnType<SessionStore['change']>,
): PlantedBug => planted(bug, caughtBy, (inner) => ({ put: (commit) => put(commit, inner) }));

const withEffects = (commit: StateChange, effects: Partial<StateChange['effects']>) => ({
  ...commit,
  effects: { ...commit.effects, ...effects },
});

/** A bug in the work of states that are put. */
const working = (
  bug: string,
  caughtBy: string,
  change: (work: StateRecord['work']) => StateRecord['work'],
): PlantedBug =>
  putting(bug, caughtBy, (commit, inner) => {
    const { put } = commit.effects;
    const state = { ...put.state, work: change(put.state.work) };
    return inner.change(withEffects(commit, { put: { ...put, state } }));
  });

/** A bug in which messages a take adds to the history, of those that it takes. */
const taking = (
  bug: string,
  caughtBy: string,
  added: (messages: readonly StoredMessage[]) => readonly StoredMessage[],
  removed = (ids: readonly string[]): readonly string[] => ids,
): PlantedBug =>
  putting(bug, caughtBy, (commit, inner) => {
    const { take, ...effects } = commit.effects;
    if (take === undefined) return inner.change(commit);
    const messages = inner.messages(commit.key)._unsafeUnwrap().slice(0, take.messages);
    const entries = added(messages).map(({ entry }) => ({ ...entry, turn: take.turn }));
    const { entries: before = [], withdraw = removed(messages.map(({ id }) => id)) } = effects;
    const all = [...before, ...entries] as StateChange['effects']['entries'];
    return inner.change({ ...commit, effects: { ...effects, withdraw, entries: all } });
  });

const order = 'send: messages wait outside the history, in order and exactly as sent';
const known = 'send: a repeated id is recognised for good, and before any guard but operation';
const taken = 'take: moves the oldest messages to the end of the history, with their turn';
const withdrawn = 'withdraw: removes messages from anywhere in the inbox, and keeps its order';

const sends: readonly PlantedBug[] = [
  sending('loses a message that is sent', order, () => undefined),
  sending(
    'sends a message without another revision',
    'send: queues a session for workers at its time, under a new revision',
    (send) => ({ ...send, revision: 1 }),
  ),
  sending(
    'waits from the time of the latest message on',
    'send: keeps an earlier time, and queues a session again that was handed out',
    (send, { askedAt = 0 }) => ({ ...send, at: Math.max(send.at, askedAt) }),
  ),
  sending('ignores the digest of a message', known, (send) => ({
    ...send,
    digest: 'the-same-content',
  })),
  sending(
    'takes the ids of messages in any case',
    'messages: any ids and contents are kept, and ids that look alike are different',
    ({ entry, ...send }) => ({ ...send, entry: { ...entry, id: entry.id.toLowerCase() } }),
  ),
  planted('looks at the guards before the id of a message', known, (inner) => ({
    use: (commit) => {
      const { send: _, ...effects } = commit.effects;
      const probe = inner.change({ ...commit, guards: { ...commit.guards, entries: -1 }, effects });
      const answer = probe._unsafeUnwrap();
      const isRefused = answer.outcome === 'refused' && answer.guard !== 'entries';
      return isRefused ? probe : inner.change(commit);
    },
  })),
  planted('says made of a message that it knows', known, (inner) => ({
    use: (commit) =>
      inner
        .change(commit)
        .map((answer) =>
          answer.outcome === 'repeated' ? { ...answer, outcome: 'made' as const } : answer,
        ),
  })),
];

const reads: readonly PlantedBug[] = [
  planted('reads messages in the order of their ids', order, (inner) => ({
    messages: (key, ids) =>
      inner
        .messages(key, ids)
        .map((all) => (ids === undefined ? all.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : all)),
  })),
  planted('finds no message that was withdrawn', withdrawn, (inner) => ({
    messages: (...args) =>
      inner.messages(...args).map((all) => all.filter(({ entry, position }) => entry ?? position)),
  })),
  planted(
    'hands out the messages that it keeps',
    'ownership: changing messages after a send or a read affects nothing in the store',
    (inner) => {
      let kept: readonly StoredMessage[] = [];
      return {
        messages: (key, ids) => {
          if (kept.length === 0) kept = structuredClone(inner.messages(key, ids)._unsafeUnwrap());
          return ok(kept);
        },
      };
    },
  ),
  planted(
    'keeps the messages of a removed session',
    'messages: belong to one session, and are removed with it',
    (inner) => {
      const kept = new Map<string, readonly StoredMessage[]>();
      return {
        remove: (commit) => {
          kept.set(labelOf(commit.key), inner.messages(commit.key)._unsafeUnwrap());
          return inner.remove(commit);
        },
        messages: (key, ids) => {
          const isThere = inner.findState(key)._unsafeUnwrap() !== undefined;
          return isThere ? inner.messages(key, ids) : ok(kept.get(labelOf(key)) ?? []);
        },
      };
    },
  ),
];

const puts: readonly PlantedBug[] = [
  taking('loses a message that it takes', taken, (messages) => messages.slice(1)),
  taking('takes the latest message first', taken, (messages) => messages.toReversed()),
  taking(
    'takes before it withdraws',
    'take: follows truncate, entries, send and withdraw in one step',
    (messages) => messages,
  ),
  taking(
    'leaves what it takes in the inbox',
    taken,
    (messages) => messages,
    () => [],
  ),
  putting('forgets the number of the turn', taken, (commit, inner) => {
    const { take } = commit.effects;
    return inner.change(withEffects(commit, take ? { take: { ...take, turn: 1 } } : {}));
  }),
  putting('returns nothing of what it takes', taken, (commit, inner) =>
    inner.change(commit).map((answer) => {
      if (answer.outcome !== 'made') return answer;
      return { outcome: 'made' as const, position: answer.position };
    }),
  ),
  putting(
    'does not count what it takes among the entries',
    'take: messages count towards the guard entries, and still wait if it fails',
    (commit, inner) => {
      const { entries } = commit.guards;
      const { take } = commit.effects;
      if (entries === undefined || take === undefined) return inner.change(commit);
      const guards = { ...commit.guards, entries: entries + take.messages };
      return inner.change({ ...commit, guards });
    },
  ),
  putting('withdraws only the first message', withdrawn, (commit, inner) => {
    const { withdraw } = commit.effects;
    return inner.change(withEffects(commit, withdraw ? { withdraw: withdraw.slice(0, 1) } : {}));
  }),
  working('loses the number of messages at a put', withdrawn, ({ inbox: _, ...work }) => work),
  working('loses the time of a message at a put', taken, ({ askedAt: _, ...work }) => work),
];

export const plantedInboxBugs: readonly PlantedBug[] = [...sends, ...reads, ...puts];
