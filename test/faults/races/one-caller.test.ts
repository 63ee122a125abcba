import fc from 'fast-check';
import RedisMock from 'ioredis-mock';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { idOfIdempotencyKey } from '../../../src/session/ids.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { describeDatabases, newDatabase } from '../../support/databases.js';
import { PATIENT_MS } from '../../support/patience.js';
import { effort, record, seeds, triedDatabases } from '../support/effort.js';
import { commandOrWait } from './commands.js';
import { Engine, SharedClock } from './engine.js';
import { type Command, emptyModel, step } from './model.js';

let tenants = 0;

/** The engine with a tenant that nobody has used. */
const newEngine = (store: SessionStore, clock: SharedClock): Engine => {
  tenants += 1;
  const tenant = `model-${process.pid}-${tenants}`;
  const sessions = new SessionService({ store, clock, tenant });
  return new Engine(sessions, (key) => idOfIdempotencyKey(tenant, key), clock);
};

/** The first command whose answer is not the model's. */
const differs = async (store: SessionStore, commands: readonly Command[]) => {
  const clock = new SharedClock();
  const engine = newEngine(store, clock);
  let model = emptyModel;
  for (const command of commands) {
    // Equal times of creation would leave the order to the ids.
    clock.advance(1);
    const [next, expected] = step({ ...model, now: model.now + 1 }, command);
    model = next;
    const actual = await engine.run(command);
    try {
      expect(actual).toEqual(expected);
    } catch {
      return { command, actual, expected };
    }
  }
  return undefined;
};

const compare = async (name: string, store: SessionStore, numRuns: number): Promise<void> => {
  for (const seed of seeds(1)) {
    const commands = fc.array(commandOrWait, { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(commands, async (given) => {
      expect(await differs(store, given)).toBeUndefined();
    });
    await fc.assert(property, { numRuns, seed });
  }
  const promise = 'one caller sees what the pure model says';
  record({ promise, figure: `sequences that differ, of ${numRuns}, ${name}`, value: 0, bar: '0' });
};

describe('a single caller', () => {
  test(
    'sees what the model predicts, in memory',
    async () => {
      await compare('memory', new MemorySessionStore(), effort(300, 10_000));
    },
    effort(120_000, 600_000),
  );

  test(
    'sees what the model predicts, on ioredis-mock',
    async () => {
      await compare(
        'ioredis-mock',
        new RedisSessionStore({
          client: new RedisMock(),
          prefix: 'one-caller',
          timeoutMs: PATIENT_MS,
        }),
        effort(30, 300),
      );
    },
    effort(120_000, 600_000),
  );
});

describeDatabases(
  'a single caller',
  (kind) => {
    test(
      'sees what the model predicts',
      async () => {
        const { open } = await newDatabase(kind);
        await compare(kind.name, open(), effort(60, 3000));
      },
      effort(120_000, 600_000),
    );
  },
  triedDatabases,
);
