import { expect, test } from 'vitest';
import { type RedisClient, RedisSessionStore } from '../../adapters/redis/index.js';
import { createSweeper, SessionService } from '../../src/index.js';
import { answerOf } from '../../src/testing/steps.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ManualClock } from '../support/manual-clock.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { ada, errorOf, okOf } from '../support/sessions.js';

/** A client whose process dies, as far as the server can tell, between a change and its telling. */
const mute = (client: RedisClient): RedisClient =>
  new Proxy(client, {
    get: (target, name) => {
      if (name === 'xadd') return () => Promise.reject(new Error('ERR this process is no more'));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const said = [{ role: 'user', content: 'hello' }];
const unknown = { type: 'store_unavailable', outcome: 'unknown' };

describeWithRedis('a change that was made and not told', ({ port }) => {
  const open = (name: string) => {
    const prefix = `untold-${process.pid}-${name}`;
    const client = openClient('ioredis 5', { port });
    const clock = new ManualClock();
    const serviceOn = (connected: RedisClient) => {
      const store = new RedisSessionStore({ client: connected, prefix, events: true, timeoutMs: PATIENT_MS });
      return { store, sessions: new SessionService({ store, clock, retention: 3600 }) };
    };
    const { store, sessions } = serviceOn(client);
    const told = async () => {
      const log = store.events;
      if (log === undefined) throw new Error('the store has no events');
      const page = await answerOf(log.read(log.streamOf('default'), '0', 1000));
      return page.events.map(({ type, sequence }) => [type, sequence]);
    };
    return { sessions, dying: serviceOn(mute(client)).sessions, clock, told };
  };

  test('was not acknowledged, and is logged when its caller retries', async () => {
    const { sessions, dying, told } = open('again');
    const input = { ...ada, idempotencyKey: 'lesson' };
    expect(await errorOf(dying.create(input))).toMatchObject(unknown);
    const { id } = await okOf(sessions.create(input));
    expect(await errorOf(dying.start(id, { operationId: 'start' }))).toMatchObject(unknown);
    await okOf(sessions.start(id, { operationId: 'start' }));
    expect(await errorOf(dying.append(id, said, { operationId: 'hello' }))).toMatchObject(unknown);
    await okOf(sessions.append(id, said, { operationId: 'hello' }));
    expect(await errorOf(dying.terminate(id))).toMatchObject(unknown);
    await okOf(sessions.terminate(id));
    expect(await errorOf(dying.delete(id))).toMatchObject(unknown);
    await okOf(sessions.delete(id));
    expect(await told()).toEqual([
      ['session.created', 1],
      ['session.started', 2],
      ['session.appended', 3],
      ['session.terminated', 4],
      ['session.deleted', 5],
    ]);
  });

  test('is logged by the next sweep if it is an end by the clock', async () => {
    const { sessions, dying, clock, told } = open('sweep');
    const { id } = await okOf(sessions.create({ ...ada, timeLimit: 60 }));
    await okOf(sessions.start(id));
    clock.pass(60_000);
    expect(await okOf(createSweeper(dying).sweepOnce())).toMatchObject({ ended: 0, failed: 1 });
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED' });
    await okOf(createSweeper(sessions).sweepOnce());
    expect((await told()).at(-1)).toEqual(['session.terminated', 3]);
    // And once is enough.
    const before = await told();
    await okOf(createSweeper(sessions).sweepOnce());
    expect(await told()).toEqual(before);
  });

  test('shows in the number of the next, so that a watcher looks again', async () => {
    const { sessions, dying } = open('gap');
    const { id } = await okOf(sessions.create(ada));
    const watch = sessions.watch(id)[Symbol.asyncIterator]();
    await watch.next();
    expect(await errorOf(dying.start(id))).toMatchObject(unknown);
    await okOf(sessions.pause(id));
    const { value } = await watch.next();
    expect(value._unsafeUnwrap()).toMatchObject({
      type: 'session.snapshot',
      sequence: 3,
      session: { status: 'PAUSED' },
    });
    await watch.return?.();
  });
});
