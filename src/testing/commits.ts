import { changeDetailOf } from '../session/event-detail.js';
import type { HistoryEntry, PositionedEntry } from '../session/session.js';
import type { DueKey, SessionKey } from '../session/session-key.js';
import type { SessionHead, SessionRecord, StateRecord } from '../session/session-record.js';
import type {
  BeginCommit,
  Begun,
  ChangeCommit,
  Changed,
  EventPart,
  Guards,
  Remains,
  Removed,
  Spend,
  StateChange,
  UseChange,
} from '../store/commit.js';
import type {
  DueSession,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionStore,
} from '../store/session-store.js';
import { answerOf, type Contents, expectEqual, repeatUntil } from './answers.js';
import { eventsAfter, hasEvents } from './event-steps.js';
import { idsOf as idsOn, pageOf } from './page-steps.js';
import { headOf, keyOf, leaseOf, live, NOON, operationOf, say, TENANT, upTo } from './samples.js';

/** The session that most cases are about. */
export const key = keyOf('one');

/** A session of another tenant, under the same id. */
export const theirs = keyOf('one', 'globex');

/** The content of a new session. */
export interface Beginning {
  readonly head?: SessionHead;
  readonly state?: StateRecord;
  readonly entries?: readonly HistoryEntry[];
  readonly guards?: BeginCommit['guards'];
  readonly events?: readonly EventPart[];
}

export const beginOf = (key: SessionKey, beginning: Beginning = {}): BeginCommit => {
  const { head = headOf(key.id), state = live('ACTIVE'), entries = [], guards = {} } = beginning;
  const { events = [{ type: 'created', at: NOON }] } = beginning;
  return { key, guards, effects: { head, state, entries, events } };
};

/** Begins a session, whatever the outcome. */
export const tryBegin = (
  store: SessionStore,
  key: SessionKey,
  beginning?: Beginning,
): Promise<Begun> => answerOf(store.begin(beginOf(key, beginning)));

/** Begins a session, and returns what is stored. Fails if the store refuses it. */
export const begin = async (
  store: SessionStore,
  key: SessionKey,
  beginning: Beginning = {},
): Promise<Contents> => {
  expectEqual(await tryBegin(store, key, beginning), DONE, 'begin');
  const { head = headOf(key.id), state = live('ACTIVE'), entries = [] } = beginning;
  return { head, state, history: entries };
};

export const beginAt = (
  store: SessionStore,
  id: string,
  ms: number,
  beginning?: Omit<Beginning, 'head'>,
): Promise<Contents> => begin(store, keyOf(id), { ...beginning, head: headOf(id, NOON + ms) });

export const refused = (guard: string, rest: object = {}) => ({
  outcome: 'refused',
  guard,
  ...rest,
});

/** The answer to a begin or a removal. */
export const DONE = { outcome: 'made' };

/** The answer to a change that was made before, with its position. */
export const repeated = (position = 0) => ({ outcome: 'repeated', position });

/** The answer to a change that adds no entries. */
export const MADE = { outcome: 'made', position: 0 };

export const change = (store: SessionStore, commit: ChangeCommit): Promise<Changed> =>
  answerOf(store.change(commit));

/** Makes a change and returns its position. Fails if the store refuses it. */
export const made = async (store: SessionStore, commit: ChangeCommit): Promise<number> => {
  const changed = await change(store, commit);
  if (changed.outcome === 'made') return changed.position;
  throw new Error(`change returned ${JSON.stringify(changed)}`);
};

/** A change of the stored state, whose revision is one below that of the next. */
export const putOf = (
  key: DueKey,
  next: StateRecord,
  stored: StateRecord = next,
  guards: Guards = {},
): StateChange => {
  const previous = { ...stored, revision: next.revision - 1 };
  const event = key.removal === undefined ? changeDetailOf(previous, next, NOON) : undefined;
  return {
    key,
    guards: { ...guards, revision: previous.revision },
    effects: { put: { state: next, previous }, events: event === undefined ? [] : [event] },
  };
};

