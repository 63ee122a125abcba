import {
  type SessionEvent,
  SessionService,
  type SessionStatus,
  type SessionStore,
} from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import type { Ledger } from './ledger.js';

/** What does not agree with what the writers were told, or with itself. */
export interface Audit {
  /** Acknowledged and not there. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** There, although an answer said that it is not, or in a state that no answer allows. */
  readonly untrue: readonly string[];
  /** Listed where it does not belong, not listed where it does, or counted wrongly. */
  readonly misplaced: readonly string[];
  /** Changes without their event, and events without a change. */
  readonly untold: readonly string[];
  /** Number of sessions that are there. */
  readonly sessions: number;
}

type Findings = Record<Exclude<keyof Audit, 'sessions'>, string[]>;

const STATUSES: readonly SessionStatus[] = ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'];

/** All events of a tenant by session, in the order of the log. */
export const eventsOf = async (
  { events }: SessionStore,
  tenant: string,
): Promise<Map<string, SessionEvent[]>> => {
  if (events === undefined) throw new Error('the store has no events');
  const all = new Map<string, SessionEvent[]>();
  for (let position = '0'; ; ) {
    const page = await answerOf(events.read(events.streamOf(tenant), position, 5000));
    for (const event of page.events) {
      if (event.tenant === tenant)
        all.set(event.sessionId, [...(all.get(event.sessionId) ?? []), event]);
    }
    if (page.position === position) return all;
    position = page.position;
  }
};

/** Ids as often as a list has them, and the total that it names. */
const idsOf = async (
  sessions: SessionService,
  filter: { readonly status?: SessionStatus } = {},
) => {
  const ids: string[] = [];
  let total = 0;
  for (let after: string | undefined; ; ) {
    const page = (
      await sessions.list({
        limit: 100,
        historyLimit: 0,
        ...filter,
        ...(after && { cursor: after }),
      })
    )._unsafeUnwrap();
    ids.push(...page.sessions.map(({ id }) => id), ...page.unreadable);
    total = page.total;
    if (page.nextCursor === undefined) return { ids, total };
    after = page.nextCursor;
  }
};

/** Ids with their status, from the lists of all statuses, and what is wrong with the lists. */
const listsOf = async (
  sessions: SessionService,
  misplaced: string[],
): Promise<ReadonlyMap<string, SessionStatus>> => {
  const all = await idsOf(sessions);
  if (all.total !== all.ids.length)
    misplaced.push(`the total is ${all.total} of ${all.ids.length}`);
  const found = new Map<string, SessionStatus>();
  for (const status of STATUSES) {
    const { ids, total } = await idsOf(sessions, { status });
    if (total !== ids.length) misplaced.push(`the total of ${status} is ${total} of ${ids.length}`);
    for (const id of ids) {
      if (found.has(id)) misplaced.push(`${id} is listed twice by status`);
      found.set(id, status);
    }
  }
  if (new Set(all.ids).size !== all.ids.length) misplaced.push('a session is listed twice');
  const [one, other] = [all.ids.toSorted(), [...found.keys()].toSorted()];
  if (one.join() !== other.join())
    misplaced.push(`${one.length} are listed, and ${other.length} by status`);
  return found;
};

const groupsOf = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

const isInOrder = (part: readonly string[], whole: readonly string[]): boolean => {
  let at = 0;
  for (const content of whole) if (content === part[at]) at += 1;
  return at === part.length;
};

/** Compares the history of a session that is there with what its writers know. */
const auditHistory = (
  id: string,
  contents: readonly string[],
  ledgers: readonly Ledger[],
  found: Findings,
): void => {
  const seen = new Set(contents);
  const known = new Set(
    ledgers.flatMap(({ acknowledged, doubtful }) => [...acknowledged, ...doubtful.keys()]),
  );
  for (const { by, acknowledged } of ledgers) {
    found.lost.push(...acknowledged.filter((content) => !seen.has(content)));
    if (!isInOrder(acknowledged, contents))
      found.untrue.push(`${id} has the entries of ${by} in another order`);
  }
  if (seen.size < contents.length)
    found.doubled.push(...contents.filter((text, at) => contents.indexOf(text) !== at));
  found.untrue.push(
    ...contents.filter((text) => !known.has(text)).map((text) => `${id} has ${text}`),
  );
};

/**
 * A change and its event are one transaction: the events are all there, and have the numbers 1 to
 * `sequence`.
 */
