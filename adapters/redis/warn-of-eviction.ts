import { emitWarning } from 'node:process';
import type { Sender } from './clients.js';

const asked = new WeakSet<object>();

const policyOf = async (sender: Sender): Promise<string | undefined> => {
  try {
    const [master] = sender.masters();
    const text = await master?.send('info', ['memory']);
    return /^maxmemory_policy:(\S+)/m.exec(String(text))?.[1];
  } catch {
    return undefined;
  }
};

/** Evicted keys, like a session or the note of a write, would be lost without an error. */
export const warnOfEviction = async (sender: Sender): Promise<void> => {
  if (asked.has(sender.client)) return;
  asked.add(sender.client);
  const policy = await policyOf(sender);
  if (policy === undefined || policy === 'noeviction') return;
  const message = `RedisSessionStore: with maxmemory-policy ${policy}, Redis may evict parts of sessions and repeat writes; set it to noeviction`;
  emitWarning(message, { type: 'ColloquyWarning', code: 'COLLOQUY_REDIS_EVICTION' });
};
