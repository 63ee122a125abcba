import { idOfIdempotencyKey } from '../../src/session/ids.js';
import { type SimulatedHost, type SimulationReport, simulate } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { Engine } from '../faults/races/engine.js';
import { bySession, type Call, isLinear } from '../faults/races/linear.js';
import type { Command } from '../faults/races/model.js';
import { wait } from './steps.js';

const HOSTS = 3;
/** Number of commands of a host, over all its processes. */
const COMMANDS = 12;

/**
 * Sessions `a` and `b` are deleted and recreated. Session `c` stays, because a position belongs to
 * one session.
 */
const [mortal, lasting] = [['a', 'b'], 'c'] as const;

/** What survives the crashes of hosts: all calls, and the order in which they began and ended. */
interface Record {
  readonly calls: Set<Call>;
  instant: number;
  texts: number;
}

const one = <T>([first, ...more]: readonly [T, ...T[]], random: () => number): T =>
  more[Math.floor(random() * (more.length + 1)) - 1] ?? first;

const changes = ['start', 'start', 'pause', 'resume', 'terminate', 'fail'] as const;
const names = ['', 'once', 'twice'] as const;

/** An append on the condition that its caller has last seen. */
const conditional = async (
  engine: Engine,
  text: string,
  random: () => number,
): Promise<Command> => {
  const seen = await engine.look(lasting);
  const append = { type: 'append', key: lasting, text, name: text } as const;
  if (seen === undefined) return append;
  const last = seen.at(-1) ?? '';
  const to = random() < 0.2 ? '' : (seen.at(-2) ?? '');
  return one<Command>(
    [
      { ...append, ifLast: last },
      { ...append, type: 'rewind', ifLast: last, to },
      { ...append, type: 'rewind', ifLast: last, to },
    ],
    random,
  );
};

const nextCommand = async (
  engine: Engine,
  record: Record,
  random: () => number,
): Promise<Command> => {
  const key = one([lasting, ...mortal], random);
  const name = one(names, random);
  record.texts += 1;
  const text = `text-${record.texts}`;
  const given = name === '' ? {} : { name };
  const dice = random();
  if (dice < 0.15) return { type: 'create', key, timeLimit: 0 };
  if (dice < 0.4) return { type: one(changes, random), key, ...given };
  if (dice < 0.6)
    return { type: 'append', key, text: name === '' ? text : `text of ${name}`, ...given };
  if (dice < 0.8) return conditional(engine, text, random);
  if (dice < 0.95 || key === lasting) return { type: 'get', key };
  return { type: 'delete', key };
};

/** Sends a command and records its result. */
const give = async (engine: Engine, record: Record, command: Command): Promise<void> => {
  record.instant += 1;
  const call: Call = { command, began: record.instant };
  record.calls.add(call);
  const answer = await engine.run(command);
  record.instant += 1;
  if (answer === 'unknown') return;
  record.calls.delete(call);
  // A command that was not applied has no effect on the order.
  if (answer !== 'not_applied')
    record.calls.add({ ...call, answered: { answer, ended: record.instant } });
};

/** Three hosts send random commands to three sessions. One order must explain all results. */
export const simulateCommands = async (
  makeStore: (seed: number) => SessionStore | Promise<SessionStore>,
  seeds: number | readonly number[],
  firstSeed = 1,
  onCheck = (): void => {},
): Promise<SimulationReport> => {
  const keys: readonly string[] = [...mortal, lasting];
  const ids = new Map(
    await Promise.all(
      keys.map(async (key) => [key, await idOfIdempotencyKey('default', key)] as const),
    ),
  );
  const idOf = (key: string): string => ids.get(key) ?? '';
  let record: Record = { calls: new Set(), instant: 0, texts: 0 };
  let given = new Map<number, number>();
  return simulate({
    seeds,
    firstSeed,
    hosts: HOSTS,
    duration: 10,
    calm: 100,
    store: (seed) => {
      record = { calls: new Set(), instant: 0, texts: 0 };
      given = new Map();
      return makeStore(seed);
    },
    host: async (process: SimulatedHost) => {
      const { sessions, random, host } = process;
      const engine = new Engine(sessions, idOf);
      for (let count = given.get(host) ?? 0; count < COMMANDS; count += 1) {
        given.set(host, count + 1);
        await give(engine, record, await nextCommand(engine, record, random));
        await wait(process, 0.03 * random());
      }
    },
    check: async ({ sessions }) => {
      onCheck();
      const engine = new Engine(sessions, idOf);
      for (const key of keys) await give(engine, record, { type: 'get', key });
      for (const [key, calls] of bySession([...record.calls])) {
        if (isLinear(calls)) continue;
        const told = calls.map(({ command, began, answered }) =>
          JSON.stringify([began, answered?.ended ?? 'never', command, answered?.answer ?? null]),
        );
        throw new Error(`the calls on ${key} have no order:\n${told.join('\n')}`);
      }
    },
    onProgress: () => {},
  });
};
