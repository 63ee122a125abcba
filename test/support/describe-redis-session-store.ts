import { describe, test } from 'vitest';
import { senderOf } from '../../adapters/redis/clients.js';
import {
  type RedisClient,
  RedisSessionStore,
  type RedisSessionStoreOptions,
} from '../../adapters/redis/index.js';
import { Keyspace } from '../../adapters/redis/keyspace.js';
import {
  type Corrupt,
  describeSessionStore,
  type OpenedStore,
  type TestFunction,
} from '../../src/testing/index.js';
import { isLong } from './continuous-integration.js';
import { forFurtherClients, fromOneSeed } from './contract-cases.js';
import { PATIENT_MS } from './patience.js';

const DAMAGE_INBOX = `
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local text = redis.call('HGET', KEYS[1], field)
    redis.call('HSET', KEYS[1], field, (string.gsub(text, '{', '[', 1)))
  end`;

let prefixes = 0;

/** `connect` returns a client; the second store of a case gets a second one. */
export const describeRedisSessionStore = (
  connect: () => readonly [RedisClient, RedisClient],
  {
    hasStreams = true,
    register = test,
  }: { readonly hasStreams?: boolean; readonly register?: TestFunction } = {},
): void => {
  const prefixOf = new WeakMap<RedisSessionStore, string>();
  const open = (more: Partial<RedisSessionStoreOptions> = {}): OpenedStore<RedisSessionStore> => {
    prefixes += 1;
    const prefix = `contract-${process.pid}-${prefixes}`;
    const [client, another] = connect();
    const store = new RedisSessionStore({
      client,
      prefix,
      partitions: 3,
      ...more,
      timeoutMs: PATIENT_MS,
    });
    prefixOf.set(store, prefix);
    return {
      store,
      second: new RedisSessionStore({
        client: another,
        prefix,
        partitions: 3,
        ...more,
        timeoutMs: PATIENT_MS,
      }),
    };
  };
  const corrupt: Corrupt<RedisSessionStore> = async (store, key, part) => {
    const { send, ownPrefix } = senderOf(connect()[0]);
    const get = async (name: string) => String(await send('get', [name]));
    const prefix = ownPrefix + (prefixOf.get(store) ?? '');
    const { record, journal, inbox } = new Keyspace(prefix, 3).of(key);
    if (part === 'state') await send('set', [record, '2 from the future']);
    else if (part === 'head')
      await send('set', [record, (await get(record)).replace('\n{', '\n[')]);
    else if (part === 'inbox') await send('eval', [DAMAGE_INBOX, '1', inbox]);
    else await send('set', [journal, (await get(journal)).replace('{', '[')]);
  };
  const everything = hasStreams ? { events: true } : {};
  const first = register === test ? fromOneSeed(test) : register;
  describeSessionStore(first, () => open(everything), {
    corrupt,
    without: [hasStreams ? 'listen' : 'events'],
  });

  // The scripts are the same for every client.
  if (register !== test && !isLong) return;
  describe('with its default options', () => {
    describeSessionStore(forFurtherClients(register), () => open(), {
      corrupt,
      without: ['events'],
    });
  });
};
