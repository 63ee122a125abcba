import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeDatabases, type TestDatabase } from '../support/databases.js';
import { ManualClock } from '../support/manual-clock.js';
import { withoutRevisions } from '../support/without-revisions.js';

/**
 * Texts that databases, keys, JSON or comparisons may change, refuse or confuse with one another.
 */
const texts: Readonly<Record<string, string>> = {
  'a high surrogate alone': '\ud83d',
  'a low surrogate alone': 'x\udc00',
  'surrogates in the wrong order': '\udc00\ud83d',
  'halves of two emoji': '\ud83d \ude00',
  NUL: '\0',
  'NUL between letters': 'a\0b',
  'NUL at the end': 'a\0',
  'a text like an escaped NUL': String.raw`\u0000`,
  'a text like an escaped name': 'a%0000',
  'astral characters': '😀𝒳\u{10ffff}',
  'characters that are none': '\ufffe\uffff\ufeff',
  'control characters': '\u0001\u001b[2J\u007f\u0085',
  'line ends': '\r\n\u2028\u2029',
  'a composed letter': '\u00e9',
  'the same letter decomposed': 'e\u0301',
  'a capital': 'A',
  'the same letter small': 'a',
  'a space at the end': 'a ',
  'a space': ' ',
  nothing: '',
  'quotes of SQL': `'"; DROP TABLE colloquy_sessions; --`,
  'wildcards and separators': '%_*?{}[]:\\/,',
  'a placeholder': '$1 ?1 :a @a',
  'a number': '007',
  'a name of JavaScript': '__proto__',
  'the longest name, of astral characters': '😀'.repeat(128),
  'the longest name, of surrogates': '\ud800'.repeat(256),
  'one character too many': 'x'.repeat(257),
};

const units = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'a',
      'A',
      ' ',
      '\0',
      '%',
      ':',
      "'",
      '\\',
      '\ud83d',
      '\ude00',
      '\udfff',
      '😀',
      '\n',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  },
);
const anyText = fc.array(units, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));

/**
 * Fields that may differ between stores: positions and incarnations are opaque, and fencing tokens
 * begin at random.
 */
const OPAQUE = /^(position|historyPosition|start|incarnation|fencingToken|cause)$/;

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (key, each) => (OPAQUE.test(key) ? key : each)));

/** Everything that callers and watchers learn about sessions in which every string is `text`. */
const toldOn = async (store: SessionStore, text: string): Promise<readonly unknown[]> => {
  let made = 0;
  const next = () => {
    made += 1;
    return made === 1 ? text : `${text}${made}`;
  };
  const all = new SessionService({ store, clock: new ManualClock(), ids: { next } });
  const told: unknown[] = [];
  const tell = async <T>(name: string, operation: () => PromiseLike<T>): Promise<T | undefined> => {
    try {
      const answer = await operation();
      told.push([name, plain(answer)]);
      return answer;
    } catch (cause) {
      told.push([name, String(cause)]);
      return undefined;
    }
  };
  for (const tenant of [text, `beside ${text.slice(0, 100)}`]) {
    await tell('tenant', async () => {
      const sessions = all.forTenant(tenant);
      const texts = { face: text, profile: text, context: text, behavior: text };
      const input = { ...texts, labels: { user: text } };
      await tell('create', () => sessions.create(input));
      await tell('create another', () =>
        sessions.create({ face: 'ada', profile: 'tutor', labels: { user: text } }),
      );
      await tell('create by a key', () => sessions.create({ ...input, idempotencyKey: text }));
      await tell('create by a key again', () =>
        sessions.create({ ...input, idempotencyKey: text }),
      );
      await tell('create with such a label', () =>
        sessions.create({ ...input, labels: { [text]: 'x' } }),
      );
      const id = text;
      await tell('start', () => sessions.start(id));
      await tell('append', () => sessions.append(id, [{ role: 'user', content: text }]));
      await tell('append of such a role', () =>
        sessions.append(id, [{ role: text, content: text }]),
      );
      for (const again of ['', ' again']) {
        const options = { operationId: text };
        await tell(`append by a name${again}`, () =>
          sessions.append(id, [{ role: 'user', content: text }], options),
        );
        await tell(`pause by a name${again}`, () => sessions.pause(id, options));
      }
      await tell('lease', () => sessions.lease(id, { holder: text, seconds: 60 }));
      await tell('get', () => sessions.get(id));
      await tell('history', () => sessions.history(id, { last: 10 }));
      await tell('list', () => sessions.list());
      await tell('list by label', () => sessions.list({ labels: { user: text } }));
      await tell('list by status', () => sessions.list({ status: 'IDLE' }));
      const first = await tell('first page', () => sessions.list({ limit: 1 }));
      const after = first?.isOk() ? first.value.nextCursor : undefined;
      if (after !== undefined)
        await tell('second page', () => sessions.list({ limit: 1, cursor: after }));
      await tell('events', async () => {
        const page = await store.events?.read(store.events.streamOf(tenant), '', 10_000);
        const events =
          page?._unsafeUnwrap().events.filter((event) => event.tenant === tenant) ?? [];
        // A log may contain an event twice.
        const once = events.filter(
          (event, at) => events.findIndex((each) => each.id === event.id) === at,
        );
        return once.map(({ id: _, ...event }) => event);
      });
      await tell('delete', () => sessions.delete(id));
      await tell('get what is deleted', () => sessions.get(id));
    });
  }
  return told;
};

