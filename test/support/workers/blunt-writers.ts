import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { type Answers, BluntWriter } from '../../faults/refusals/blunt-writer.js';
import { randomFrom } from '../random.js';

/**
 * `blunt-writers.cjs VERSION PORT PREFIX EVENTS WRITERS SEED`: writes until it is stopped. Reports
 * the number of answered calls while it runs, and everything its writers know at the end.
 */
export interface WritersReport {
  readonly answers: Answers;
  readonly ledgers: readonly WrittenLedger[];
}

/** A serialised ledger. */
export interface WrittenLedger {
  readonly tenant: string;
  readonly id: string;
  readonly acknowledged: readonly string[];
  readonly doubtful: readonly string[];
  readonly statuses: readonly string[];
  readonly deleted: 'no' | 'yes' | 'in doubt';
}

const [version = '', port = '', prefix = '', events = '', ...numbers] = process.argv.slice(2);
const [writers = 0, seed = 0] = numbers.map(Number);
const TIMEOUT_MS = 500;
const TOLD_EVERY_MS = 20;

const client = version === 'ioredis 6' ? new Redis6(Number(port)) : new Redis(Number(port));
client.on('error', () => undefined);
const options = {
  client,
  prefix,
  events: events === 'events',
  timeoutMs: TIMEOUT_MS,
};
const sessions = new SessionService({ store: new RedisSessionStore(options) });

const answers: Answers = { acknowledged: 0, notApplied: 0, unknown: 0 };
let isOver = false;

const tenantOf = (at: number): string => `tenant ${at % 4}`;

const work = async (): Promise<void> => {
  const working = Array.from({ length: writers }, (_, at) => {
    const random = randomFrom(seed * 1000 + at);
    return new BluntWriter(sessions, tenantOf(at), `w${seed}.${at}`, random, answers);
  });
  const done = Promise.all(working.map((writer) => writer.write(() => isOver)));
  while (!isOver) {
    await Promise.race([done, sleep(TOLD_EVERY_MS)]);
    process.send?.(JSON.stringify(answers));
  }
  await done;
  const ledgers = working.flatMap((writer, at) =>
    writer.ledgers.map(({ doubtful, statuses, ...ledger }) => ({
      ...{ tenant: tenantOf(at), ...ledger },
      ...{ doubtful: [...doubtful], statuses: [...statuses] },
    })),
  );
  const report: WritersReport = { answers, ledgers };
  process.send?.(JSON.stringify(report), () => process.disconnect());
  client.disconnect();
};

process.on('message', () => {
  isOver = true;
});
process.on('disconnect', () => process.exit(0));

work().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
