import type { JsonObject } from '../../session/session.js';
import { answerOf, contentsOf, expectStored } from '../answers.js';
import { append, begin, put } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { hostileTexts } from '../hostile-texts.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT } from '../samples.js';
import type { PortCase } from '../store-case.js';

const KIB_256 = 256 * 1024;

/**
 * The largest texts that the engine allows by default, in characters that grow little or much when
 * encoded.
 */
const largeTexts = ['x', '\n', '"', '\0', '\u20AC'].map((character) =>
  character.repeat(character === '\u20AC' ? Math.floor(KIB_256 / 3) : KIB_256),
);

const metadata: readonly JsonObject[] = [
  {},
  { title: 'Tax return', pages: 3, isDraft: false, summary: null },
  { steps: [1, [2, { three: [] }], 'four'], 'a name with "quotes"': { deep: { deeper: -0.5 } } },
  { status: 'ACTIVE', revision: 7, labels: { user: 'u-1' }, lease: null },
  Object.fromEntries(hostileTexts.map((text, at) => [`text ${at}`, text])),
];

export const texts: readonly PortCase[] = [
  {
    name: 'texts: options are read as they were written',
    run: async (store) => {
      for (const [index, text] of hostileTexts.entries()) {
        const each = keyOf(`s${index}`);
        const name = text === '' ? '-' : text.slice(0, 256);
        const options = { face: name, profile: name, behavior: text, context: `${text}${text}` };
        const stored = await begin(store, each, { head: headOf(each.id, NOON + index, options) });
        await expectStored(store, each, stored, `the session of ${JSON.stringify(text)}`);
      }
      const page = await answerOf(store.page(TENANT, { offset: 0, limit: 100 }));
      const behaviors = page.records.map(({ head }) => head.options.behavior);
      expectEqual(behaviors, hostileTexts.toReversed(), 'the behaviors on the page');
    },
  },
  {
    name: 'texts: the longest are kept whole',
    run: async (store) => {
      const [plain = '', lines = ''] = largeTexts;
      const options = { behavior: plain.slice(0, 65_536), context: lines.slice(0, 65_536) };
      const stored = await begin(store, key, { head: headOf('one', NOON, options) });
      for (const text of largeTexts) await append(store, key, [text]);
      const expected = { ...stored, history: largeTexts.map((text) => say(text)) };
      await expectStored(store, key, expected);
      const page = await answerOf(store.page(TENANT, { offset: 0, limit: 1 }));
      expectEqual(page.records.map(contentsOf), [expected], 'records');
    },
  },
  {
    name: 'texts: metadata is read as it was written, by every read, also after the end',
    run: async (store) => {
      const stored = await begin(store, key, { state: live('ACTIVE', { metadata: { a: 1 } }) });
      for (const [at, each] of [...metadata, undefined, { title: 'last' }].entries()) {
        const changes = { revision: at + 2, ...(each && { metadata: each }) };
        const state = at > metadata.length ? ended('failed', changes) : live('ACTIVE', changes);
        await put(store, key, state);
        await expectStored(store, key, { ...stored, state }, JSON.stringify(each));
        const { records } = await answerOf(store.page(TENANT, { offset: 0, limit: 1 }));
        expectEqual(records[0]?.state, state, `a page with ${JSON.stringify(each)}`);
      }
    },
  },
];
