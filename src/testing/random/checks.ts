import type { SessionEvent } from '../../session/session-event.js';
import type {
  DueKey,
  DueSession,
  PageRange,
  SessionKey,
  SessionStore,
} from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { due } from '../commits.js';
import { eventsAfter } from '../event-steps.js';
import type { ModelSession, ModelStore } from './model-store.js';
import { MESSAGES } from './random-steps.js';
import { type Twin, textOf } from './twin.js';

/** A store and the model that carry out the same steps. */
export interface Pair {
  readonly store: SessionStore;
  readonly model: ModelStore;
  readonly twin: Twin;
  readonly tenant: string;
  readonly hasStatuses: boolean;
  /** The position in the log of events before the first step; undefined without events. */
  readonly eventsFrom: string | undefined;
}

type Difference = string | undefined;

const firstOf = async (checks: readonly (() => Promise<Difference>)[]): Promise<Difference> => {
  for (const check of checks) {
    const found = await check();
    if (found !== undefined) return found;
  }
  return undefined;
};

const sliceOf = async (
  { store, twin }: Pair,
  session: ModelSession,
  key: SessionKey,
): Promise<Difference> => {
  const { incarnation, history } = session;
  const slices = [{ after: 0, limit: 100 }, { limit: 2 }, { after: history.end, limit: 2 }];
  return firstOf(
    slices.map((slice) => async () => {
      const { after, ...rest } = slice;
      const told = after && twin.storePosition(incarnation, after);
      const asked = told === undefined ? rest : { ...rest, after: told };
      const actual = await answerOf(store.entries(key, asked));
      const what = `entries(${key.id}, ${JSON.stringify(slice)})`;
      return twin.difference(actual, history.slice(slice), what, incarnation);
    }),
  );
};

const messagesOf = async (
  { store, model, twin }: Pair,
  key: SessionKey,
  incarnation?: string,
): Promise<Difference> => {
  const waiting = await answerOf(store.messages(key));
  const known = await answerOf(store.messages(key, MESSAGES));
  const inOrder = known.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const expected = [model.messages(key), model.messages(key, MESSAGES)];
  return twin.difference([waiting, inOrder], expected, `messages(${key.id})`, incarnation);
};

export const checkSession = (pair: Pair, key: DueKey): Promise<Difference> => {
  const { store, model, twin } = pair;
  const session = model.sessionAt(key);
  const incarnation = session?.incarnation;
  const checks = [
    async () => {
      const state = await answerOf(store.findState(key));
      return twin.difference(state, session?.state, `findState(${textOf(key)})`);
    },
  ];
  if (key.removal !== undefined) return firstOf(checks);
  return firstOf([
    ...checks,
    async () => {
      const record = await answerOf(store.find(key));
      return twin.difference(record, model.find(key), `find(${key.id})`, incarnation);
    },
    () => messagesOf(pair, key, incarnation),
    async () => {
      if (session !== undefined) return sliceOf(pair, session, key);
      const missing = await answerOf(store.entries(key, { limit: 1 }));
      return twin.difference(missing, { outcome: 'missing' }, `entries(${key.id})`);
    },
  ]);
};

/** Ranges that every index must serve. */
const rangesAt = (now: number, hasStatuses: boolean): readonly Partial<PageRange>[] => {
  const at = (ms: number) => new Date(ms).toISOString();
  const statuses = [
    { status: { anyOf: ['ACTIVE', 'PAUSED'], now } },
    { status: { anyOf: ['IDLE'], now } },
    { status: { anyOf: ['TERMINATED'], now } },
    { order: 'updated', now, status: { anyOf: ['ACTIVE', 'TERMINATED'], now } },
  ] as const;
  return [
    {},
    { order: 'oldest' },
    { order: 'updated', now },
    { labels: { user: 'bob' } },
    { labels: { user: 'ann' }, order: 'oldest' },
    { labels: { user: 'bob', topic: 't1' } },
    { createdAfter: at(now - 900), createdBefore: at(now - 300) },
    ...(hasStatuses ? statuses : []),
  ];
};

