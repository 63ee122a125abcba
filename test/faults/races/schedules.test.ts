import fc, { type Scheduler } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { describeDatabases, newDatabase } from '../../support/databases.js';
import { effort, record, seeds, triedDatabases } from '../support/effort.js';
import { command, commandOrWait } from './commands.js';
import { Engine, newTenant, SharedClock } from './engine.js';
import { type Call, isLinear } from './linear.js';
import { type Command, emptyModel, type Model, step } from './model.js';
import { naiveStore } from './naive-store.js';
import { scheduledStore } from './scheduled-store.js';

type MakeStore = (scheduler: Scheduler) => SessionStore;

interface Plan {
  /** One after another, before the rest. */
  readonly before: readonly Command[];
  /** For each caller, its commands in turn; callers are concurrent, on two services. */
  readonly callers: readonly (readonly Command[])[];
}

const created: readonly Command[] = [{ type: 'create', key: 'a', timeLimit: 2 }];
const started: readonly Command[] = [...created, { type: 'start', key: 'a' }];

/** What chance alone brings too seldom: a session of the same id, but not the same session. */
const anew: readonly Command[] = [
  { type: 'delete', key: 'a' },
  { type: 'create', key: 'a', timeLimit: 0 },
];

const twoOrThree = { minLength: 2, maxLength: 3 };

const plan: fc.Arbitrary<Plan> = fc.record({
  before: fc
    .tuple(fc.constantFrom([], created, started, started), fc.array(commandOrWait, { maxLength: 4 }))
    .map(([first, more]) => [...first, ...more]),
  callers: fc
    .tuple(fc.constantFrom([], [], [anew]), fc.array(fc.array(command, { minLength: 1, maxLength: 2 }), twoOrThree))
    .map(([first, more]) => [...first, ...more].slice(0, 3)),
});

const prepare = async (engine: Engine, clock: SharedClock, before: readonly Command[]): Promise<Model> => {
  let model = emptyModel;
  for (const given of before) {
    clock.advance(1);
    await engine.run(given);
    [model] = step({ ...model, now: model.now + 1 }, given);
  }
  return model;
};

/** What is asked at the end: what is there now, and whether it runs out in time. */
const final: readonly Command[] = [
  { type: 'get', key: 'a' },
  { type: 'get', key: 'b' },
  { type: 'wait', ms: 2500 },
  { type: 'get', key: 'a' },
  { type: 'get', key: 'b' },
];

/** The model before the concurrent part, and what the callers saw. */
const run = async (makeStore: MakeStore, scheduler: Scheduler, { before, callers }: Plan) => {
  const clock = new SharedClock();
  const tenant = newTenant();
  const inner = makeStore(scheduler);
  const model = await scheduler.waitFor(prepare(new Engine(inner, clock, tenant), clock, before));
  const store = scheduledStore(inner, scheduler);
  const engines = [new Engine(store, clock, tenant), new Engine(store, clock, tenant)];
  let instant = 0;
  const call = async (engine: Engine, given: Command): Promise<Call> => {
    instant += 1;
    const began = instant;
    const answer = await engine.run(given);
    instant += 1;
    return { command: given, answer, began, ended: instant };
  };
  const calling = callers.map(async (commands, at) => {
    const calls: Call[] = [];
    const engine = engines[at % engines.length];
    if (engine === undefined) throw new Error('no engine');
    for (const given of commands) calls.push(await call(engine, given));
    return calls;
  });
  const calls = await scheduler.waitFor(Promise.all(calling));
  const afterwards = new Engine(inner, clock, tenant);
  for (const given of final) calls.push([await call(afterwards, given)]);
  return { model, calls: calls.flat() };
};

const property = (makeStore: MakeStore) =>
  fc.asyncProperty(fc.scheduler(), plan, async (scheduler, given) => {
    const { model, calls } = await run(makeStore, scheduler, given);
    expect(isLinear(model, calls), JSON.stringify(calls, undefined, 1)).toBe(true);
  });

const compare = async (name: string, makeStore: MakeStore, numRuns: number): Promise<void> => {
  for (const seed of seeds(1)) await fc.assert(property(makeStore), { numRuns, seed });
  const promise = 'any schedule of concurrent callers is one that the pure model has too';
  record({ promise, figure: `schedules that differ, of ${numRuns}, ${name}`, value: 0, bar: '0' });
};

describe('concurrent callers of two services', () => {
  test(
    'see on the memory store what some order of their calls gives, under any schedule',
    async () => {
      await compare('memory', () => new MemorySessionStore(), effort(500, 20_000));
    },
    effort(120_000, 900_000),
  );

  test('would be seen to disagree on a store that reads and writes sessions whole', async () => {
    for (const seed of seeds(effort(5, 50))) {
      const makeStore: MakeStore = (scheduler) => naiveStore(() => scheduler.schedule(Promise.resolve(), 'between'));
      const { failed } = await fc.check(property(makeStore), { numRuns: 2000, seed, endOnFailure: true });
      expect(failed, `seed ${seed}`).toBe(true);
    }
  });
});

describeDatabases(
  'concurrent callers of two services',
  (kind) => {
    test(
      'see what some order of their calls gives, under any schedule',
      async () => {
        const { open } = await newDatabase(kind);
        const store = open();
        await compare(kind.name, () => store, effort(100, 3000));
      },
      effort(120_000, 900_000),
    );
  },
  triedDatabases,
);
