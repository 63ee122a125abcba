import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  type AppendOptions,
  createSweeper,
  type ResultAsync,
  type SessionEvent,
  type SessionService,
  unwrap,
} from '../../src/index.js';
import { type FaultType, type SimulatedHost, type SimulationReport, simulate } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';

const SESSIONS = 2;
/** Seconds. */
const LIMIT = 40;

/** An acknowledged append. */
interface Appended {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly ifPosition: number | undefined;
  /** Who held the lease whose token it had. */
  readonly holder: string | undefined;
}

/** What the hosts were told, which no crash takes from the test. */
interface Told {
  readonly appended: Appended[];
  readonly ends: Set<string>;
  /** Holders of leases, by session and token. */
  readonly holders: Map<string, string>;
  readonly faults: string[];
}

const wait = ({ clock }: SimulatedHost, seconds: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(1000 * seconds, resolve);
  });

/** Sends an append until it is certain what has become of it. */
const appendFor = async (
  host: SimulatedHost,
  told: Told,
  id: string,
  name: string,
  { holder, ...conditions }: AppendOptions & { readonly holder?: string } = {},
): Promise<void> => {
  for (;;) {
    const appended = await host.sessions.append(id, [{ role: 'user', content: name }], {
      operationId: name,
      ...conditions,
    });
    if (appended.isOk())
      told.appended.push({ id, name, position: appended.value.position, holder, ifPosition: conditions.ifPosition });
    if (appended.isOk() || appended.error.type !== 'store_unavailable') return;
    await wait(host, 1);
  }
};

/** One of the things that programs do with a session. */
const actions: readonly ((
  host: SimulatedHost,
  told: Told,
  id: string,
  name: string,
) => Promise<unknown> | ResultAsync<unknown, unknown>)[] = [
  (host, told, id, name) => appendFor(host, told, id, name),
  (host, told, id, name) => appendFor(host, told, id, name),
  async (host, told, id, name) => {
    const part = await host.sessions.history(id, { last: 2 });
    await wait(host, 2 * host.random());
    if (part.isOk()) await appendFor(host, told, id, name, { ifPosition: part.value.position });
  },
  async (host, told, id, name) => {
    const part = await host.sessions.history(id, { last: 1 });
    if (part.isErr()) return;
    const { start, position } = part.value;
    await wait(host, 2 * host.random());
    await appendFor(host, told, id, name, { after: start, ifPosition: position });
  },
  async (host, told, id, name) => {
    const holder = `${host.host} ${name}`;
    await host.sessions.withLease(id, { holder, seconds: 5 }, async ({ fencingToken }) => {
      const before = told.holders.get(`${id} ${fencingToken}`);
      if (before !== undefined && before !== holder) told.faults.push(`two holders have the token of ${id}`);
      told.holders.set(`${id} ${fencingToken}`, holder);
      await wait(host, 6 * host.random());
      await appendFor(host, told, id, name, { fencingToken, holder });
    });
  },
  ({ sessions }, _, id) => sessions.pause(id),
  ({ sessions }, _, id) => sessions.resume(id),
  ({ sessions }, _, id) => sessions.extend(id, { timeLimit: LIMIT }),
  async ({ sessions }, _told, _id, name) => {
    const created = await sessions.create({ face: 'ada', profile: 'tutor', start: true, timeLimit: LIMIT });
    if (created.isOk()) await sessions.update(created.value.id, { labels: { by: name } });
  },
];

/** A host that does one thing after another, and reports ends. */
const talk = (told: Told) => async (host: SimulatedHost) => {
  const { sessions, signal, random } = host;
  const sweeper = createSweeper(sessions, { onEnded: ({ id }) => void told.ends.add(id) });
  const start = Math.floor(random() * 1e9);
  for (let turn = 1; !signal.aborted; turn += 1) {
    const id = `s${1 + Math.floor(random() * SESSIONS)}`;
    const action = actions[Math.floor(random() * actions.length)];
    await action?.(host, told, id, `${host.host}-${start}-${turn}`);
    if (turn % 4 === 0) await sweeper.sweepOnce();
    await wait(host, 3 * random());
  }
};

const eventsOf = async (store: SessionStore): Promise<readonly SessionEvent[]> => {
  const { events } = store;
  if (events === undefined) throw new Error('the store has no events');
  const page = unwrap(await events.read(events.streamOf('default'), '0', 100_000));
  return page.events;
};

