import { Redis } from 'ioredis';
import type { RedisAddress } from '../../support/redis-server.js';

/**
 * A server closes the connections of its clients: what they have asked for is done, and the answers
 * are thrown away.
 */
export const cutConnections = async ({ host, port }: RedisAddress): Promise<void> => {
  const control = new Redis({ host, port });
  try {
    await control.call('CLIENT', 'KILL', 'TYPE', 'normal');
  } finally {
    control.disconnect();
  }
};
