import type { JsonObject } from '../../session/session.js';
import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { ended, headOf, keyOf, live, TENANT } from '../samples.js';
import { answerOf, expectStored, insert, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const samples: readonly JsonObject[] = [
  {},
  { title: 'Tax return', pages: 3, isDraft: false, summary: null },
  { steps: [1, [2, { three: [] }], 'four'], 'a name with "quotes"': { deep: { deeper: -0.5 } } },
  { status: 'ACTIVE', revision: 7, labels: { user: 'u-1' }, lease: null },
  Object.fromEntries(hostileTexts.map((text, at) => [`text ${at}`, text])),
];

export const metadata: readonly StoreCase[] = [
  {
    name: 'metadata: is read as it was written, by every read, also after the end',
    run: async (store) => {
      const first = live('ACTIVE', { metadata: { title: 'first' } });
      const { head } = await insert(store, key, headOf('one'), first);
      await expectStored(store, key, { head, state: first, history: [] }, 'an inserted session');
      let revision = 1;
      for (const each of samples) {
        revision += 1;
        const state = live('ACTIVE', { revision, metadata: each });
        await replace(store, key, state);
        await expectStored(store, key, { head, state, history: [] }, JSON.stringify(each));
        const { records } = await answerOf(store.list(TENANT, { offset: 0, limit: 1 }));
        expectEqual(records[0]?.state, state, `a page with ${JSON.stringify(each)}`);
      }
      const state = ended('failed', { revision: revision + 1, metadata: { title: 'last' } });
      await replace(store, key, state);
      await expectStored(store, key, { head, state, history: [] }, 'a session that has ended');
    },
  },
];
