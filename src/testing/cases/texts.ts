import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { ended, headOf, keyOf, NOON, operationOf, say, TENANT } from '../samples.js';
import {
  answerOf,
  append,
  contentsOf,
  expectStored,
  insert,
  insertActive,
  replace,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const KIB_256 = 256 * 1024;

/**
 * The largest texts that the engine allows by default, in characters that grow little or much when
 * encoded.
 */
const largeTexts = ['x', '\n', '"', '\0', '\u20AC'].map((character) =>
  character.repeat(character === '\u20AC' ? Math.floor(KIB_256 / 3) : KIB_256),
);

export const texts: readonly StoreCase[] = [
  {
    name: 'texts: options are read as they were written',
    run: async (store) => {
      for (const [index, text] of hostileTexts.entries()) {
        const each = keyOf(`s${index}`);
        const name = text === '' ? '-' : text.slice(0, 256);
        const options = { face: name, profile: name, behavior: text, context: `${text}${text}` };
        const inserted = await insert(store, each, headOf(each.id, NOON + index, options));
        await expectStored(store, each, inserted, `the session of ${JSON.stringify(text)}`);
      }
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 100 }));
      const behaviors = page.records.map(({ head }) => head.options.behavior);
      expectEqual(behaviors, hostileTexts.toReversed(), 'the behaviors on the page');
    },
  },
  {
    name: 'texts: entries are read as they were written, one by one or many at once',
    run: async (store) => {
      const stored = await insertActive(store, key);
      const entries = hostileTexts.map((text) => say(text, text === '' ? '-' : text.slice(0, 64)));
      for (const [index, entry] of entries.entries()) {
        const named = index % 3 === 0 ? { operation: operationOf(`op-${index}`) } : {};
        await answerOf(store.append(key, { entries: [entry], now: NOON, ...named }));
      }
      await answerOf(store.append(key, { entries, now: NOON, operation: operationOf('all') }));
      await answerOf(store.append(key, { entries, now: NOON }));
      await expectStored(store, key, { ...stored, history: [...entries, ...entries, ...entries] });
    },
  },
  {
    name: 'texts: a history of hostile texts hinders neither a change nor an append',
    run: async (store) => {
      const options = { behavior: hostileTexts.join('\n'), context: hostileTexts.join('",\n"') };
      const stored = await insertActive(store, key, headOf('one', NOON, options));
      const before = hostileTexts.slice(0, 20);
      const after = hostileTexts.slice(20);
      await append(store, key, before, 'before');
      await append(store, key, after);
      await append(store, key, ['again'], 'before');
      const state = ended('terminated', { revision: 3 });
      await replace(store, key, state);
      await expectStored(store, key, {
        ...stored,
        state,
        history: hostileTexts.map((text) => say(text)),
      });
    },
  },
  {
    name: 'texts: the longest texts are kept whole',
    run: async (store) => {
      const [plain = '', lines = ''] = largeTexts;
      const options = { behavior: plain.slice(0, 65_536), context: lines.slice(0, 65_536) };
      const stored = await insertActive(store, key, headOf('one', NOON, options));
      for (const text of largeTexts) await append(store, key, [text]);
      const expected = { ...stored, history: largeTexts.map((text) => say(text)) };
      await expectStored(store, key, expected);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 1 }));
      expectEqual(page.records.map(contentsOf), [expected], 'records');
    },
  },
];
