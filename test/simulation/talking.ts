import {
  type AppendOptions,
  createSweeper,
  type EndedSession,
  type NewHistoryEntry,
  type ResultAsync,
  type RewindInput,
  unwrap,
} from '../../src/index.js';
import type { SimulatedHost, SimulatedSessions } from '../../src/simulation/index.js';
import { aborted, wait } from './steps.js';

const SESSIONS = 2;
/** Seconds. */
export const LIMIT = 40;
const GRACE = 5;
const LEASE = 5;
/** Seconds of activity; afterwards watchers and sweepers catch up. */
const TALK = 110;
/**
 * Seconds that the watch continues after the last write of its host. A host whose clock was set
 * back talks until the end of the run, and the other host may still finish a call then.
 */
const WATCH_ON = 20;

/** Options of the service: sessions expire in three ways. */
export const terms = { idleTimeout: 20, inactivityTimeout: 30, gracePeriod: GRACE };

/** An acknowledged append. */
export interface Appended {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly ifPosition: number | undefined;
  /** The holder of the lease whose token it had, and until when, in milliseconds. */
  readonly holder: string | undefined;
  readonly until: number | undefined;
}

/** Everything that the hosts learned. It survives their crashes. */
export interface Told {
  readonly appended: Appended[];
  readonly ends: Map<string, EndedSession>;
  /** Holders of leases, by session and token. */
  readonly holders: Map<string, string>;
  /** Event ids in the order that a watcher has seen them, and where it continues. */
  readonly seen: string[];
  from: string;
  /** Violations found during the run. */
  readonly faults: string[];
}

export const nothingTold = (): Told => ({
  appended: [],
  ends: new Map(),
  holders: new Map(),
  seen: [],
  from: '0',
  faults: [],
});

/** Conditions of an append, or of a rewind if `to` is set. */
type Conditions = AppendOptions | Omit<RewindInput, 'entries'>;

const send = (
  { sessions }: SimulatedHost,
  id: string,
  entries: readonly NewHistoryEntry[],
  conditions: Conditions,
) =>
  'to' in conditions
    ? sessions.rewind(id, { ...conditions, entries })
    : sessions.append(id, entries, conditions);

/** Repeats an append or a rewind until its outcome is known, and sometimes once more. */
const appendFor = async (
  host: SimulatedHost,
  told: Told,
  id: string,
  name: string,
  {
    holder,
    until,
    ...conditions
  }: Conditions & { readonly holder?: string; readonly until?: number } = {},
): Promise<void> => {
  for (let sendAgain = host.random() < 0.3; ; ) {
    const { ifPosition } = conditions;
    const entries = [{ role: 'user', content: name }];
    const appended = await send(host, id, entries, { operationId: name, ...conditions });
    if (appended.isOk())
      told.appended.push({
        id,
        name,
        position: appended.value.position,
        holder,
        until,
        ifPosition,
      });
    const isCertain = appended.isOk() || appended.error.type !== 'store_unavailable';
    if (isCertain && !sendAgain) return;
    if (isCertain) sendAgain = false;
    await wait(host, 1);
  }
};

type Action = (
  host: SimulatedHost,
  told: Told,
  id: string,
  name: string,
) => Promise<unknown> | ResultAsync<unknown, unknown>;

const appendAtTheEnd: Action = async (host, told, id, name) => {
  const part = await host.sessions.history(id, { last: 2 });
  await wait(host, 2 * host.random());
  if (part.isOk()) await appendFor(host, told, id, name, { ifPosition: part.value.position });
};

const rewind: Action = async (host, told, id, name) => {
  const part = await host.sessions.history(id, { last: 1 });
  if (part.isErr()) return;
  const { start, position } = part.value;
  await wait(host, 2 * host.random());
  await appendFor(host, told, id, name, { to: start, ifPosition: position });
};

/** Records a lease. Two holders never have the same token. */
const take = (told: Told, id: string, holder: string, fencingToken: number): void => {
  const before = told.holders.get(`${id} ${fencingToken}`);
  if (before !== undefined && before !== holder)
    told.faults.push(`two holders have the token of ${id}`);
  told.holders.set(`${id} ${fencingToken}`, holder);
};

/** Writes with the token of a lease that may have expired or been taken over. */
const writeLate: Action = async (host, told, id, name) => {
  const holder = `${host.host} ${name}`;
  const leased = await host.sessions.lease(id, { holder, seconds: LEASE });
  if (leased.isErr()) return;
  const { fencingToken, until } = leased.value;
  take(told, id, holder, fencingToken);
  await wait(host, 1.5 * LEASE * host.random());
  await appendFor(host, told, id, name, { fencingToken, holder, until: Date.parse(until) });
  if (host.random() < 0.3) await host.sessions.release(id, { fencingToken });
};