describeDatabases(
  'a text is stored exactly, or rejected with the same error as in memory',
  (kind) => {
    let database: TestDatabase;
    let store: SessionStore;
    beforeAll(async () => {
      database = await kind.create();
      store = database.open();
    });
    afterAll(() => database.close());

    test.each(Object.entries(texts))('%s', async (_, text) => {
      const expected = await toldOn(new MemorySessionStore({ events: true }), text);
      expect(withoutRevisions(await toldOn(store, text))).toEqual(withoutRevisions(expected));
    });

    test('for random characters', async () => {
      let tenants = 0;
      await fc.assert(
        fc.asyncProperty(anyText, async (text) => {
          tenants += 1;
          const unique = `${text}${tenants}`;
          const expected = await toldOn(new MemorySessionStore({ events: true }), unique);
          expect(withoutRevisions(await toldOn(store, unique))).toEqual(withoutRevisions(expected));
        }),
        { numRuns: moreIfLong(4, 200) },
      );
    });

    test('for any length up to the limit of bytes', async () => {
      const memory = new MemorySessionStore();
      // In UTF-8 a lone surrogate takes three bytes, as the character that replaces it.
      for (const [unit, bytes] of [
        ['\ud800', 3],
        ['\0', 1],
        ['😀', 4],
        ['\u00e9', 2],
      ] as const) {
        for (const excess of [0, 1]) {
          const content = unit.repeat((256 * 1024) / bytes + excess);
          const context = unit.repeat((64 * 1024) / bytes + excess);
          const [actual, expected] = await Promise.all(
            [store, memory].map(async (each) => {
              const sessions = new SessionService({
                store: each,
                clock: new ManualClock(),
                tenant: `${unit}${excess}`,
              });
              const made = await sessions.create({
                face: 'ada',
                profile: 'tutor',
                context,
                idempotencyKey: 'k',
              });
              const { id } = (
                await sessions.create({ face: 'ada', profile: 'tutor', idempotencyKey: 'l' })
              )._unsafeUnwrap();
              await sessions.start(id);
              const appended = await sessions.append(id, [{ role: 'user', content }]);
              const read = (await sessions.get(id))._unsafeUnwrap();
              return [
                plain(made),
                plain(appended),
                read.history.length,
                read.history[0]?.content === content,
              ];
            }),
          );
          expect(withoutRevisions(actual)).toEqual(withoutRevisions(expected));
          expect(actual?.slice(2)).toEqual(excess === 0 ? [1, true] : [0, false]);
        }
      }
    });
  },
);
