import { Redis } from 'ioredis';
import type { Result } from 'neverthrow';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import type { OperationErrors } from '../../../src/session/operation-errors.js';
import type { SessionLease } from '../../../src/session/session.js';
import { randomFrom } from '../random.js';

/** Competes for sessions until it is killed, and prints its results: one `HolderReport` a line. */
export interface HolderReport {
  /**
   * `leased`: a lease was taken or renewed. `appended`: acknowledged. `refused`: answered as not
   * written. `unknown`: never answered. `kept`: an append was acknowledged after its lease was
   * released. `moved`: repeated under its operation id, an append has another position.
   */
  readonly did: 'leased' | 'appended' | 'refused' | 'unknown' | 'kept' | 'moved';
  readonly id: string;
  readonly holder: string;
  readonly fencingToken: number;
  /** Number of the holder's append. */
  readonly count: number;
}

const [port = '', prefix = '', name = '', offset = '', ...ids] = process.argv.slice(2);

const client = new Redis(Number(port));
client.on('error', () => {});
const store = new RedisSessionStore({ client, prefix, timeoutMs: 200 });
const sessions = new SessionService({ store, clock: { now: () => Date.now() + Number(offset) } });
const random = randomFrom(process.pid);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const outcomeOf = (
  result: Result<unknown, OperationErrors['append']>,
): 'appended' | 'refused' | 'unknown' => {
  if (result.isOk()) return 'appended';
  return result.error.type === 'store_unavailable' && result.error.outcome === 'unknown'
    ? 'unknown'
    : 'refused';
};

const fight = async (holder: string): Promise<never> => {
  let count = 0;

  const append = async (id: string, fencingToken: number): Promise<HolderReport['did']> => {
    count += 1;
    const entries = [{ role: 'assistant', content: `${holder} ${fencingToken} ${count}` }];
    if (random() < 0.5) return outcomeOf(await sessions.append(id, entries, { fencingToken }));
    const call = () =>
      sessions.append(id, entries, { fencingToken, operationId: `${holder}-${count}` });
    const first = await call();
    const outcome = outcomeOf(first);
    if (outcome === 'refused' || (outcome === 'appended' && random() < 0.8)) return outcome;
    for (let tries = 0; tries < 20; tries += 1) {
      const again = await call();
      if (again.isOk())
        return first.isOk() && first.value.position !== again.value.position ? 'moved' : 'appended';
      if (again.error.type === 'store_unavailable') continue;
      // After an unknown outcome, the first call may still be in flight, so this refusal does not
      // decide it.
      return outcome === 'appended' ? 'moved' : 'unknown';
    }
    return outcome;
  };

  for (;;) {
    const id = ids[Math.floor(random() * ids.length)] ?? '';
    const say = (did: HolderReport['did'], fencingToken: number) =>
      process.stdout.write(
        `${JSON.stringify({ did, id, holder, fencingToken, count } satisfies HolderReport)}\n`,
      );
    const lease = async (): Promise<SessionLease | undefined> => {
      const leased = await sessions.lease(id, { holder, seconds: 0.3 + random() * 0.7 });
      if (leased.isErr()) return undefined;
      say('leased', leased.value.fencingToken);
      return leased.value;
    };

    const renew = async (fencingToken: number): Promise<SessionLease | undefined> => {
      const renewed = await sessions.renew(id, { fencingToken, seconds: 0.3 + random() * 0.7 });
      if (renewed.isErr()) return undefined;
      say('leased', renewed.value.fencingToken);
      return renewed.value;
    };

    let leased = await lease();
    let lastFencingToken = leased?.fencingToken;
    for (let left = 5 + random() * 60; leased !== undefined && left > 0; left -= 1) {
      const did = await append(id, leased.fencingToken);
      say(did, leased.fencingToken);
      if (did === 'refused') break;
      if (random() < 0.1) leased = await renew(leased.fencingToken);
      lastFencingToken = leased?.fencingToken ?? lastFencingToken;
      await wait(random() * 5);
    }
    if (lastFencingToken === undefined) await wait(random() * 40);
    else if (
      random() < 0.7 &&
      (await sessions.release(id, { fencingToken: lastFencingToken })).isOk()
    ) {
      const did = await append(id, lastFencingToken);
      say(did === 'appended' ? 'kept' : did, lastFencingToken);
    }
  }
};

void Promise.all([1, 2].map((each) => fight(`${name}.${each}`)));
