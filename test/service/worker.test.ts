import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Turn } from '../../src/service/service-turn.js';
import { createWorker } from '../../src/service/worker.js';
import type { StateChange } from '../../src/store/commit.js';
import { lasting, openWorkers, settled } from '../support/open-workers.js';
import { ada, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

describe('a worker', () => {
  test('runs once for each waiting session, with the session and its own token', async () => {
    const { sessions, work, waiting, pass } = openWorkers();
    const ids = [await waiting(), await waiting()];
    const seen: string[] = [];
    work({
      run: async ({ session, sessions: own, attempt, fencingToken }) => {
        seen.push(session.id);
        expect([attempt, session.lease?.fencingToken]).toEqual([1, fencingToken]);
        await okOf(own.append(session.id, [{ role: 'assistant', content: 'Hello!' }]));
      },
    });
    await pass(5000);
    expect(seen.sort()).toEqual(ids);
    for (const id of ids) {
      const session = await okOf(sessions.get(id));
      expect([session.history.length, session.lease, session.work]).toEqual([
        1,
        undefined,
        undefined,
      ]);
    }
  });

  test('is notified of a wake without a poll', async () => {
    const { work, waiting, pass } = openWorkers();
    const { run, begun } = lasting();
    work({ run, interval: 3600 });
    await pass(10);
    const id = await waiting();
    await expect.poll(() => begun.map(({ session }) => session.id)).toEqual([id]);
  });

  test('is notified of a message that is to be answered again', async () => {
    const { sessions, work, pass } = openWorkers();
    const { id } = await okOf(sessions.create({ ...ada, start: true }));
    await okOf(
      sessions.reply(id, { id: 'm-1', content: 'And a tunnel.' }, () => 'How long is it?'),
    );
    const { run, begun } = lasting();
    work({ run, interval: 3600 });
    await pass(10);
    await okOf(sessions.rewind(id, { after: 'm-1', wake: true }));
    await expect.poll(() => begun.map(({ messages }) => messages[0]?.id)).toEqual(['m-1']);
  });

  test('is notified of the wakes of each tenant if it works for all', async () => {
    const { sessions, work, pass } = openWorkers();
    const { run, begun } = lasting();
    work({ run, allTenants: true, interval: 3600 });
    await pass(10);
    await okOf(sessions.forTenant('acme').create({ ...ada, wake: true }));
    await expect.poll(() => begun.map(({ tenant }) => tenant)).toEqual(['acme']);
  });

  test('polls a store without events', async () => {
    const { work, waiting, pass } = openWorkers(new MemorySessionStore());
    const { run, begun } = lasting();
    work({ run });
    await pass(10);
    await waiting();
    await pass(1000);
    expect(begun).toHaveLength(1);
  });

  test('runs up to its concurrency, and takes the next session when one is done', async () => {
    const { work, waiting, pass } = openWorkers();
    for (let count = 0; count < 5; count += 1) await waiting();
    const { run, begun, finish } = lasting();
    work({ run, concurrency: 2 });
    await pass(250);
    expect(begun).toHaveLength(2);
    finish();
    for (let turn = 0; turn < 5; turn += 1) await settled();
    expect(begun).toHaveLength(3);
  });

  test('renews its leases during the work', async () => {
    const { sessions, work, waiting, pass } = openWorkers();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run, seconds: 3 });
    await pass(20_000);
    expect([begun.length, begun[0]?.signal.aborted]).toEqual([1, false]);
    finish();
    await pass(250);
    expect((await okOf(sessions.get(id))).work).toBeUndefined();
  });

  test('runs again if the session was woken during the run', async () => {
    const { sessions, work, waiting, pass } = openWorkers();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run });
    await pass(250);
    await okOf(sessions.wake(id));
    finish();
    await pass(250);
    expect(begun.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no model');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no model'))],
    ['returns an Err', () => err(new Error('no model'))],
  ])('retries later if its function %s, up to a maximum of attempts', async (_, run) => {
    const { sessions, work, waiting, errors, pass } = openWorkers();
    const id = await waiting();
    const attempts: number[] = [];
    work({
      attempts: 3,
      run: ({ attempt }) => {
        attempts.push(attempt);
        return run();
      },
    });
    await pass(60_000);
    expect(attempts).toEqual([1, 2, 3]);
    const cause = new Error('no model');
    expect(errors).toMatchObject(
      [1, 2, 3].map((attempt) => ({ type: 'work_failed', id, attempt, cause })),
    );
    expect((await okOf(sessions.get(id))).work).toMatchObject({
      state: 'exhausted',
      attempt: 3,
      error: 'no model',
    });
  });

  test('treats an Ok as done, and one failure delays no other session', async () => {
    const { sessions, work, waiting, pass } = openWorkers();
    const [bad, good] = [await waiting(), await waiting()];
    work({ run: ({ session }) => (session.id === bad ? err('bad') : ok('good')), concurrency: 1 });
    await pass(250);
    expect((await okOf(sessions.get(good))).work).toBeUndefined();
  });

  test('writes a claim and its end, and nothing in response to its own events', async () => {
    const memory = new MemorySessionStore({ events: true });
    const { events } = memory;
    if (events === undefined) throw new Error('the store has no events');
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // Delivers the event of the claim after the work has begun.
    const late = {
      streamOf: () => events.streamOf(),
      latest: () => events.latest(),
      now: () => events.now(),
      read: async (...args: Parameters<typeof events.read>) => {
        await begun;
        return events.read(...args);
      },
      listen: (listener: () => void) => events.listen(listener),
    };
    let writes = 0;
    const inner = changed(memory, {});
    const put = (commit: StateChange) => {
      writes += 1;
      return inner.change(commit);
    };
    const { work, waiting, pass } = openWorkers(changed(memory, { events: late, put }));
    const { run, finish } = lasting();
    work({
      run: (claimed) => {
        begin();
        return run(claimed);
      },
    });
    await pass(1000);
    await waiting();
    await pass(2000);
    finish();
    await pass(250);
    expect(writes).toBe(2);
  });

  test('begins the next turn during the release of the last one', async () => {
    const memory = new MemorySessionStore({ events: true });
    let release = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    const put = async (commit: StateChange) => {
      if (commit.effects.put.state.work.lease?.releasedAt !== undefined) await isHeld;
      return memory.change(commit);
    };
    const { work, waiting, pass } = openWorkers(changed(memory, { put }));
    const ids = [await waiting(), await waiting()];
    const { run, begun, finish } = lasting();
    const worker = work({ run, concurrency: 1 });
    await pass(250);
    finish();
    await pass(250);
    expect(begun.map(({ session }) => session.id)).toEqual(ids);
    finish();
    release();
    await worker.stop();
  });

  test('releases a turn without reading its session again', async () => {
    const memory = new MemorySessionStore({ events: true });
    let reads = 0;
    const findState: MemorySessionStore['findState'] = (key) => {
      reads += 1;
      return memory.findState(key);
    };
    const { work, waiting, pass, sessions } = openWorkers(changed(memory, { findState }));
    const id = await waiting();
    work({ run: () => 'Mostly wood.' });
    await pass(250);
    expect([(await okOf(sessions.get(id))).history.length, reads]).toEqual([1, 0]);
  });

  test('works for its tenant, or for all tenants', async () => {
    const { sessions, work, pass } = openWorkers();
    for (const tenant of ['acme', 'globex'])
      await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    const seen: string[] = [];
    const run = async ({ tenant, sessions: own, session }: Turn) => {
      seen.push(tenant);
      await okOf(own.get(session.id));
    };
    work({ run });
    await pass(1000);
    expect(seen).toEqual([]);
    work({ run, allTenants: true });
    await pass(1000);
    expect(seen.sort()).toEqual(['acme', 'globex']);
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurency: 3 }, 'concurency'],
    [{ seconds: -1 }, 'seconds'],
    [{ run: 'it' }, 'run'],
    [{ allTenants: 'yes' }, 'allTenants'],
  ])('throws a TypeError for the options %j', (options, name) => {
    const { sessions } = openWorkers();
    const all = { run: () => undefined, ...options };
    expect(() => Reflect.apply(createWorker, undefined, [sessions, all])).toThrow(name);
  });
});
