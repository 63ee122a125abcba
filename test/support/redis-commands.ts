import { Redis } from 'ioredis';
import { LOOPBACK } from './free-port.js';

/** Counts the calls of each command on a server, including those in scripts. */
export async function commandsOf(port: number): Promise<Readonly<Record<string, number>>> {
  const client = new Redis(port, LOOPBACK);
  try {
    const stats = await client.info('commandstats');
    const calls = [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
    return Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]));
  } finally {
    client.disconnect();
  }
}