/** Replaces the state by its revision, whatever the outcome. */
export const tryPut = async (
  store: SessionStore,
  key: DueKey,
  next: StateRecord,
  guards?: Guards,
): Promise<Changed> => {
  const stored = (await store.findState(key)).unwrapOr(undefined);
  return change(store, putOf(key, next, stored, guards));
};

/** Puts a state with the revision after the stored one. Fails if the store refuses it. */
export const put = async (
  store: SessionStore,
  key: DueKey,
  next: StateRecord,
): Promise<StateRecord> => {
  const { revision } = (await stateOf(store, key)) ?? { revision: next.revision - 1 };
  const state = { ...next, revision: revision + 1 };
  expectEqual(await tryPut(store, key, state), MADE, 'put');
  return state;
};

/** The effects of an append, except its entries. */
export type Use = Partial<Omit<UseChange['effects'], 'put' | 'entries'>>;

/** A change that adds entries with these contents at NOON. */
export const appendOf = (
  key: SessionKey,
  contents: readonly string[],
  guards: Guards = {},
  use: Use = {},
): UseChange => ({
  key,
  guards,
  effects: {
    entries: contents.map((content) => say(content)),
    activity: NOON,
    events: [{ type: 'appended', at: NOON }],
    ...use,
  },
});

export const spendOf = (of: SessionKey, spend: Spend, guards: Guards = {}): UseChange => ({
  key: of,
  guards,
  effects: { spend, events: [{ type: 'spent', at: NOON }] },
});

export const append = (
  store: SessionStore,
  key: SessionKey,
  contents: readonly string[],
  guards?: Guards,
  use?: Use,
): Promise<number> => made(store, appendOf(key, contents, guards, use));

/** Adds entries at NOON, and returns the position. Fails if the store refuses it. */
export const add = (
  store: SessionStore,
  key: SessionKey,
  entries: readonly HistoryEntry[],
): Promise<number> => {
  const commit = appendOf(key, []);
  return made(store, { ...commit, effects: { ...commit.effects, entries } });
};

export const redact = (
  store: SessionStore,
  key: SessionKey,
  positions: readonly number[],
): Promise<Changed> => change(store, { key, guards: {}, effects: { redact: positions, at: NOON } });

export const remove = (
  store: SessionStore,
  key: DueKey,
  guards: { readonly revision?: number; readonly unusedSince?: number } = {},
  remains?: Remains,
): Promise<Removed> => {
  const events = key.removal === undefined ? [{ type: 'deleted' as const, at: NOON }] : [];
  return answerOf(store.remove({ key, guards, effects: { remains, events } }));
};

export const move = (
  store: SessionStore,
  key: DueKey,
  from: number,
  to: number,
  revision?: number,
): Promise<Changed> =>
  change(store, { key, guards: { dueAt: from, revision }, effects: { dueAt: to } });

export const find = (
  store: SessionStore,
  of = key,
  size?: ReadSize,
): Promise<SessionRecord | undefined> =>
  answerOf(size === undefined ? store.find(of) : store.find(of, size));

export const stateOf = (store: SessionStore, of: DueKey = key): Promise<StateRecord | undefined> =>
  answerOf(store.findState(of));

/** The contents of the entries of a session, oldest first; undefined if there is none. */
export const said = async (
  store: SessionStore,
  of: SessionKey,
): Promise<readonly string[] | undefined> =>
  (await find(store, of))?.history.map(({ content }) => content);

export const expectSaid = async (
  store: SessionStore,
  contents: readonly string[],
  what = 'the history',
): Promise<void> => expectEqual(await said(store, key), contents, what);

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** A part of a history. Fails if there is none. */
export const foundIn = async (
  store: SessionStore,
  slice: HistorySlice,
  of: SessionKey = key,
): Promise<Found> => {
  const found = await answerOf(store.entries(of, slice));
  if (found.outcome === 'found') return found;
  throw new Error(`entries returned ${found.outcome}`);
};

export const placed = async (
  store: SessionStore,
  of?: SessionKey,
): Promise<readonly PositionedEntry[]> =>
  (await foundIn(store, { after: 0, limit: 10_000 }, of)).entries;

export const positionsOf = async (store: SessionStore): Promise<readonly number[]> =>
  (await placed(store)).map(({ position }) => position);

