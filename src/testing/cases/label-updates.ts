import type { SessionLabels } from '../../session/session.js';
import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, expectStored, insert, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

/** The ids and the total of the sessions with a label. */
const listed = async (store: TodaysStore, labels: SessionLabels) => {
  const { records, total } = await answerOf(store.list(TENANT, { offset: 0, limit: 100, labels }));
  return [records.map(({ head }) => head.id), total];
};

const insertLabelled = (store: TodaysStore, labels: SessionLabels) =>
  insert(store, key, headOf('one'), live('IDLE', { labels }));

export const labelUpdates: readonly StoreCase[] = [
  {
    name: 'label: other labels move a session between their lists, and it keeps its place among the others',
    run: async (store, second) => {
      for (const [at, id] of ['old', 'one', 'new'].entries()) {
        await insert(
          store,
          keyOf(id),
          headOf(id, NOON + at),
          live('IDLE', { labels: { user: 'u-1', kept: 'yes' } }),
        );
      }
      const head = headOf('one', NOON + 1);
      const moved = live('IDLE', {
        revision: 2,
        labels: { user: 'u-2', kept: 'yes', userName: 'a' },
      });
      await replace(store, key, moved);
      await expectStored(second, key, { head, state: moved, history: [] });
      expectEqual(
        await listed(second, { user: 'u-1' }),
        [['new', 'old'], 2],
        'the list that it has left',
      );
      expectEqual(
        await listed(second, { user: 'u-2' }),
        [['one'], 1],
        'the list that it has joined',
      );
      expectEqual(await listed(second, { userName: 'a' }), [['one'], 1], 'the list of a new name');
      expectEqual(
        await listed(second, { kept: 'yes' }),
        [['new', 'one', 'old'], 3],
        'the list that it is still in',
      );
      const back = live('IDLE', { revision: 3, labels: { user: 'u-1' } });
      await replace(store, key, back);
      expectEqual(
        await listed(second, { user: 'u-1' }),
        [['new', 'one', 'old'], 3],
        'the list that it has come back to',
      );
      for (const gone of [{ user: 'u-2' }, { userName: 'a' }]) {
        expectEqual(await listed(second, gone), [[], 0], `the list of ${JSON.stringify(gone)}`);
      }
      expectEqual(
        await listed(second, { kept: 'yes' }),
        [['new', 'old'], 2],
        'the list of a removed name',
      );
      await answerOf(store.remove(key));
      expectEqual(
        await listed(second, { user: 'u-1' }),
        [['new', 'old'], 2],
        'the list after a removal',
      );
    },
  },
  {
    name: 'label: the first and the last label of a session come and go with a change, whatever their values',
    run: async (store) => {
      await insert(store, key);
      const values = [
        'a=b',
        'a b',
        ',',
        '-',
        '%0020',
        ...hostileTexts.filter((text) => text !== ''),
      ];
      for (const [at, value] of values.entries()) {
        const short = value.slice(0, 256);
        const labelled = live('IDLE', { revision: 2 * at + 2, labels: { user: short } });
        await replace(store, key, labelled);
        await expectStored(store, key, { head: headOf('one'), state: labelled, history: [] });
        expectEqual(
          await listed(store, { user: short }),
          [['one'], 1],
          `the list of ${JSON.stringify(short)}`,
        );
        const plain = live('IDLE', { revision: 2 * at + 3 });
        await replace(store, key, plain);
        await expectStored(store, key, { head: headOf('one'), state: plain, history: [] });
        expectEqual(
          await listed(store, { user: short }),
          [[], 0],
          `the list that was left, of ${JSON.stringify(short)}`,
        );
      }
    },
  },
  {
    name: 'label: a stale change moves no session between lists',
    run: async (store) => {
      await insertLabelled(store, { user: 'u-1' });
      await replace(store, key, live('IDLE', { revision: 2, labels: { user: 'u-2' } }));
      const late = live('IDLE', { revision: 2, labels: { user: 'u-3' } });
      expectEqual(await answerOf(replacing(store, key, late)), 'stale', 'replace');
      const expected: readonly (readonly [string, number])[] = [
        ['u-1', 0],
        ['u-2', 1],
        ['u-3', 0],
      ];
      for (const [user, total] of expected) {
        expectEqual(
          await listed(store, { user }),
          [total === 0 ? [] : ['one'], total],
          `the list of ${user}`,
        );
      }
    },
  },
  {
    name: 'label: an append that is refused answers with the labels of the session',
    run: async (store) => {
      const { state } = await insertLabelled(store, { user: 'u:1', title: 'Tax return' });
      const answer = await answerOf(
        store.append(key, {
          entries: [{ role: 'user', content: 'a', timestamp: headOf('one').createdAt }],
          now: NOON,
        }),
      );
      expectEqual(answer, { outcome: 'closed', state }, 'append');
    },
  },
  {
    name: 'label: other labels are a change though the status stays, and have the next number',
    run: async (store) => {
      await insertLabelled(store, { user: 'u-1' });
      const sequence = async () => (await answerOf(store.find(key)))?.sequence;
      const first = (await sequence()) ?? 0;
      await replace(store, key, live('IDLE', { revision: 2, labels: { user: 'u-1' } }));
      expectEqual(await sequence(), first, 'after a replacement with the same labels');
      await replace(store, key, live('IDLE', { revision: 3, labels: { user: 'u-2' } }));
      expectEqual(await sequence(), first + 1, 'after other labels');
      await replace(store, key, live('IDLE', { revision: 4 }));
      expectEqual(await sequence(), first + 2, 'without labels');
      await replace(store, key, ended('terminated', { revision: 5 }));
      await replace(store, key, ended('terminated', { revision: 6, labels: { user: 'u-3' } }));
      expectEqual(await sequence(), first + 4, 'after its end');
      expectEqual(
        await listed(store, { user: 'u-3' }),
        [['one'], 1],
        'the list of a session that has ended',
      );
    },
  },
  {
    name: 'label: of 50 writers that each give one session another label, every one counts and the lists agree with it',
    run: async (store, second) => {
      await insertLabelled(store, { first: 'yes' });
      await race(store, second, async (each, writer) => {
        for (;;) {
          const state = await answerOf(each.findState(key));
          if (state === undefined) throw new Error('the session is gone');
          const entries = Object.entries(state.labels ?? {}).slice(-7);
          const labels = Object.fromEntries([...entries, [`w${writer}`, 'yes']]);
          if (
            (await answerOf(
              replacing(each, key, { ...state, revision: state.revision + 1, labels }),
            )) === 'replaced'
          )
            return;
        }
      });
      const found = await answerOf(second.find(key));
      expectEqual(found?.state.revision, WRITERS + 1, 'the revision');
      const labels = found?.state.labels ?? {};
      expectEqual(Object.keys(labels).length, 8, 'the number of its labels');
      for (const writer of upTo(WRITERS)) {
        const name = `w${writer}`;
        const expected = labels[name] === undefined ? [[], 0] : [['one'], 1];
        expectEqual(await listed(store, { [name]: 'yes' }), expected, `the list of ${name}`);
      }
      expectEqual(await listed(store, { first: 'yes' }), [[], 0], 'the list of the first label');
    },
  },
];

