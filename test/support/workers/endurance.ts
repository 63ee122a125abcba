import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import type { Result } from 'neverthrow';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { type SessionError, SessionService } from '../../../src/index.js';
import { type HeapSample, heapAfterCollection, leftSince } from '../heap.js';
import { PATIENT_MS } from '../patience.js';

/**
 * `endurance.cjs STORE PORT OPERATIONS SAMPLES CONTENT`, with `--expose-gc`: runs many operations
 * on one store, with contents of CONTENT characters, and reports the growth of the heap.
 */
export interface EnduranceReport {
  readonly samples: readonly HeapSample[];
  readonly unexpected: readonly string[];
  readonly warnings: readonly string[];
  /** Resources that keep the process alive at the end and did not at the start. */
  readonly left: readonly string[];
}

const [storeName = '', ...numbers] = process.argv.slice(2);
const [port = 0, most = 0, wanted = 1, length = 0] = numbers.map(Number);
const TOGETHER = 16;

const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

const clientOf = (): Redis | Redis6 | undefined => {
  const options = { port, disconnectTimeout: 10 };
  if (storeName === 'memory') return undefined;
  return storeName === 'ioredis 6' ? new Redis6(options) : new Redis(options);
};

const client = clientOf();
client?.on('error', () => undefined);
const store =
  client === undefined
    ? new MemorySessionStore()
    : new RedisSessionStore({ client, prefix: `endurance-${storeName}`, timeoutMs: PATIENT_MS });
const sessions = new SessionService({ store });

const unexpected: string[] = [];
let done = 0;

const expectAll = (
  outcomes: readonly (readonly [string, Result<unknown, SessionError>])[],
): void => {
  done += outcomes.length;
  for (const [expected, outcome] of outcomes) {
    const type = outcome.isOk() ? 'ok' : outcome.error.type;
    if (type !== expected && unexpected.length < 10) unexpected.push(`${type}, not ${expected}`);
  }
};

/** The life of one session, with typical faults. Afterwards nothing of it remains. */
const live = async (): Promise<void> => {
  const input = { face: 'ada', profile: 'tutor', idempotencyKey: `life-${done}-${Math.random()}` };
  const created = await sessions.create(input);
  const id = created.isOk() ? created.value.id : '';
  const entry = { role: 'user', content: 'x'.repeat(length) };
  const named = { operationId: 'turn' };
  expectAll([
    ['ok', created],
    ['ok', await sessions.create(input)],
    ['ok', await sessions.start(id, { operationId: 'start' })],
    ['ok', await sessions.append(id, [entry])],
    ['ok', await sessions.append(id, [entry, entry], named)],
    ['ok', await sessions.append(id, [entry, entry], named)],
    ['ok', await sessions.get(id)],
    ['ok', await sessions.list({ limit: 2 })],
    ['ok', await sessions.pause(id)],
    ['invalid_transition', await sessions.start(id)],
    ['ok', await sessions.resume(id)],
    ['ok', await sessions.terminate(id)],
    ['invalid_transition', await sessions.append(id, [entry])],
    ['invalid_input', await sessions.create({ face: '', profile: '' })],
    ['not_found', await sessions.forTenant(`none-${done}`).get(id)],
    ['ok', await sessions.delete(id)],
    ['not_found', await sessions.get(id)],
  ]);
};

const work = async (): Promise<void> => {
  await sessions.list();
  const before = process.getActiveResourcesInfo();
  const samples: HeapSample[] = [];
  while (done < most) {
    await Promise.all(Array.from({ length: TOGETHER }, live));
    if (done >= (most / wanted) * (samples.length + 1))
      samples.push({ steps: done, bytes: await heapAfterCollection() });
  }
  const report: EnduranceReport = { samples, unexpected, warnings, left: leftSince(before) };
  process.send?.(JSON.stringify(report));
  // Like a host that has closed its client, the process must now exit by itself.
  client?.disconnect();
  process.disconnect();
};

work().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