const expectThat = (holds: boolean, message: string): void => {
  if (!holds) throw new Error(message);
};

/** An append has one event: behind the position that it asked for, and while the holder of its lease had it. */
const expectInPlace = ({ id, name, position, ifPosition, holder }: Appended, events: readonly SessionEvent[]): void => {
  const at = events.findIndex((event) => event.type === 'session.appended' && event.historyPosition === position);
  expectThat(at >= 0, `${name} of ${id} has no event`);
  const before = events.slice(0, at);
  const last = before.findLast((event) => event.type === 'session.appended');
  const end = last?.type === 'session.appended' ? last.historyPosition : 0;
  expectThat(ifPosition === undefined || ifPosition === end, `${name} of ${id} is not where the history ended`);
  const lease = before.findLast(({ type }) => type === 'session.leased' || type === 'session.released');
  const isHeld = lease?.type === 'session.leased' && lease.holder === holder;
  expectThat(holder === undefined || isHeld, `${name} of ${id} was written after the lease`);
};

/** What must be true of the store after all that the hosts have done. */
const check = async (sessions: SessionService, store: SessionStore, told: Told): Promise<void> => {
  expectThat(told.faults.length === 0, told.faults[0] ?? '');
  // What has ended since the last sweep of a host.
  for (let sweep = 0; sweep < 3; sweep += 1)
    unwrap(await sessions.sweep(1000, { onEnded: ({ id }) => void told.ends.add(id) }));
  const events = await eventsOf(store);
  const all: string[] = [];
  for await (const each of sessions.each()) {
    const session = unwrap(each);
    const { id, history } = session;
    all.push(id);
    const own = events.filter((event) => event.sessionId === id);
    expectThat(
      own.every(({ sequence }, at) => sequence === at + 1),
      `the events of ${id} have a gap`,
    );
    const contents = history.map(({ content }) => content);
    expectThat(new Set(contents).size === contents.length, `${id} has an entry twice`);
    const positions = own.flatMap((event) => (event.type === 'session.appended' ? [event.historyPosition] : []));
    expectThat(
      positions.every((position, at) => at === 0 || position > (positions[at - 1] ?? 0)),
      `positions of ${id} fall`,
    );
    for (const appended of told.appended.filter((each) => each.id === id)) expectInPlace(appended, own);
    const kept = unwrap(await sessions.history(id, { last: 1000 })).entries.map(({ content }) => content);
    expectThat(kept.join() === contents.join(), `${id} reads in two ways`);
    expectThat(session.durationMs <= LIMIT * 1000, `${id} was ACTIVE for too long`);
    if (session.status === 'TERMINATED') expectThat(told.ends.has(id), `nobody was told that ${id} ended`);
  }
  const listed = unwrap(await sessions.list({ limit: 100 }));
  expectThat(listed.total === all.length, 'the total is wrong');
  const places = new Set(events.map(({ sessionId, sequence }) => `${sessionId} ${sequence}`));
  expectThat(places.size === events.length, 'an event was told twice');
};

/** Hosts that talk, rewind, lease, pause, extend, create and sweep on one store, with all that may go wrong. */
export const simulateTalks = (
  makeStore: () => Promise<SessionStore>,
  seeds: number | readonly number[],
  faults?: readonly FaultType[],
): Promise<SimulationReport> => {
  let store: SessionStore = new MemorySessionStore();
  let told: Told = { appended: [], ends: new Set(), holders: new Map(), faults: [] };
  return simulate({
    seeds,
    ...(faults && { faults }),
    hosts: 2,
    duration: 60,
    calm: 150,
    service: { idleTimeout: 20 },
    store: async () => {
      store = await makeStore();
      told = { appended: [], ends: new Set(), holders: new Map(), faults: [] };
      return store;
    },
    setup: async ({ sessions }) => {
      for (let session = 0; session < SESSIONS; session += 1) {
        unwrap(await sessions.create({ face: 'ada', profile: 'tutor', start: true, timeLimit: LIMIT }));
      }
    },
    host: (host) => talk(told)(host),
    check: ({ sessions }) => check(sessions, store, told),
    onProgress: () => {},
  });
};
