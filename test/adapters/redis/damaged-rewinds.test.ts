import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, made } from '../../../src/testing/commits.js';
import { keyOf, TENANT } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';

const key = keyOf('bad');

/** Damages one byte in this many; every byte with `npm run test:long`. */
const STEP = moreIfLong(17, 1);

const rewindOf = (truncate: number, contents: readonly string[] = []) =>
  openAppendOf(key, contents, {}, { truncate });

let prefixes = 0;

describeWithRedis('a rewound session whose Redis strings are damaged', ({ port }) => {
  const open = async () => {
    prefixes += 1;
    const prefix = `damaged-rewinds-${process.pid}-${prefixes}`;
    const client = new Redis({ port });
    onTestFinished(() => client.disconnect());
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await begin(store, keyOf('good'));
    await begin(store, key);
    const first = await openAppend(store, key, ['one']);
    await openAppend(store, key, ['two']);
    const second = await made(store, rewindOf(first, ['three', 'four']));
    await made(store, rewindOf(second));
    await openAppend(store, key, ['five']);
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

  test('its reads fail with corrupt_record if a range ends before it begins', async () => {
    const { client, store, first, keys } = await open();
    const record = (await client.get(keys.record)) ?? '';
    await client.set(keys.record, record.replace(/ (\d+)-\d+-(\d+);/, ' $1-2-$2;'));
    for (const answer of [
      await store.find(key),
      await store.find(key, { historyLimit: 2 }),
      await store.entries(key, { limit: 10 }),
      await store.entries(key, { limit: 10, before: first }),
      await store.entries(key, { limit: 1, after: 0 }),
    ])
      expect(answer._unsafeUnwrapErr()).toMatchObject({ type: 'corrupt_record', id: 'bad' });
  });

  describe.each(['record', 'journal'] as const)('its %s', (part) => {
    test.each(damages)(
      'settles every call and hides no other session: %s',
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
          const rewound = () => store.change(rewindOf(first));
          for (const answer of [...(await Promise.all(reads)), await rewound()]) {
            if (answer.isErr())
              expect(answer.error).toMatchObject({ type: 'corrupt_record', id: 'bad' });
          }
          for (const size of [{}, { historyLimit: 0 }, { historyLimit: 2 }]) {
            const page = await answerOf(store.page(TENANT, { offset: 0, limit: 10, ...size }));
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
