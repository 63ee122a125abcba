import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { bytesOf as bytesOfText } from '../../../adapters/stored/json.js';
import { wireForm } from '../../../src/endpoints/wire-session.js';
import { sessionAt } from '../../../src/session/session-at.js';
import type { ReadSize } from '../../../src/store/session-store.js';
import { answerOf, errorOf } from '../../../src/testing/answers.js';
import { begin } from '../../../src/testing/commits.js';
import { headOf, keyOf, NOON, say, TENANT, upTo } from '../../../src/testing/samples.js';

/** Of any UTF-16 code units: surrogates alone and in pairs, controls, quotes, separators. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), {
    maxLength: 200,
  })
  .map((units) => String.fromCharCode(...units));

/** How a host shows sessions that shows all of them. */
const { item: shown } = wireForm({
  labels: true,
  metadata: true,
  sessionTimes: true,
  origin: true,
  entryData: true,
});

const bytesOf = (error: { readonly type: string; readonly bytes?: number }): number =>
  error.type === 'too_large' ? (error.bytes ?? Number.NaN) : Number.NaN;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the byte count of a text', () => {
  test('equals its length in UTF-8 for any characters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(bytesOfText(text)).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    '',
    '"\\\b\f\n\r\t\u0000\u001f',
    '\u007f\u0080\u07ff\u0800\uffff',
    '\ud800',
    '\udfff',
    '\ud83d\ude00\ude00',
  ])('is exact for %j', (text) => {
    expect(bytesOfText(text)).toBe(Buffer.byteLength(text));
  });
});

/** What makes JSON larger than its text, or the other way round. */
const hostile: Readonly<Record<string, string>> = {
  'plain letters': 'abcdefgh',
  quotes: '"\\"\\',
  'control characters': '\u0000\u0001\u001f\u000b',
  'line feeds': '\n\r\t',
  'lone surrogates': '\ud800a\udfff',
  emoji: '\ud83d\ude00',
  'letters of two and three bytes': '\u00e9\u20ac',
};

describe('the size that the store estimates before it reads', () => {
  const filled = async (text: string, entries: number) => {
    const store = new MemorySessionStore();
    for (const [at, id] of ['a', 'b', 'c'].entries()) {
      const texts = { context: text.repeat(400 * at), behavior: text.repeat(200), timeLimit: 60 };
      const said = upTo(entries).map((each) => say(text.repeat((each % 7) * 40)));
      await begin(store, keyOf(id), { head: headOf(id, NOON, texts), entries: said });
    }
    return store;
  };

  const sizes: readonly ReadSize[] = [{}, { historyLimit: 0 }, { historyLimit: 5 }];

  test.each(Object.entries(hostile))(
    'is within 4 percent of the JSON of a page: %s',
    async (_, text) => {
      for (const entries of [0, 1, 100]) {
        const store = await filled(text, entries);
        for (const size of sizes) {
          const page = await answerOf(store.page(TENANT, { offset: 0, limit: 10, ...size }));
          const bytes = bytesOf(
            await errorOf(store.page(TENANT, { offset: 0, limit: 10, ...size, maxBytes: 1 })),
          );
          const actual = sizeOf(page.records.map((record) => shown(sessionAt(record, NOON))));
          expect(Math.abs(bytes / actual - 1)).toBeLessThan(0.04);
        }
      }
    },
  );

  test('is within 100 bytes for the smallest session', async () => {
    const store = new MemorySessionStore();
    await begin(store, keyOf('a'));
    const found = await answerOf(store.find(keyOf('a')));
    const bytes = bytesOf(await errorOf(store.find(keyOf('a'), { maxBytes: 1 })));
    const actual = found && sizeOf(shown(sessionAt(found, NOON)));
    expect(Math.abs(bytes - (actual ?? 0))).toBeLessThan(100);
  });
});
