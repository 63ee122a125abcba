import { emitWarning } from 'node:process';
import type { Sender } from './clients.js';

/** The clients whose servers have been asked. */
const asked = new WeakSet<object>();

const policyOf = async (sender: Sender): Promise<string | undefined> => {
  try {
    const [master] = sender.masters();
    const text = await master?.send('info', ['memory']);
    return /^maxmemory_policy:(\S+)/m.exec(String(text))?.[1];
  } catch {
    // Without the right to INFO, the policy stays unknown.
    return undefined;
  }
};

/**
 * Warns once of a server that evicts keys: a session, or the key by which a repeated write is
 * recognised, is then lost without an error.
 */
export const warnOfEviction = async (sender: Sender): Promise<void> => {
  if (asked.has(sender.client)) return;
  asked.add(sender.client);
  const policy = await policyOf(sender);
  if (policy === undefined || policy === 'noeviction') return;
  const message = `RedisSessionStore: with maxmemory-policy ${policy}, Redis may evict parts of sessions and repeat writes; set it to noeviction`;
  emitWarning(message, { type: 'ColloquyWarning', code: 'COLLOQUY_REDIS_EVICTION' });
};
