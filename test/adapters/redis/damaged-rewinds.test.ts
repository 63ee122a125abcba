import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { headOf, keyOf, live, NOON, say, TENANT } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { answerOf, append } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('bad');

/** One byte of so many is damaged; each of them with `npm run test:long`. */
const STEP = moreIfLong(17, 1);

let prefixes = 0;

describeWithRedis('a session that was rewound, whose strings are damaged', ({ port }) => {
  const open = async () => {
    prefixes += 1;
    const prefix = `damaged-rewinds-${process.pid}-${prefixes}`;
    const client = new Redis({ port });
    onTestFinished(() => client.disconnect());
    const store = todaysRedisStore({ client, prefix, timeoutMs: PATIENT_MS });
    await answerOf(store.insert(TENANT, headOf('good'), live('IDLE')));
    await answerOf(store.insert(TENANT, headOf('bad'), live('ACTIVE')));
    const rewind = async (after: number, contents: readonly string[]): Promise<number> => {
      const append = { entries: contents.map((content) => say(content)), now: NOON, after };
      const answer = await answerOf(store.append(key, append));
      return answer.outcome === 'appended' ? answer.position : -1;
    };
    const first = await append(store, key, ['one']);
    await append(store, key, ['two']);
    const second = await rewind(first, ['three', 'four']);
    await rewind(second, []);
    await append(store, key, ['five']);
    return { client, store, first, keys: new Keyspace(prefix, 1).of(key) };
  };

  const damages: readonly (readonly [string, (text: Buffer) => readonly Buffer[]])[] = [
    [
      'cut at any byte',
      (text) => Array.from(text, (_, at) => text.subarray(0, at + 1)).slice(0, -1),
    ],
    ...[0x01, 0x08, 0x20].map((bit): readonly [string, (text: Buffer) => readonly Buffer[]] => [
      `with ${bit} added to or taken from any byte`,
      (text) => Array.from(text, (byte, at) => Buffer.from(text).fill(byte ^ bit, at, at + 1)),
    ]),
  ];

  describe.each(['record', 'journal'] as const)('its %s', (part) => {
    test.each(damages)(
      '%s: every call answers, and hides no other session',
      async (name, damagedOnes) => {
        const offset = damages.findIndex(([each]) => each === name);
        const { client, store, first, keys } = await open();
        const [record, journal] = [
          await client.getBuffer(keys.record),
          await client.getBuffer(keys.journal),
        ];
        const whole = part === 'record' ? record : journal;
        if (record === null || journal === null || whole === null)
          throw new Error('there is no such string');
        for (const damaged of damagedOnes(whole).filter((_, at) => at % STEP === offset % STEP)) {
          await client.mset(keys.record, record, keys.journal, journal, keys[part], damaged);
          const reads = [
            store.find(key),
            store.find(key, { historyLimit: 2 }),
            store.entries(key, { limit: 10 }),
            store.entries(key, { limit: 10, before: first }),
            store.entries(key, { limit: 1, after: 0 }),
            store.entries(key, { limit: 10, after: first }),
          ];
          const rewind = () => store.append(key, { entries: [], now: NOON, after: first });
          for (const answer of [...(await Promise.all(reads)), await rewind()]) {
            if (answer.isErr())
              expect(answer.error).toMatchObject({ type: 'corrupt_record', id: 'bad' });
          }
          for (const size of [{}, { historyLimit: 0 }, { historyLimit: 2 }]) {
            const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10, ...size }));
            expect([
              page.records[0]?.head.id,
              page.records.length + page.unreadable.length,
            ]).toEqual(['good', 2]);
          }
        }
      },
    );
  });
});