/** For a store with events. */
export const labelEvents: readonly StoreCase[] = [
  {
    name: 'label: the event of other labels has the names of those that have changed, no values, and is logged once',
    run: async (store) => {
      await insertLabelled(store, { user: 'u-1' });
      const start = await latestPosition(store);
      const at = (ms: number) => new Date(NOON + ms).toISOString();
      const labels = { title: 'a, b=c', user: 'u:1' };
      const first = live('IDLE', { revision: 2, labels, lastActivityAt: NOON + 7 });
      await replace(store, key, first);
      expectEqual(await answerOf(replacing(store, key, first)), 'stale', 'the same change again');
      await replace(store, key, live('IDLE', { revision: 3, labels, lastActivityAt: NOON + 8 }));
      await replace(store, key, live('IDLE', { revision: 4, lastActivityAt: NOON + 9 }));
      await replace(store, key, ended('failed', { revision: 5, since: NOON + 10 }));
      await replace(
        store,
        key,
        ended('failed', { revision: 6, since: NOON + 10, lastActivityAt: NOON + 11, labels }),
      );
      expectEqual(
        (await eventsAfter(store, start)).map((event) => {
          const told = [event.type, event.sequence, event.at];
          return event.type === 'session.updated' ? [...told, event.labelsChanged] : told;
        }),
        [
          ['session.updated', 2, at(7), ['title', 'user']],
          ['session.updated', 3, at(9), ['title', 'user']],
          ['session.terminated', 4, at(10)],
          ['session.updated', 5, at(11), ['title', 'user']],
        ],
        'the events',
      );
    },
  },
];