const auditEvents = (
  id: string,
  events: readonly SessionEvent[],
  present: { readonly sequence: number; readonly appends: number } | undefined,
  ledgers: readonly Ledger[],
  untold: string[],
): void => {
  const numbers = events.map(({ sequence }) => sequence).join();
  if (numbers !== events.map((_, at) => at + 1).join())
    untold.push(`${id} has the events ${numbers}`);
  const appends = events.filter(({ type }) => type === 'session.appended').length;
  if (present !== undefined) {
    if (events.length !== present.sequence)
      untold.push(`${id} has ${present.sequence} changes, ${events.length} told`);
    if (appends !== present.appends)
      untold.push(`${id} has ${present.appends} appends, ${appends} told`);
    return;
  }
  const acknowledged = ledgers.reduce((sum, ledger) => sum + ledger.acknowledged.length, 0);
  const doubtful = ledgers.reduce((sum, ledger) => sum + ledger.doubtful.size, 0);
  const isRight = appends >= acknowledged && appends <= acknowledged + doubtful;
  if (events.length > 0 && !isRight)
    untold.push(`${id} is gone with ${appends} appends told of ${acknowledged}`);
  const last = events.at(-1)?.type;
  if (last !== undefined && last !== 'session.deleted')
    untold.push(`${id} is gone, and its last event is ${last}`);
  if (last === undefined && ledgers.some(({ presence }) => presence === 'gone'))
    untold.push(`${id} has no events`);
};

const auditTenant = async (
  store: SessionStore,
  tenant: string,
  ledgers: readonly Ledger[],
  found: Findings,
) => {
  const sessions = new SessionService({ store }).forTenant(tenant);
  const listed = await listsOf(sessions, found.misplaced);
  const told = await eventsOf(store, tenant);
  const byId = groupsOf(ledgers, ({ id }) => id);
  for (const id of listed.keys()) if (!byId.has(id)) found.untrue.push(`nobody has created ${id}`);
  for (const [id, theirs] of byId) {
    const record = await answerOf(store.find({ tenant, id }));
    const status = record?.state.status;
    if (listed.get(id) !== status)
      found.misplaced.push(`${id} is ${status}, and listed as ${listed.get(id)}`);
    const present = record && { sequence: record.sequence, appends: record.historyCount };
    auditEvents(id, told.get(id) ?? [], present, theirs, found.untold);
    if (record === undefined) {
      if (theirs.some(({ presence }) => presence === 'there')) found.lost.push(id);
      continue;
    }
    if (theirs.some(({ presence }) => presence === 'gone')) found.untrue.push(`${id} came back`);
    if (theirs.every(({ presence }) => presence === 'never there'))
      found.untrue.push(`${id} is there`);
    const statuses = theirs.flatMap((ledger) => ledger.statuses);
    if (!statuses.includes(record.state.status))
      found.untrue.push(`${id} is ${status}, not ${statuses.join(' or ')}`);
    const contents = record.history.map(({ content }) => content);
    auditHistory(id, contents, theirs, found);
  }
  return listed.size;
};

/**
 * Repeats each append that is in doubt, and gives those that are not there exactly once after it.
 */
export const settle = async (
  store: SessionStore,
  ledgers: readonly Ledger[],
): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const { tenant, id, doubtful } of ledgers) {
    const sessions = new SessionService({ store }).forTenant(tenant);
    for (const [content, operationId] of doubtful) {
      if (operationId === undefined) continue;
      const repeated = await sessions.append(id, [{ role: 'user', content }], { operationId });
      const history = (await sessions.get(id)).map((session) => session.history).unwrapOr([]);
      const times = history.filter((entry) => entry.content === content).length;
      // A session that has ended or gone takes nothing more.
      if (times !== (repeated.isOk() ? 1 : 0)) wrong.push(`${content} is there ${times} times`);
    }
  }
  return wrong;
};

/** Compares all that is in a database with the ledgers of those who have written to it. */
export const audit = async (store: SessionStore, ledgers: readonly Ledger[]): Promise<Audit> => {
  const found: Findings = { lost: [], doubled: [], untrue: [], misplaced: [], untold: [] };
  let sessions = 0;
  for (const [tenant, theirs] of groupsOf(ledgers, (ledger) => ledger.tenant)) {
    sessions += await auditTenant(store, tenant, theirs, found);
  }
  return { ...found, sessions };
};

/** The audit of a sound database. */
export const nothingWrong = { lost: [], doubled: [], untrue: [], misplaced: [], untold: [] };
