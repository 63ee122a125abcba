import { createHash } from 'node:crypto';
import type { RedisClient } from '../../../adapters/redis/index.js';
import type { TestClient } from '../../support/redis-clients.js';

/** A command as it went to the server. */
type Sent = readonly [command: string, ...args: readonly string[]];

/**
 * Records the commands of a client, so that they can arrive a second time, as after a lost reply.
 */
export class Overheard {
  readonly client: RedisClient;
  readonly #scripts = new Map<string, string>();
  #sent: Sent[] = [];

  constructor(client: TestClient) {
    this.client = new Proxy(client, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || typeof name !== 'string') return member;
        return (...args: readonly unknown[]): unknown => {
          this.#hear([name, ...args.map(String)]);
          return Reflect.apply(member, target, args);
        };
      },
    });
  }

  /** Forgets what was heard so far, but for the scripts. */
  begin(): void {
    this.#sent = [];
  }

  /**
   * Returns a function that sends the commands recorded since again, in one flight and in the same
   * order.
   */
  end(): (client: TestClient) => Promise<void> {
    const sent = this.#sent;
    return async (client) => {
      await Promise.all(
        sent.map(([command, ...args]) => client.call(...this.#whole(command, args))),
      );
    };
  }

  #hear(sent: Sent): void {
    const [command, script] = sent;
    if (command === 'eval' && script !== undefined) {
      this.#scripts.set(createHash('sha1').update(script).digest('hex'), script);
    }
    this.#sent.push(sent);
  }

  /** A server that has started anew knows no script. */
  #whole(command: string, args: readonly string[]): [string, ...string[]] {
    if (command !== 'evalsha') return [command, ...args];
    const [sha1 = '', ...others] = args;
    const script = this.#scripts.get(sha1);
    if (script === undefined) throw new Error(`nobody has sent the script ${sha1} as a whole`);
    return ['eval', script, ...others];
  }
}