const writeLeased: Action = async (host, told, id, name) => {
  const holder = `${host.host} ${name}`;
  await host.sessions.withLease(id, { holder, seconds: LEASE }, async ({ fencingToken }) => {
    take(told, id, holder, fencingToken);
    await wait(host, 1.5 * LEASE * host.random());
    await appendFor(host, told, id, name, { fencingToken, holder });
  });
};

/** Creates a session with a given life time, and ends or deletes it in a random way. */
const createAndEnd: Action = async (host, told, _id, name) => {
  const { sessions, random } = host;
  const entries = [{ role: 'user', content: `first-of-${name}` }];
  const created = await sessions.create({
    ...{
      face: 'ada',
      profile: 'tutor',
      timeLimit: LIMIT,
      labels: { user: `u:${host.host}` },
      idempotencyKey: name,
    },
    ...(random() < 0.7 && { start: true, entries }),
  });
  if (created.isErr()) return;
  const { id } = created.value;
  await wait(host, 3 * random());
  const end = Math.floor(5 * random());
  if (end === 0) await sessions.terminate(id);
  if (end === 1) await sessions.fail(id);
  if (end === 2) await sessions.delete(id);
  if (end === 3) await sessions.redact(id, [1]);
  await wait(host, 1.5 * GRACE * random());
  await appendFor(host, told, id, `last-of-${name}`);
  if (random() < 0.3) await sessions.delete(id);
};

const actions: readonly Action[] = [
  appendFor,
  appendAtTheEnd,
  rewind,
  writeLate,
  writeLate,
  writeLeased,
  createAndEnd,
  createAndEnd,
  ({ sessions }, _, id) => sessions.pause(id),
  ({ sessions }, _, id) => sessions.resume(id),
  ({ sessions }, _, id) => sessions.extend(id, { timeLimit: LIMIT }),
  ({ sessions, host }, _, id, name) =>
    sessions.update(id, { labels: { user: `u:${host}`, last: name.slice(0, 30) } }),
];

/** Everything but labels, which may change after the end. */
const billOf = ({ labels: _, ...bill }: EndedSession): string => JSON.stringify(bill);

/** Watches all changes, and resumes where it was when it died. */
const watchAll = async (host: SimulatedHost, told: Told, signal: AbortSignal): Promise<void> => {
  const { sessions } = host;
  while (!signal.aborted) {
    for await (const item of sessions.watchAll({ cursor: told.from, leases: true, signal })) {
      if (item.isErr()) break;
      if (item.value.type === 'events_lost')
        told.faults.push('the watcher was told of lost events');
      else if (!told.seen.includes(item.value.id)) told.seen.push(item.value.id);
      told.from = item.value.cursor;
    }
    await wait(host, 1);
  }
};

/**
 * A host that performs actions, reports ends and watches. Each process uses four of the actions, so
 * that some runs contain many of one kind (Groce and others, "Swarm testing", 2012).
 */
export const talk = async (host: SimulatedHost, told: Told): Promise<void> => {
  const { sessions, signal, random, clock } = host;
  const sweeper = createSweeper(sessions, {
    interval: 5,
    onEnded: (ended) => {
      const before = told.ends.get(ended.id);
      if (before !== undefined && billOf(before) !== billOf(ended))
        told.faults.push(`${ended.id} was reported to end in two ways`);
      told.ends.set(ended.id, ended);
    },
  });
  sweeper.start();
  const watch = new AbortController();
  const watching = host.host === 1 ? watchAll(host, told, watch.signal) : undefined;
  const mine = [0, 1, 2, 3].map(() => actions[Math.floor(random() * actions.length)]);
  const start = Math.floor(random() * 1e9);
  const began = clock.now();
  for (let turn = 1; !signal.aborted && clock.now() < began + TALK * 1000; turn += 1) {
    const id = `s${1 + Math.floor(random() * SESSIONS)}`;
    await mine[turn % mine.length]?.(host, told, id, `${host.host}-${start}-${turn}`);
    await wait(host, 3 * random());
  }
  await aborted(signal);
  await sweeper.stop();
  if (watching === undefined) return;
  await wait(host, WATCH_ON);
  watch.abort();
  await watching;
};

export const prepare = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for (let session = 0; session < SESSIONS; session += 1) {
    unwrap(await sessions.create({ face: 'ada', profile: 'tutor', start: true, timeLimit: LIMIT }));
  }
};
