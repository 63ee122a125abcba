import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type Session, type SessionEvent, type SessionService, unwrap } from '../../src/index.js';
import { type SimulationReport, simulate } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { eventsOf } from './steps.js';
import { type Appended, LIMIT, nothingTold, prepare, type Told, talk, terms } from './talking.js';

const expectThat = (holds: boolean, message: string): void => {
  if (!holds) throw new Error(message);
};

/** An append has exactly one event, after its `ifPosition` and while its holder had the lease. */
const expectInPlace = (appended: Appended, events: readonly SessionEvent[], told: Told): void => {
  const { id, name, position, ifPosition, holder, until } = appended;
  const at = events.findIndex(
    (event) => event.type === 'session.appended' && event.historyPosition === position,
  );
  expectThat(at >= 0, `${name} of ${id} has no event`);
  const before = events.slice(0, at);
  const last = before.findLast((event) => event.type === 'session.appended');
  const end = last?.type === 'session.appended' ? last.historyPosition : 0;
  expectThat(
    ifPosition === undefined || ifPosition === end,
    `${name} of ${id} is not where the history ended`,
  );
  const lease = before.findLast(
    ({ type }) => type === 'session.leased' || type === 'session.released',
  );
  const isHeld =
    lease?.type === 'session.leased' && told.holders.get(`${id} ${lease.fencingToken}`) === holder;
  expectThat(holder === undefined || isHeld, `${name} of ${id} was written after the lease`);
  const writtenAt = Date.parse(events[at]?.at ?? '');
  expectThat(
    until === undefined || writtenAt < until,
    `${name} of ${id} was written when the lease had run out`,
  );
};

/** A session ends once, for one reason, and its end is reported. */
const expectEnd = (
  { id, status, endReason }: Session,
  own: readonly SessionEvent[],
  told: Told,
): void => {
  const ends = own.filter(({ type }) => type === 'session.terminated');
  expectThat(
    ends.length === (status === 'TERMINATED' ? 1 : 0),
    `${id} is ${status} and has ended ${ends.length} times`,
  );
  const [end] = ends;
  if (end?.type !== 'session.terminated') return;
  expectThat(
    end.endReason === endReason,
    `${id} ended by ${endReason}, and its event says ${end.endReason}`,
  );
  const report = told.ends.get(id);
  expectThat(report !== undefined, `nobody was told that ${id} ended`);
  expectThat(
    report?.endReason === endReason,
    `${id} ended by ${endReason}, and ${report?.endReason} was reported`,
  );
  expectThat(
    report?.endedAt === end.at,
    `${id} ended at ${end.at}, and ${report?.endedAt} was reported`,
  );
  const late = own.slice(own.indexOf(end)).filter(({ type }) => type === 'session.appended');
  const graceEnds = Date.parse(end.at) + 1000 * terms.gracePeriod;
  expectThat(
    late.every(({ at }) => Date.parse(at) < graceEnds),
    `${id} has entries from after its grace period`,
  );
};

const expectSession = (session: Session, own: readonly SessionEvent[], told: Told): void => {
  const { id, history } = session;
  expectThat(
    own.every(({ sequence }, at) => sequence === at + 1),
    `the events of ${id} have a gap`,
  );
  const contents = history.map(({ content }) => content).filter((content) => content !== '');
  expectThat(new Set(contents).size === contents.length, `${id} has an entry twice`);
  const positions = own.flatMap((event) =>
    event.type === 'session.appended' ? [event.historyPosition] : [],
  );
  expectThat(
    positions.every((position, at) => at === 0 || position > (positions[at - 1] ?? 0)),
    `positions of ${id} fall`,
  );
  for (const appended of told.appended.filter((each) => each.id === id))
    expectInPlace(appended, own, told);
  expectThat(session.durationMs <= LIMIT * 1000, `${id} was ACTIVE for too long`);
  const changed = own.flatMap((event) =>
    event.type === 'session.updated' ? event.labelsChanged : [],
  );
  expectThat(
    changed.includes('last') === (session.labels['last'] !== undefined),
    `${id} has other labels than its events`,
  );
  expectEnd(session, own, told);
};

/** Expects that every list contains the sessions it should. */
const expectLists = async (sessions: SessionService, all: readonly Session[]): Promise<void> => {
  const expectTotal = async (query: object, is: (session: Session) => boolean, name: string) => {
    const { total } = unwrap(await sessions.list({ ...query, limit: 1 }));
    expectThat(total === all.filter(is).length, `the total of ${name} is wrong`);
  };
  await expectTotal({}, () => true, 'all');
  for (const user of ['u:1', 'u:2'])
    await expectTotal({ labels: { user } }, ({ labels }) => labels['user'] === user, user);
};

/** Checks the invariants of the store after the hosts have finished. */
const check = async (sessions: SessionService, store: SessionStore, told: Told): Promise<void> => {
  const events = await eventsOf(store);
  const all: Session[] = [];
  for await (const each of sessions.each()) all.push(unwrap(each));
  for (const session of all) {
    const { id, history } = session;
    expectSession(
      session,
      events.filter((event) => event.sessionId === id),
      told,
    );
    const parts = unwrap(await sessions.history(id, { last: 1000 })).entries.map(
      ({ content }) => content,
    );
    expectThat(
      parts.join() === history.map(({ content }) => content).join(),
      `${id} reads in two ways`,
    );
  }
  await expectLists(sessions, all);
  expectThat(told.faults.length === 0, told.faults[0] ?? '');
  const started = events
    .filter(({ type }) => type === 'session.started')
    .map(({ sessionId }) => sessionId);
  for (const { type, sessionId } of events)
    if (type === 'session.deleted' && started.includes(sessionId))
      expectThat(
        told.ends.has(sessionId),
        `nobody was told that ${sessionId} ended, which was deleted`,
      );
  const ids = events.map(({ id }) => id);
  expectThat(new Set(ids).size === ids.length, 'an event was told twice');
  const missing = ids.find((id, at) => told.seen[at] !== id);
  expectThat(missing === undefined, `the watcher has not seen event ${missing} in its place`);
  expectThat(
    told.seen.length === ids.length,
    'the watcher has seen events that are not in the log',
  );
};

/**
 * Hosts use all operations on one store, with all faults in the first minute. `calm`: seconds after
 * it. `onSetUp` is called before the hosts start, and `onCheck` at the end.
 */
export const simulateTalks = (
  makeStore: (seed: number) => SessionStore | Promise<SessionStore>,
  seeds: number | readonly number[],
  firstSeed = 1,
  { calm = 180, onSetUp = (): void => {}, onCheck = (): void => {} } = {},
): Promise<SimulationReport> => {
  let store: SessionStore = new MemorySessionStore();
  let told = nothingTold();
  return simulate({
    seeds,
    firstSeed,
    hosts: 2,
    duration: 60,
    calm,
    service: terms,
    store: async (seed) => {
      store = await makeStore(seed);
      told = nothingTold();
      return store;
    },
    setup: async (simulated) => {
      await prepare(simulated);
      onSetUp();
    },
    host: (host) => talk(host, told),
    check: ({ sessions }) => {
      onCheck();
      return check(sessions, store, told);
    },
    onProgress: () => {},
  });
};
