import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { unwrap } from '../../src/index.js';
import { type SimulationOptions, simulate } from '../../src/simulation/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { sqliteInMemory } from '../support/sqlite-file.js';
import {
  ask,
  careful,
  careless,
  eachAnsweredOnce,
  repeating,
  unfenced,
  worker,
} from './answering.js';
import { simulateCounting } from './counting.js';

const simulated = (host: SimulationOptions['host'], options: Partial<SimulationOptions> = {}) =>
  simulate({
    setup: ask,
    host,
    check: eachAnsweredOnce,
    seeds: 200,
    duration: 30,
    calm: 70,
    ...options,
  });

describe('a simulation', () => {
  test('finds nothing in a program that holds a lease, sends its token and appends where it has read', async () => {
    const seeds = moreIfLong(3, 2000);
    expect(await simulated(careful, { seeds, hosts: 3 })).toEqual({ seeds });
  });

  test.each([
    ['two hosts that answer the same question', careless, [], /assistant, assistant/],
    [
      'an append that is sent again without a name',
      repeating,
      ['lostReply'],
      /assistant, assistant/,
    ],
    [
      'a worker that stood still and writes after it has lost its lease',
      unfenced,
      ['pause'],
      /assistant, assistant/,
    ],
    [
      'a worker that wrote what it was told was not written',
      unfenced,
      ['lostReply', 'crash'],
      undefined,
    ],
  ] as const)('finds %s', async (_, host, faults, message) => {
    const { failure } = await simulated(host, {
      faults: [...faults],
      hosts: host === repeating ? 1 : 2,
      ...(message === undefined && { seeds: moreIfLong(6, 20) }),
    });
    if (message === undefined) expect(failure).toBeUndefined();
    else expect(failure?.error.message).toMatch(message);
  });

  test('finds nothing in hosts that open one session under their own id, and update what they have read', async () => {
    const seeds = moreIfLong(8, 2000);
    expect(await simulateCounting(seeds, (revision) => ({ ifRevision: revision }))).toEqual({
      seeds,
    });
  });

  test('finds updates that overwrite the changes of others', async () => {
    const { failure } = await simulateCounting(200, () => ({}));
    expect(failure?.error.message).toMatch(/counts are stored/);
  });

  test('returns the failing seed, and a story of what was called, applied and returned', async () => {
    const { failure } = await simulated(unfenced, { faults: ['pause'] });
    if (failure === undefined) throw new Error('nothing was found');
    const again = await simulated(unfenced, { faults: ['pause'], seeds: [failure.seed] });
    expect(again.failure).toEqual(failure);
    const { story, trace, seed } = failure;
    expect(story).toContain(`seed ${seed}: `);
    expect(story).toContain(`{ seeds: [${seed}] }`);
    for (const line of [
      /host 1 {2}starts/,
      /calls history/,
      /calls append \S+ \[assistant: an answer]/,
      /store {3}has applied append of host/,
    ]) {
      expect(story).toMatch(line);
    }
    const times = trace.map((line) => Number.parseFloat(line));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('repeats a seed exactly, even with sessions that are created again under a key', async () => {
    const run = async (seed: number): Promise<unknown> => {
      const store = new MemorySessionStore();
      let id = '';
      const { failure } = await simulate({
        seeds: [seed],
        hosts: 3,
        store: () => store,
        host: async ({ sessions, random }) => {
          for (let turn = 1; turn <= 4; turn += 1) {
            const created = await sessions.create({
              face: 'ada',
              profile: 'tutor',
              idempotencyKey: 'one',
            });
            id = created.isOk() ? created.value.id : id;
            if (random() < 0.5) await sessions.delete(id);
          }
          await sessions.create({ face: 'ada', profile: 'tutor', idempotencyKey: 'one' });
        },
        check: () => false,
      });
      return [failure?.story, unwrap(await store.findState({ tenant: 'default', id }))];
    };
    for (let seed = 1; seed <= moreIfLong(8, 20); seed += 1)
      expect(await run(seed)).toEqual(await run(seed));
  });

  test('reports a single fault if one is enough', async () => {
    const { failure } = await simulated(repeating, {
      faults: ['lostReply', 'crash', 'slowStore'],
      hosts: 1,
      seeds: 1000,
    });
    const faults = failure?.trace.filter((line) => /dies|is slow|loses/.test(line)) ?? [];
    expect(faults).toHaveLength(1);
  });

  test('restarts a crashed host, which finds the stored sessions', async () => {
    const starts: number[] = [];
    const report = await simulate({
      seeds: 8,
      hosts: 1,
      faults: ['crash'],
      setup: ask,
      host: (given) => {
        starts.push(given.host);
        return careful(given);
      },
      check: eachAnsweredOnce,
    });
    expect(report).toEqual({ seeds: 8 });
    expect(starts.length).toBeGreaterThan(8);
  });

  test('keeps each clock within a minute of the correct time, however often it jumps', async () => {
    const began: number[] = [];
    const offsets: number[] = [];
    const report = await simulate({
      seeds: 20,
      hosts: 1,
      faults: ['clockJump'],
      setup: async ({ sessions }) => {
        const { createdAt } = unwrap(await sessions.create({ face: 'ada', profile: 'tutor' }));
        began.push(Date.parse(createdAt));
      },
      host: async ({ sessions, clock }) => {
        const calls = [
          () => sessions.start('s1'),
          () => sessions.append('s1', [{ role: 'user', content: 'x' }]),
          () => sessions.history('s1'),
          () => sessions.get('s1'),
          () => sessions.list(),
        ];
        for (let call = 0; call < 20; call += 1) {
          await calls[call % calls.length]?.();
          offsets.push(clock.now() - (began.at(-1) ?? 0));
        }
      },
      check: () => {},
    });
    expect(report).toEqual({ seeds: 20 });
    // The calls take less than a second.
    expect(Math.max(...offsets)).toBeGreaterThan(30_000);
    expect(Math.max(...offsets)).toBeLessThan(61_000);
    expect(Math.min(...offsets)).toBeGreaterThan(-61_000);
  });

  test('fails with the error of a host that throws without a fault', async () => {
    const host = () => {
      throw new TypeError('a misspelt name');
    };
    const { failure } = await simulate({ faults: [], host, check: () => {} });
    expect(failure?.error).toEqual(new TypeError('a misspelt name'));
    expect(failure?.story).toContain('host 1  ends with an error: a misspelt name');
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('wrong');
      },
    ],
    ['rejects', () => Promise.reject(new Error('wrong'))],
    [
      'gives the error of a result',
      async ({ sessions }: { sessions: Parameters<typeof ask>[0]['sessions'] }) =>
        (await sessions.get('none')).mapErr(() => 'wrong'),
    ],
    ['is false', () => false],
  ])('fails if the check %s', async (_, check) => {
    const { failure } = await simulate({ seeds: 1, host: () => {}, check });
    expect(failure?.error.message).toMatch(/wrong|the check returned false/);
  });

  test('stops hosts that ignore the signal, and accepts hosts that stop by themselves', async () => {
    let ended = 0;
    const host: SimulationOptions['host'] = async ({ host: number }) => {
      if (number === 1) await new Promise(() => {});
      ended += 1;
    };
    expect(await simulate({ seeds: 5, host, check: () => {} })).toEqual({ seeds: 5 });
    expect(ended).toBe(5);
  });

  test('supports watches, which wait in simulated time', async () => {
    const host = worker(async ({ sessions, signal }, id) => {
      for await (const change of sessions.watch(id, { signal })) {
        if (change.isErr() || change.value.type !== 'session.snapshot') return;
        const { session, position } = change.value;
        if (session.historyCount > 1) return;
        await sessions.append(id, [{ role: 'assistant', content: 'x' }], { ifPosition: position });
      }
    });
    const report = await simulate({
      seeds: 3,
      hosts: 2,
      faults: ['slowStore'],
      setup: ask,
      host,
      check: eachAnsweredOnce,
    });
    expect(report).toEqual({ seeds: 3 });
  });

  test('names the error that a check returns in the first line of the story', async () => {
    const { failure } = await simulated(() => {}, {
      seeds: 1,
      check: ({ sessions }) => sessions.get('nobody'),
    });
    expect(failure?.story.split('\n')[0]).toBe('seed 1: not_found: there is no such session');
    expect(failure?.error.cause).toMatchObject({ type: 'not_found', id: 'nobody' });
  });

  test('reports its progress', async () => {
    const told: number[] = [];
    await simulated(careful, { seeds: 3, onProgress: (done) => told.push(done) });
    expect(told.length).toBeLessThanOrEqual(3);
  });

  test('names each invalid option', async () => {
    const wrong = Object({
      seeds: 'many',
      hosts: 0,
      faults: ['rain'],
      duration: -1,
      host: undefined,
      check: 1,
      chek: 2,
    });
    await expect(simulate(wrong)).rejects.toThrow(TypeError);
    await expect(simulate({ hosts: 17, host: () => {}, check: () => {} })).rejects.toThrow(
      'hosts must be at most 16',
    );
    await expect(simulate(wrong)).rejects.toThrow(/hosts.*faults.*duration.*host.*check|chek/s);
  });
});

describe('a simulation over SQLite', () => {
  test('fails and passes as over memory', async () => {
    expect(await simulated(careful, { store: sqliteInMemory, seeds: 5 })).toEqual({ seeds: 5 });
    const inMemory = await simulated(careless);
    expect((await simulated(careless, { store: sqliteInMemory })).failure?.trace).toEqual(
      inMemory.failure?.trace,
    );
  });
});

describeWithRedis('a simulation over Redis', ({ port }) => {
  test('fails and passes as over memory, however long replies take', async () => {
    const client = openClient('ioredis 5', { port });
    let stores = 0;
    const store = () => {
      stores += 1;
      return new RedisSessionStore({
        client,
        prefix: `simulated-${process.pid}-${stores}`,
        timeoutMs: PATIENT_MS,
      });
    };
    expect(await simulated(careful, { store, seeds: 3 })).toEqual({ seeds: 3 });
    const linesOf = async (options: Partial<SimulationOptions>) =>
      (await simulated(careless, options)).failure?.trace.map((line) =>
        line.replace(/position: \d+/, ''),
      );
    expect(await linesOf({ store })).toEqual(await linesOf({}));
  });
});
