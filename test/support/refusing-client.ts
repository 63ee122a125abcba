import type { RedisClient } from '../../adapters/redis/index.js';
import { intercepting } from './intercepting-client.js';

/**
 * How a command fails: with an error reply, or because its connection breaks before or after it has
 * run.
 */
export interface Refusal {
  readonly message: string;
  readonly hasRun?: boolean;
}

export const refusals: Readonly<Record<string, Refusal>> = {
  OOM: { message: "OOM command not allowed when used memory > 'maxmemory'." },
  NOREPLICAS: { message: 'NOREPLICAS Not enough good replicas to write.' },
  READONLY: { message: "READONLY You can't write against a read only replica." },
  WRONGTYPE: { message: 'WRONGTYPE Operation against a key holding the wrong kind of value' },
  NOSCRIPT: { message: 'NOSCRIPT No matching script. Please use EVAL.' },
  'connection lost before it has run': { message: 'Connection is closed.' },
  'connection lost after it has run': { message: 'Connection is closed.', hasRun: true },
};

/**
 * Counts the commands of `client` from 1. Those for which `isRefused` returns true fail as
 * `refusal` says. `sent` is their number.
 */
export const refusing = <C extends RedisClient>(
  client: C,
  refusal: Refusal,
  isRefused: (number: number, command: string) => boolean,
): { readonly client: C; readonly sent: () => number } => {
  let sent = 0;
  const refusingClient = intercepting(client, async (name, _args, run) => {
    sent += 1;
    if (!isRefused(sent, name)) return run();
    if (refusal.hasRun === true) await run();
    throw new Error(refusal.message);
  });
  return { client: refusingClient, sent: () => sent };
};