export const due = async (
  store: SessionStore,
  now: number,
  limit = 100,
): Promise<readonly DueSession[]> => {
  const sessions: DueSession[] = [];
  let cursor: string | undefined;
  await repeatUntil('the last part of what is due', 10, async () => {
    const part = await answerOf(store.due(now, limit, cursor));
    const times = part.sessions.map(({ dueAt }) => dueAt);
    expectEqual(
      times,
      times.toSorted((a, b) => a - b),
      'the longest overdue first: the times',
    );
    sessions.push(...part.sessions);
    cursor = part.nextCursor;
    return cursor === undefined;
  });
  // Among equal times, the order is the store's choice.
  return sessions.toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
};

/** A time after all others in the cases. */
export const FAR = NOON + 1e9;

/** Fails unless exactly this session is due, from this time on. */
export const expectDue = async (
  store: SessionStore,
  key: DueKey,
  dueAt: number,
  what = '',
): Promise<void> => {
  expectEqual(await due(store, dueAt - 1), [], `due a millisecond before ${what}`);
  for (const now of [dueAt, FAR])
    expectEqual(await due(store, now), [{ ...key, dueAt }], `due from its time on ${what}`);
};

export const waiting = (
  store: SessionStore,
  now: number,
  tenant: string | undefined = TENANT,
): Promise<number> => answerOf(store.countWaiting({ tenant, now, limit: 1000 }));

/** Fails unless exactly one session waits for a worker, from this time on. */
export const expectWaiting = async (
  store: SessionStore,
  wakeAt: number,
  what = '',
): Promise<void> => {
  const counts = [await waiting(store, wakeAt - 1), await waiting(store, wakeAt)];
  expectEqual(counts, [0, 1], `waiting a millisecond before its time, and then ${what}`);
};

export const idsOf = async (store: SessionStore, tenant?: string): Promise<readonly string[]> =>
  idsOn(await pageOf(store, {}, tenant));

/** Runs a step for 50 writers concurrently, by two stores alternately. */
export const raceOf = <T>(
  stores: readonly [SessionStore, SessionStore],
  step: (store: SessionStore, writer: number) => Promise<T>,
): Promise<readonly T[]> =>
  Promise.all(upTo(50).map((writer) => step(stores[writer % 2 === 0 ? 0 : 1], writer)));

/** The session of the guard cases. It waits for a worker, is leased, and ends at NOON + 100. */
export const guardedState = live('ACTIVE', {
  revision: 5,
  deadline: NOON + 100,
  labels: { user: 'ann' },
  budget: { used: { tokens: 5 }, limits: { tokens: 2 ** 52 }, last: '' },
  work: {
    wakeAt: NOON + 1000,
    lease: leaseOf(7, NOON + 50),
  },
});

/** The positions of the session of the guard cases. */
export interface Places {
  /** After its first entry, which a rewind has kept. */
  readonly first: number;
  /** After an entry that the rewind has removed. */
  readonly superseded: number;
  readonly end: number;
}

/** Adds the session. The operation `op` has rewound its history once. */
export const addGuarded = async (store: SessionStore): Promise<Places> => {
  await begin(store, key, { state: guardedState, entries: [say('one'), say('two')] });
  const [first = 0, superseded = 0] = await positionsOf(store);
  const guards = { operation: operationOf('op') };
  const end = await append(store, key, ['three'], guards, { truncate: first });
  return { first, superseded, end };
};

/** Everything that a change could alter, as reads return it. */
export const everything = async (store: SessionStore) => ({
  record: await find(store),
  page: await pageOf(store, {}),
  labelled: await pageOf(store, { labels: { user: 'ann' } }),
  messages: [await answerOf(store.messages(key)), await answerOf(store.messages(key, ['new']))],
  due: await due(store, FAR),
  waiting: [await waiting(store, NOON + 10), await waiting(store, NOON + 99)],
  events: (await hasEvents(store)) ? await eventsAfter(store, '0') : [],
});

/** Fails if a step changes anything that a reader could notice. */
export const expectUnchanged = async (
  store: SessionStore,
  what: string,
  step: () => Promise<void>,
): Promise<void> => {
  const before = await everything(store);
  await step();
  expectEqual(await everything(store), before, what);
};
