import { senderOf } from '../../adapters/redis/clients.js';
import type { RedisClient } from '../../adapters/redis/index.js';
import type { SessionKeys } from '../../adapters/redis/keyspace.js';
import type { StoredPart } from '../../src/testing/index.js';

/**
 * Damages the messages that wait. The notes about sent messages stay whole: a mock without SHA-1
 * keeps the lines of a taken message in its note.
 */
const DAMAGE_INBOX = `
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local text = redis.call('HGET', KEYS[1], field)
    if string.sub(field, 1, 1) ~= '=' then
      redis.call('HSET', KEYS[1], field, (string.gsub(text, '{', '[', 1)))
    end
  end`;

/** Damages a part of the session with these keys. The client may add a prefix of its own. */
export const damageRedis = async (
  client: RedisClient,
  keys: SessionKeys,
  part: StoredPart,
): Promise<void> => {
  const { send, ownPrefix } = senderOf(client);
  const get = async (name: string) => String(await send('get', [name]));
  const record = ownPrefix + keys.record;
  const journal = ownPrefix + keys.journal;
  if (part === 'state') await send('set', [record, '2 from the future']);
  else if (part === 'head') await send('set', [record, (await get(record)).replace('\n{', '\n[')]);
  else if (part === 'inbox') await send('eval', [DAMAGE_INBOX, '1', ownPrefix + keys.inbox]);
  else await send('set', [journal, (await get(journal)).replace('{', '[')]);
};
