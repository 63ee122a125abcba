import type { JsonObject } from '../../session/session.js';
import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { ended, headOf, keyOf, live, TENANT } from '../samples.js';
import { answerOf, errorOf, expectStored, insert, replace } from '../steps.js';
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
  {
    name: 'metadata: a change of it is a change though the status stays, and has the next number',
    run: async (store) => {
      await insert(
        store,
        key,
        headOf('one'),
        live('IDLE', { metadata: { a: 1, b: { c: 1, d: 2 } } }),
      );
      const sequence = async () => (await answerOf(store.find(key)))?.sequence ?? 0;
      const first = await sequence();
      await replace(
        store,
        key,
        live('IDLE', { revision: 2, metadata: { b: { d: 2, c: 1 }, a: 1 } }),
      );
      expectEqual(await sequence(), first, 'after the same metadata in another order');
      await replace(
        store,
        key,
        live('IDLE', { revision: 3, metadata: { a: 1, b: { c: 2, d: 2 } } }),
      );
      expectEqual(await sequence(), first + 1, 'after other metadata');
      await replace(store, key, live('IDLE', { revision: 4 }));
      expectEqual(await sequence(), first + 2, 'without metadata');
    },
  },
  {
    name: 'metadata: counts towards the size of a read',
    run: async (store) => {
      const state = live('IDLE', { metadata: { text: '\u20ac"\n'.repeat(2000) } });
      await insert(store, key, headOf('one'), state);
      const bytes = new TextEncoder().encode(JSON.stringify(state.metadata)).length;
      const failures = [
        await errorOf(store.find(key, { maxBytes: bytes })),
        await errorOf(
          store.list(TENANT, { offset: 0, limit: 1, historyLimit: 0, maxBytes: bytes }),
        ),
      ];
      for (const { type } of failures) expectEqual(type, 'too_large', 'a read of fewer bytes');
    },
  },
];

/** For a store with events. */
export const metadataEvents: readonly StoreCase[] = [
  {
    name: 'metadata: the event of other metadata says that it has changed, and has the names of labels that have',
    run: async (store) => {
      await insert(store, key, headOf('one'), live('IDLE'));
      const start = await latestPosition(store);
      const labels = { title: 'a, b=c', user: 'u:1' };
      const changes = [
        { metadata: { a: 1 } },
        { metadata: { a: 2 }, labels },
        { metadata: { a: 2 }, labels: { user: 'u' } },
        { labels: { user: 'u' } },
      ];
      for (const [at, each] of changes.entries()) {
        await replace(store, key, live('IDLE', { revision: at + 2, ...each }));
      }
      expectEqual(
        (await eventsAfter(store, start)).map((event) =>
          event.type === 'session.updated'
            ? [event.labelsChanged, event.metadataChanged]
            : event.type,
        ),
        [
          [[], true],
          [['title', 'user'], true],
          [['title', 'user'], undefined],
          [[], true],
        ],
        'the events',
      );
    },
  },
];
