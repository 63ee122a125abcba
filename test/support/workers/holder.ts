import { Redis } from 'ioredis';
import type { Result } from 'neverthrow';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { AppendError } from '../../../src/errors.js';
import { SessionService } from '../../../src/service/session-service.js';
import type { SessionHold } from '../../../src/session/session.js';
import { randomFrom } from '../random.js';

/** Fights for sessions until it is killed, and says what it was answered: one `HolderReport` a line. */
export interface HolderReport {
  /**
   * `held`: a hold was taken or extended. `appended`: acknowledged. `refused`: answered as not written. `unknown`: never
   * answered. `kept`: an append was acknowledged after its hold was released. `moved`: repeated under its operation id, an
   * append has another position.
   */
  readonly did: 'held' | 'appended' | 'refused' | 'unknown' | 'kept' | 'moved';
  readonly id: string;
  readonly holder: string;
  readonly fence: number;
  /** The number of the append among those of the holder. */
  readonly count: number;
}

const [port = '', prefix = '', name = '', offset = '', ...ids] = process.argv.slice(2);

const client = new Redis(Number(port));
client.on('error', () => {});
const store = new RedisSessionStore({ client, prefix, timeoutMs: 200 });
const sessions = new SessionService({ store, clock: { now: () => Date.now() + Number(offset) } });
const random = randomFrom(process.pid);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const outcomeOf = (result: Result<unknown, AppendError>): 'appended' | 'refused' | 'unknown' => {
  if (result.isOk()) return 'appended';
  return result.error.type === 'store_unavailable' && result.error.outcome === 'unknown' ? 'unknown' : 'refused';
};

const fight = async (holder: string): Promise<never> => {
  let count = 0;

  const append = async (id: string, fence: number): Promise<HolderReport['did']> => {
    count += 1;
    const entries = [{ role: 'assistant', content: `${holder} ${fence} ${count}` }];
    if (random() < 0.5) return outcomeOf(await sessions.append(id, entries, { fence }));
    const call = () => sessions.append(id, entries, { fence, operationId: `${holder}-${count}` });
    const first = await call();
    const outcome = outcomeOf(first);
    if (outcome === 'refused' || (outcome === 'appended' && random() < 0.8)) return outcome;
    for (let tries = 0; tries < 20; tries += 1) {
      const again = await call();
      if (again.isOk()) return first.isOk() && first.value.position !== again.value.position ? 'moved' : 'appended';
      if (again.error.type === 'store_unavailable') continue;
      // After an unknown outcome the first call may still be on its way, so this refusal says nothing about it.
      return outcome === 'appended' ? 'moved' : 'unknown';
    }
    return outcome;
  };

  for (;;) {
    const id = ids[Math.floor(random() * ids.length)] ?? '';
    const say = (did: HolderReport['did'], fence: number) =>
      process.stdout.write(`${JSON.stringify({ did, id, holder, fence, count } satisfies HolderReport)}\n`);
    const hold = async (): Promise<SessionHold | undefined> => {
      const held = await sessions.hold(id, { holder, seconds: 0.3 + random() * 0.7 });
      if (held.isErr()) return undefined;
      say('held', held.value.fence);
      return held.value;
    };

    let held = await hold();
    let lastFence = held?.fence;
    for (let left = 5 + random() * 60; held !== undefined && left > 0; left -= 1) {
      const did = await append(id, held.fence);
      say(did, held.fence);
      if (did === 'refused') break;
      if (random() < 0.1) held = await hold();
      lastFence = held?.fence ?? lastFence;
      await wait(random() * 5);
    }
    if (lastFence === undefined) await wait(random() * 40);
    else if (random() < 0.7 && (await sessions.release(id, { fence: lastFence })).isOk()) {
      const did = await append(id, lastFence);
      say(did === 'appended' ? 'kept' : did, lastFence);
    }
  }
};

void Promise.all([1, 2].map((each) => fight(`${name}.${each}`)));
