import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService, type TenantChange } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { commandsOf } from '../support/redis-commands.js';
import { startRedis } from '../support/redis-server.js';
import { ada, createdIn, okOf, startedIn } from '../support/sessions.js';

const said = [{ role: 'user', content: 'hello' }];

const open = async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = openClient('ioredis 5', { port: server.port });
  const store = new RedisSessionStore({
    client,
    prefix: 'trimmed',
    events: true,
    timeoutMs: PATIENT_MS,
  });
  const sessions = new SessionService({ store });
  return { port: server.port, client, sessions, stream: store.events?.streamOf('default') ?? '' };
};

const firstOf = async (sessions: SessionService, from: string): Promise<TenantChange> => {
  const all = sessions.watchAll({ cursor: from })[Symbol.asyncIterator]();
  const { value } = await all.next();
  await all.return?.();
  return value._unsafeUnwrap();
};

describeWithRedis('a trimmed Redis stream', () => {
  test('is reported to a watch from the beginning, even if the stream starts with a creation', async () => {
    const { client, sessions, stream } = await open();
    for (let each = 0; each < 10; each += 1) await createdIn(sessions);
    for (const from of ['0', '0-0'])
      expect(await firstOf(sessions, from)).toMatchObject({ type: 'session.created' });
    await client.call('XTRIM', stream, 'MAXLEN', '5');
    for (const from of ['0', '0-0'])
      expect(await firstOf(sessions, from)).toMatchObject({ type: 'events_lost' });
  });

  test.each(['DEL', 'XTRIM'])(
    'is reported once if it is empty (%s), and then costs its watches no reads',
    async (command) => {
      const { port, client, sessions, stream } = await open();
      const id = await startedIn(sessions);
      const watch = sessions.watch(id)[Symbol.asyncIterator]();
      const all = sessions.watchAll()[Symbol.asyncIterator]();
      onTestFinished(async () => {
        await Promise.all([watch.return?.(), all.return?.()]);
      });
      await watch.next();
      const nextOf = async (type: string): Promise<TenantChange> => {
        const item = (await all.next()).value._unsafeUnwrap();
        return item.type === type ? item : nextOf(type);
      };
      const first = nextOf('session.appended');
      await okOf(sessions.append(id, said));
      expect((await watch.next()).value._unsafeUnwrap()).toMatchObject({ sequence: 3 });
      await first;
      await (command === 'DEL'
        ? client.call('DEL', stream)
        : client.call('XTRIM', stream, 'MAXLEN', '0'));
      expect((await all.next()).value._unsafeUnwrap()).toMatchObject({ type: 'events_lost' });
      const next = [watch.next(), all.next()] as const;
      /** Waits for ten polls, and gives the commands up to now. */
      const afterPolls = async () => {
        const { xrange = 0 } = await commandsOf(port);
        const polls = async () => ((await commandsOf(port))['xrange'] ?? 0) - xrange;
        while ((await polls()) < 10) await new Promise((resolve) => setTimeout(resolve, 20));
        return commandsOf(port);
      };
      const before = await afterPolls();
      const after = await afterPolls();
      expect(after['mget']).toBe(before['mget']);
      // The look at the session of every 30 seconds may come just now.
      expect(Number(after['evalsha']) - Number(before['evalsha'])).toBeLessThanOrEqual(1);
      await okOf(sessions.append(id, said));
      for (const item of await Promise.all(next))
        expect(item.value._unsafeUnwrap()).toMatchObject({ sequence: 4 });
    },
  );

  test('is reported to a watch that resumes before the trimmed events, not to one that resumes after them', async () => {
    const { client, sessions, stream } = await open();
    const all = sessions.watchAll()[Symbol.asyncIterator]();
    const first = all.next();
    await okOf(sessions.create(ada));
    const cursors = [(await first).value._unsafeUnwrap().cursor];
    for (let each = 0; each < 20; each += 1) {
      await createdIn(sessions);
      cursors.push((await all.next()).value._unsafeUnwrap().cursor);
    }
    await all.return?.();
    await client.call('XTRIM', stream, 'MAXLEN', '2');
    expect(await firstOf(sessions, cursors[3] ?? '')).toMatchObject({ type: 'events_lost' });
    expect(await firstOf(sessions, cursors[19] ?? '')).toMatchObject({
      type: 'session.created',
      cursor: cursors[20],
    });
  });
});
