import type { Result } from 'neverthrow';
import type { StoreError } from '../../../src/session/errors.js';
import { changeDetailOf } from '../../../src/session/event-detail.js';
import type { SessionHead, StateRecord } from '../../../src/session/session-record.js';
import { dueAtOf } from '../../../src/session/state-at.js';
import { answerOf, type Contents, repeatUntil } from '../../../src/testing/answers.js';
import { expectEqual } from '../../../src/testing/expect-equal.js';
import { headOf, live, NOON, operationOf, previousOf, say } from '../../../src/testing/samples.js';
import type { DueSession, LiveLimit, Replaced, SessionKey, TodaysStore } from './todays-store.js';

export {
  answerOf,
  type Contents,
  contentsOf,
  errorOf,
  repeatUntil,
} from '../../../src/testing/answers.js';

/** The due sessions of all parts of a store, at most `limit` per part. */
const dueInAllParts = async (
  store: TodaysStore,
  now: number,
  limit: number,
): Promise<readonly DueSession[]> => {
  const sessions: DueSession[] = [];
  let after: string | undefined;
  await repeatUntil('the last part of what is due', 10, async () => {
    const { nextCursor: next, ...due } = await answerOf(store.due(now, limit, after));
    sessions.push(...due.sessions);
    after = next;
    return next === undefined;
  });
  return sessions;
};

/** Reschedules a due session. */
const reschedule = async (
  store: TodaysStore,
  { dueAt, ...key }: DueSession,
  to: number,
): Promise<void> => {
  expectEqual(await answerOf(store.reschedule(key, { from: dueAt, to })), 'moved', 'reschedule');
};

/** The due sessions. Reschedules a session that the store returns too early, as a sweep does. */
export const dueOf = async (
  store: TodaysStore,
  now: number,
  limit: number,
): Promise<readonly DueSession[]> => {
  let due: readonly DueSession[] = [];
  await repeatUntil('nothing that is noted too early', 100, async () => {
    due = await dueInAllParts(store, now, limit);
    let areDue = true;
    for (const session of due) {
      const { dueAt, ...key } = session;
      const found = await store.findState(key);
      if (found.isErr()) continue;
      const due = found.value === undefined ? Number.POSITIVE_INFINITY : dueAtOf(found.value);
      if (dueAt === due) continue;
      areDue = false;
      await reschedule(store, session, due);
    }
    return areDue;
  });
  return due;
};

/** Inserts a session. Fails if the id is taken. */
const insert = async (
  store: TodaysStore,
  key: SessionKey,
  head: SessionHead = headOf(key.id),
  state: StateRecord = live('IDLE'),
): Promise<Contents> => {
  expectEqual(await answerOf(store.insert(key.tenant, head, state)), 'inserted', 'insert');
  return { head, state, history: [] };
};

/**
 * Replaces the state whose revision is one lower than that of `next`, with the event that follows
 * from the stored state. In the contract, revisions count.
 */
export const replacing = async (
  store: TodaysStore,
  key: SessionKey,
  next: StateRecord,
  cap?: LiveLimit,
): Promise<Result<Replaced, StoreError>> => {
  const stored = (await store.findState(key)).unwrapOr(undefined) ?? next;
  const previous = { ...stored, revision: previousOf(next).revision };
  return store.replace(key, previous, next, {
    event: changeDetailOf(previous, next, next.lastActivityAt),
    cap,
  });
};

/** Replaces the state. Fails if it is stale. */
export const replace = async (
  store: TodaysStore,
  key: SessionKey,
  next: StateRecord,
): Promise<void> => {
  expectEqual(await answerOf(replacing(store, key, next)), 'replaced', 'replace');
};

/** Inserts a session and starts it. Its state then has revision 2. */
export const insertActive = async (
  store: TodaysStore,
  key: SessionKey,
  head: SessionHead = headOf(key.id),
): Promise<Contents> => {
  await insert(store, key, head);
  const state = live('ACTIVE', { revision: 2 });
  await replace(store, key, state);
  return { head, state, history: [] };
};

/** Appends an entry for each of `contents`, and returns the position. */
export const append = async (
  store: TodaysStore,
  key: SessionKey,
  contents: readonly string[],
  operationId?: string,
): Promise<number> => {
  const entries = contents.map((content) => say(content));
  const call = {
    entries,
    now: NOON,
    ...(operationId === undefined ? {} : { operation: operationOf(operationId) }),
  };
  const answer = await answerOf(store.append(key, call));
  if (answer.outcome === 'appended') return answer.position;
  throw new Error(`append answered ${answer.outcome}`);
};

/** The contents of the entries of a session, oldest first. */
export const said = async (
  store: TodaysStore,
  key: SessionKey,
): Promise<readonly string[] | undefined> => {
  const found = await answerOf(store.find(key));
  return found?.history.map(({ content }) => content);
};

/** The ids on one page. */
export const idsOn = async (
  store: TodaysStore,
  tenant: string,
  offset = 0,
  limit = 100,
): Promise<readonly string[]> => {
  const page = await answerOf(store.list(tenant, { offset, limit }));
  return page.records.map(({ head }) => head.id);
};
