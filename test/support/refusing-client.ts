import type { RedisClient } from '../../adapters/redis/index.js';

/** What becomes of a command: it is refused with an error reply, or its connection breaks before or after it has run. */
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

const isCommand = (name: string | symbol): boolean => typeof name === 'string' && !['status', 'options'].includes(name);

/**
 * `client` with its commands counted from 1; those for which `isRefused` holds fare as `refusal` says. `sent` is how many
 * there were.
 */
export const refusing = <C extends RedisClient>(
  client: C,
  refusal: Refusal,
  isRefused: (number: number, command: string) => boolean,
): { readonly client: C; readonly sent: () => number } => {
  let sent = 0;
  const refusingClient = new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (!isCommand(name) || typeof value !== 'function') return value;
      return async (...args: readonly unknown[]) => {
        sent += 1;
        const mustRefuse = isRefused(sent, String(name));
        if (!mustRefuse) return Reflect.apply(value, target, args);
        if (refusal.hasRun === true) await Reflect.apply(value, target, args);
        throw new Error(refusal.message);
      };
    },
  });
  return { client: refusingClient, sent: () => sent };
};