const checkPages = async (
  { store, model, twin, tenant }: Pair,
  part: Partial<PageRange>,
): Promise<Difference> => {
  const range: PageRange = { offset: 0, limit: 2, historyLimit: 1, ...part };
  const expected = model.page(tenant, range);
  const what = `page(${JSON.stringify(part)})`;
  const first = await answerOf(store.page(tenant, range));
  const total = twin.difference(first.total, expected.length, `${what}.total`);
  if (total !== undefined) return total;
  let { records, nextCursor: cursor } = first;
  for (let pages = 0; cursor !== undefined && pages < 10; pages += 1) {
    const next = await answerOf(store.page(tenant, { ...range, cursor }));
    records = [...records, ...next.records];
    cursor = next.nextCursor;
  }
  const ids = records.map(({ head }) => head.id);
  const wrongIds = twin.difference(
    ids,
    expected.map(({ head }) => head.id),
    `${what} ids`,
  );
  if (wrongIds !== undefined) return wrongIds;
  return firstOf(
    expected.map((record, at) => async () => {
      const incarnation = model.sessionAt({ tenant, id: record.head.id })?.incarnation;
      return twin.difference(records[at], record, `${what}[${at}]`, incarnation);
    }),
  );
};

export const dueOf = async ({ store, tenant }: Pair, now: number): Promise<readonly DueSession[]> =>
  (await due(store, now, 1000)).filter((session) => session.tenant === tenant);

/** A store may return a session too early, if it was used since, but not too late. */
const checkDue = async (pair: Pair, now: number): Promise<Difference> => {
  const { model, tenant } = pair;
  const overdue = await dueOf(pair, now);
  for (const key of overdue) {
    const session = model.sessionAt(key);
    if (session === undefined) return `due(${now}) returned ${textOf(key)}, which was removed`;
    const mayBeEarly = Number.isFinite(session.state.terms.inactivityTimeoutMs);
    if (key.dueAt > session.dueAt || (key.dueAt < session.dueAt && !mayBeEarly))
      return `${textOf(key)} is due at ${key.dueAt} where ${session.dueAt} was expected`;
  }
  const isListed = ({ key }: ModelSession) =>
    overdue.some((each) => each.id === key.id && each.removal === key.removal);
  const lost = model.sessionsOf(tenant).find((each) => each.dueAt <= now && !isListed(each));
  return lost && `due(${now}) did not return ${textOf(lost.key)}, which is due at ${lost.dueAt}`;
};

const checkWaiting = async ({ store, model, tenant, twin }: Pair, now: number) => {
  if (model.sessionsOf(tenant).some(({ mayBeDropped }) => mayBeDropped)) return undefined;
  const actual = await answerOf(store.countWaiting({ tenant, now, limit: 100 }));
  return twin.difference(actual, model.waiting(tenant, now).length, `countWaiting(${now})`);
};

const incarnationOf = ({ id }: SessionEvent): string => id.slice(0, id.lastIndexOf('.'));

/** An event without its place in the log. */
const comparable = (event: SessionEvent) => {
  const { id: _id, position: _position, ...rest } = event;
  return { ...rest, incarnation: incarnationOf(event) };
};

/** The event without names of labels: a store may erase those of a removed session. */
const erased = (event: SessionEvent): SessionEvent =>
  event.type === 'session.updated' ? { ...event, labelsChanged: [] } : event;

const isErased = (event: SessionEvent | undefined): boolean =>
  event?.type === 'session.updated' && event.labelsChanged.length === 0;

/** Compares the events, without their places in the log. */
const checkEvents = async ({ store, model, twin, tenant, eventsFrom }: Pair) => {
  if (eventsFrom === undefined) return undefined;
  const all = await eventsAfter(store, eventsFrom, tenant);
  const logged = all.filter((event) => event.tenant === tenant);
  const expected = model.events.filter((event) => event.tenant === tenant);
  const removals = expected.filter(({ type }) => type === 'session.deleted');
  const removed = new Set(removals.map(incarnationOf));
  const length = Math.max(expected.length, logged.length);
  return firstOf(
    Array.from({ length }, (_, at) => async () => {
      const { [at]: event } = expected;
      const mayBeErased = event !== undefined && removed.has(incarnationOf(event));
      const told = mayBeErased && isErased(logged[at]) ? erased(event) : event;
      const [actual, wanted] = [logged[at], told].map((each) => each && comparable(each));
      return twin.difference(actual, wanted, `event ${at + 1}`, wanted?.incarnation);
    }),
  );
};

export const checkTenant = (pair: Pair, now: number): Promise<Difference> => {
  const keys = pair.model.sessionsOf(pair.tenant).map(({ key }) => key);
  const ranges = rangesAt(now, pair.hasStatuses);
  return firstOf([
    ...keys.map((key) => () => checkSession(pair, key)),
    ...ranges.map((range) => () => checkPages(pair, range)),
    () => checkDue(pair, now),
    () => checkDue(pair, now + 1000),
    () => checkWaiting(pair, now),
    () => checkEvents(pair),
  ]);
};
