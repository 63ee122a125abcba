import type { SessionLabels } from '../../session/session.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectStored } from '../answers.js';
import { begin, put, raceOf, remove, tryBegin } from '../commits.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { atOf, idsOf, listed, pageOf, walk } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

const user = (value: string): SessionLabels => ({ user: value });

const ofWeb: SessionLabels = { user: 'u-1', channel: 'web' };

/**
 * Twelve sessions of two users on two channels, some created in the same millisecond, among others
 * without labels.
 */
const addUsers = async (store: SessionStore): Promise<void> => {
  for (const at of upTo(12)) {
    const labels = { channel: at % 4 < 2 ? 'web' : 'phone', user: at % 2 === 0 ? 'u-1' : 'u-2' };
    const head = headOf(`s${String(at).padStart(2, '0')}`, NOON + Math.floor(at / 3));
    await begin(store, keyOf(head.id), { head, state: live('IDLE', { labels }) });
    await begin(store, keyOf(`none-${at}`), { head: headOf(`none-${at}`, NOON + at) });
  }
};

const ofOne = ['s10', 's08', 's06', 's04', 's02', 's00'];
const ofBoth = ['s08', 's04', 's00'];

/** Lists by labels. */
export const labels: readonly PortCase[] = [
  {
    name: 'label: a session is read with its labels, whatever their values',
    run: async (store) => {
      const texts = hostileTexts.filter((text) => text !== '');
      for (const [at, text] of ['U-1', 'a=b', ':', '","user":"u-2', ...texts].entries()) {
        const value = text.slice(0, 256);
        const key = keyOf(`s${at}`);
        const first = live('IDLE', { labels: { user: value, 'a.B_c-9': 'x' } });
        const stored = await begin(store, key, { state: first });
        await expectStored(store, key, stored);
        const state = live('ACTIVE', { revision: 2, labels: { user: value, 'a.B_c-9': 'x' } });
        await put(store, key, state);
        await expectStored(store, key, { ...stored, state }, 'the record after a change');
        const page = await pageOf(store, { labels: user(value), historyLimit: 0 });
        const values = page.records.map((record) => record.state.labels?.['user']);
        expectThat(
          values.every((each) => each === value),
          'the page contains only the label',
        );
        expectThat(idsOf(page).includes(key.id), `the page of ${JSON.stringify(value)} has it`);
      }
    },
  },
  {
    name: 'label: a page has the sessions with all of the labels, in both orders, with their total',
    run: async (store) => {
      await addUsers(store);
      for (const [label, ids] of [
        [user('u-1'), ofOne],
        [ofWeb, ofBoth],
      ] as const) {
        const what = JSON.stringify(label);
        const total = ids.length;
        const all = { ids, total, next: undefined };
        expectEqual(await listed(store, { labels: label }), all, `${what}, newest first`);
        const oldest = await listed(store, { labels: label, order: 'oldest' });
        expectEqual([oldest.ids, oldest.total], [ids.toReversed(), total], `${what}, oldest first`);
        for (const offset of [1, total]) {
          const page = await listed(store, { labels: label, offset, limit: 1 });
          const expected = [ids.slice(offset, offset + 1), total];
          expectEqual([page.ids, page.total], expected, `${what}, one from ${offset} on`);
        }
        const other = await pageOf(store, { labels: label }, 'globex');
        expectEqual(other.total, 0, `${what} of another tenant`);
      }
    },
  },
  {
    name: 'label: a part of a label, its value under another name, or one label too many finds nothing',
    run: async (store) => {
      await addUsers(store);
      const unknown = [
        user('u-3'),
        user('u'),
        { use: 'r=u-1' },
        { channel: 'u-1' },
        { User: 'u-1' },
        { ...ofWeb, lesson: 'any' },
        { user: 'web', channel: 'u-1' },
        { user: 'u-1', channel: 'we' },
      ];
      for (const label of unknown) {
        const page = await pageOf(store, { labels: label });
        expectEqual([page.records, page.total], [[], 0], JSON.stringify(label));
      }
    },
  },
  {
    name: 'label: a walk by cursor meets each session with the labels once, between two times too',
    run: async (store) => {
      await addUsers(store);
      const between = { createdAfter: atOf(0), createdBefore: atOf(3) };
      for (const [label, ids, inner] of [
        [user('u-1'), ofOne, ['s08', 's06', 's04']],
        [ofWeb, ofBoth, ['s08', 's04']],
      ] as const) {
        for (const limit of [1, 2, 3, 6]) {
          const what = `${JSON.stringify(label)}, ${limit} at a time`;
          expectEqual(await walk(store, { labels: label, limit }), ids, what);
          const oldest = await walk(store, { labels: label, limit, order: 'oldest' });
          expectEqual(oldest, ids.toReversed(), `${what}, oldest first`);
        }
        const page = await listed(store, { labels: label, ...between });
        expectEqual([page.ids, page.total], [inner, inner.length], 'those between two times');
      }
    },
  },
  {
    name: 'label: other labels and the end of a session move it between lists, and a removal takes it out',
    run: async (store) => {
      await addUsers(store);
      await put(store, keyOf('s04'), live('ACTIVE', { revision: 2, labels: user('u-1') }));
      await put(store, keyOf('s08'), ended('terminated', { revision: 2, labels: ofWeb }));
      expectEqual((await listed(store, { labels: user('u-1') })).ids, ofOne, 'after the changes');
      const ofTwo = await listed(store, { labels: ofWeb });
      expectEqual([ofTwo.ids, ofTwo.total], [['s08', 's00'], 2], 'those of both labels');
      await remove(store, keyOf('s04'));
      const left = await listed(store, { labels: user('u-1') });
      expectEqual(
        [left.ids, left.total],
        [ofOne.filter((id) => id !== 's04'), 5],
        'after a removal',
      );
    },
  },
  {
    name: 'label: a session that was removed and inserted again has its new labels alone',
    run: async (store) => {
      const key = keyOf('one');
      const totals = async () => [
        (await listed(store, { labels: user('u-1') })).total,
        (await listed(store, { labels: user('u-2') })).total,
        (await listed(store, { labels: { channel: 'web' } })).total,
      ];
      await begin(store, key, { state: live('IDLE', { labels: ofWeb }) });
      await remove(store, key);
      await begin(store, key, { state: live('IDLE', { labels: user('u-2') }) });
      expectEqual(await totals(), [0, 1, 0], 'the totals of each label');
      await remove(store, key);
      const stored = await begin(store, key);
      expectEqual(await totals(), [0, 0, 0], 'the totals of a session without labels');
      await expectStored(store, key, stored);
    },
  },
  {
    name: 'label: of 50 sessions with one id and different labels, one is inserted and found by its label alone',
    run: async (store, second) => {
      const outcomes = await raceOf([store, second], (each, writer) =>
        tryBegin(each, keyOf('one'), { state: live('IDLE', { labels: user(`u-${writer}`) }) }),
      );
      const made = outcomes.map(({ outcome }) => outcome === 'made');
      expectEqual(made.filter(Boolean).length, 1, 'begins that were made');
      for (const [writer, isMade] of made.entries()) {
        const { ids } = await listed(store, { labels: user(`u-${writer}`) });
        expectEqual(ids, isMade ? ['one'] : [], `the sessions of writer ${writer}`);
      }
    },
  },
  {
    name: 'label: a page of a search has the sessions as find gives them, with the end of their histories',
    run: async (store) => {
      const state = live('ACTIVE', { labels: ofWeb });
      await begin(store, keyOf('one'), { state, entries: [say('hello'), say('you')] });
      for (const historyLimit of [undefined, 0, 1]) {
        const found = await answerOf(store.find(keyOf('one'), { historyLimit }));
        const range = { offset: 0, limit: 1, labels: ofWeb, historyLimit };
        const page = await answerOf(store.page(TENANT, range));
        const expected = { records: [found], total: 1, unreadable: [] };
        expectEqual(page, expected, `with ${historyLimit} entries`);
      }
    },
  },
];
