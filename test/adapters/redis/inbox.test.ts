import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { answerOf } from '../../../src/testing/answers.js';
import {
  append,
  begin,
  change,
  key,
  made,
  put,
  redact,
  remove,
  said,
} from '../../../src/testing/commits.js';
import {
  changeInbox,
  known,
  messageOf,
  send,
  sendOf,
  take,
  waitingIds,
} from '../../../src/testing/inbox-steps.js';
import { live, NOON } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';
import { okOf } from '../../support/sessions.js';

const SECRET = 'secret-content';

let prefixes = 0;

describeWithRedis('a Redis inbox', ({ port }) => {
  const open = async () => {
    prefixes += 1;
    const prefix = `inbox-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const sent: string[] = [];
    const counted = intercepting(client, (_, args, run) => {
      sent.push(args.map(String).join(' '));
      return run();
    });
    const store = new RedisSessionStore({ client: counted, prefix, events: true });
    await begin(store, key);
    const { inbox } = new Keyspace(prefix, 1).of(key);
    const keysWith = async (part: string) => {
      const found = await client.call('KEYS', `${prefix}:*${part}*`);
      return Array.isArray(found) ? found.map(String) : [];
    };
    /** The fields of the inbox that contain the secret. */
    const fieldsWithSecret = async () => {
      const found = await client.call('HGETALL', inbox);
      const texts = Array.isArray(found) ? found.map(String) : [];
      return texts.filter((_, at) => at % 2 === 0 && texts[at + 1]?.includes(SECRET));
    };
    return { store, client, inbox, keysWith, fieldsWithSecret, sent };
  };

  const sendSecret = (store: RedisSessionStore, id: string) =>
    made(store, sendOf(messageOf(id, SECRET)));

  test('keeps the content of a message that was taken until the next message arrives', async () => {
    const { store, fieldsWithSecret } = await open();
    await sendSecret(store, 'm1');
    await take(store, 1);
    expect(await fieldsWithSecret()).toEqual(['1']);
    await send(store, ['m2']);
    expect(await fieldsWithSecret()).toEqual([]);
    expect(await said(store, key)).toEqual([SECRET]);
  });

  test('stores no content of a message that is taken in the step that sends it', async () => {
    const { store, fieldsWithSecret } = await open();
    await changeInbox(store, { send: messageOf('m1', SECRET), take: { messages: 1, turn: 1 } });
    expect(await fieldsWithSecret()).toEqual([]);
    expect(await known(store, ['m1'])).toMatchObject([{ id: 'm1', position: expect.any(Number) }]);
  });

  test('stores no content of a withdrawn message, wherever it waited', async () => {
    const { store, fieldsWithSecret } = await open();
    for (const id of ['m1', 'm2', 'm3']) {
      await send(store, [`before ${id}`]);
      await sendSecret(store, id);
    }
    await changeInbox(store, { withdraw: ['m1', 'm3'] });
    expect(await fieldsWithSecret()).toHaveLength(1);
    await changeInbox(store, { withdraw: ['m2'] });
    expect(await fieldsWithSecret()).toEqual([]);
    expect(await waitingIds(store)).toEqual(['before m1', 'before m2', 'before m3']);
  });

  test('stores no content of a message after its redaction', async () => {
    const { store, fieldsWithSecret } = await open();
    await sendSecret(store, 'm1');
    await send(store, ['m2']);
    const [taken] = await take(store, 1);
    await redact(store, key, [taken?.position ?? 0]);
    expect(await fieldsWithSecret()).toEqual([]);
    expect(await waitingIds(store)).toEqual(['m2']);
  });

  test('is deleted with its session, and by a repair if its session is missing', async () => {
    const { store, client, inbox, keysWith } = await open();
    await send(store, ['m1']);
    await remove(store, key);
    expect(await keysWith(':inbox:')).toEqual([]);
    await client.call('HSET', inbox, '=m1', 'the-same-content');
    expect(await okOf(store.repair())).toMatchObject({ removed: 1, unreadable: [] });
    expect(await keysWith(':inbox:')).toEqual([]);
  });

  test('forgets messages of a change that a torn log lost', async () => {
    const { store, client, inbox } = await open();
    await append(store, key, ['before']);
    const end = (await answerOf(store.find(key)))?.historyPosition ?? 0;
    const place = `the-same-content:0 ${end} ${end + 9} sum`;
    const { entry, digest } = messageOf('lost');
    const text = `${digest} lost\n${JSON.stringify(entry)}`;
    await client.call('HSET', inbox, '1', text, '=lost', `${digest}:1`, '=taken', place);
    await append(store, key, ['after, in the place of the one that was taken']);
    expect(await known(store, ['lost', 'taken'])).toEqual([]);
    expect(await waitingIds(store)).toEqual([]);
    await send(store, ['first', 'lost', 'taken']);
    expect(await waitingIds(store)).toEqual(['first', 'lost', 'taken']);
    expect(await take(store, 3)).toHaveLength(3);
    const again = await change(store, sendOf(messageOf('lost')));
    expect(again).toEqual({ outcome: 'repeated', position: 0 });
  });

  test('reports damage if a waiting message is missing, and its session stays readable', async () => {
    const { store, client, inbox } = await open();
    await send(store, ['m1', 'm2']);
    await client.call('HDEL', inbox, '2');
    expect((await store.messages(key)).isErr()).toBe(true);
    await expect(take(store, 2)).rejects.toThrow('corrupt_record');
    expect((await store.find(key)).isOk()).toBe(true);
  });

  test('is not read by appends, changes and pages that do not need it', async () => {
    const { store, sent } = await open();
    await send(store, ['m1']);
    sent.length = 0;
    await append(store, key, ['hello']);
    const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 9 };
    const work = { askedAt: NOON, inbox: 1, lease };
    await put(store, key, live('ACTIVE', { revision: 101, work }));
    await answerOf(store.take({ now: NOON + 10, until: NOON + 20, limit: 5 }));
    await answerOf(store.find(key));
    await answerOf(store.page(key.tenant, { offset: 0, limit: 5 }));
    expect(sent.length).toBeGreaterThan(4);
    expect(sent.filter((command) => / \S+:inbox:/.test(command))).toEqual([]);
  });

  test('reads only the requested message ids, however many wait', async () => {
    const server = await startRedis();
    const client = openClient('ioredis 5', { port: server.port });
    try {
      const store = new RedisSessionStore({ client });
      await begin(store, key);
      await send(store, ['taken', ...Array.from({ length: 50 }, (_, at) => `m${at}`)]);
      await take(store, 1);
      await changeInbox(store, { withdraw: ['m7'] });
      await client.call('CONFIG', 'RESETSTAT');
      const found = await known(store, ['m3', 'm30', 'm7', 'taken', 'unknown']);
      expect(found.map(({ id, entry }) => [id, entry?.content])).toEqual([
        ['m3', 'm3'],
        ['m30', 'm30'],
        ['m7', undefined],
        ['taken', undefined],
      ]);
      const stats = String(await client.call('INFO', 'commandstats'));
      expect(Number(/cmdstat_hget:calls=(\d+)/.exec(stats)?.[1])).toBeLessThanOrEqual(10);
    } finally {
      client.disconnect();
      await server.stop();
    }
  });
});
