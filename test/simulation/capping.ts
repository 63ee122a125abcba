import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionEvent } from '../../src/index.js';
import { type SimulatedHost, type SimulationReport, simulate } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { eventsOf, wait } from './steps.js';

const CAP = 2;
const SESSIONS = 4;
const COMMANDS = 25;

const commands = ['start', 'start', 'resume', 'pause', 'terminate', 'delete'] as const;

/** Changes the status of sessions at random, and replaces those that have ended. */
const work = async (host: SimulatedHost): Promise<void> => {
  const { sessions, random } = host;
  for (let turn = 0; turn < COMMANDS; turn += 1) {
    const at = Math.floor(SESSIONS * random());
    const created = await sessions.create({
      ...{ face: 'ada', profile: 'tutor', idempotencyKey: `${at}-${Math.floor(3 * random())}` },
      ...(random() < 0.3 && { start: true }),
    });
    const command = commands[Math.floor(commands.length * random())] ?? 'start';
    if (created.isOk()) await sessions[command](created.value.id);
    await wait(host, 0.02 * random());
  }
};

const counts: Partial<Record<SessionEvent['type'], boolean>> = {
  'session.started': true,
  'session.terminated': false,
  'session.deleted': false,
};

/**
 * Checks that the limit was never exceeded, and that as many sessions can be started afterwards.
 */
const check = async (store: SessionStore, sessions: SimulatedHost['sessions']): Promise<void> => {
  const live = new Set<string>();
  for (const { type, sessionId } of await eventsOf(store)) {
    if (counts[type] === true) live.add(sessionId);
    if (counts[type] === false) live.delete(sessionId);
    if (live.size > CAP) throw new Error(`${live.size} sessions are ACTIVE or PAUSED`);
  }
  for (let left = CAP - live.size; left >= 0; left -= 1) {
    const started = await sessions.create({ face: 'ada', profile: 'tutor', start: true });
    if (started.isOk() !== left > 0)
      throw new Error(`with room for ${left} the answer is ${JSON.stringify(started)}`);
  }
};

/** Three hosts start, pause and end sessions of a tenant with a limit of two live sessions. */
export const simulateCaps = (
  makeStore: (seed: number) => SessionStore | Promise<SessionStore>,
  seeds: number | readonly number[],
  firstSeed = 1,
): Promise<SimulationReport> => {
  let store: SessionStore = new MemorySessionStore();
  return simulate({
    seeds,
    firstSeed,
    hosts: 3,
    duration: 10,
    calm: 100,
    service: { limits: { activeSessions: CAP } },
    store: async (seed) => {
      store = await makeStore(seed);
      return store;
    },
    host: work,
    check: ({ sessions }) => check(store, sessions),
    onProgress: () => {},
  });
};
