import { Redis } from 'ioredis';
import type { RedisAddress } from '../../support/redis-server.js';

/** A server closes its clients' connections: pending commands run, and their replies are lost. */
export const cutConnections = async ({ host, port }: RedisAddress): Promise<void> => {
  const control = new Redis({ host, port });
  try {
    await control.call('CLIENT', 'KILL', 'TYPE', 'normal');
  } finally {
    control.disconnect();
  }
};
