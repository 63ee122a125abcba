import type { SessionLabels } from '../../session/session.js';
import type { SessionStore } from '../../store/session-store.js';
import { expectStored } from '../answers.js';
import { begin, put } from '../commits.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { atOf, expectSlices, expectWalks, idsOf, pageOf } from '../page-steps.js';
import { headOf, keyOf, live, NOON, upTo } from '../samples.js';
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
      for (const [labels, ids] of [
        [user('u-1'), ofOne],
        [ofWeb, ofBoth],
      ] as const) {
        await expectSlices(store, { labels }, ids, JSON.stringify(labels));
        expectEqual((await pageOf(store, { labels }, 'globex')).total, 0, 'of another tenant');
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
      for (const [labels, ids, inner] of [
        [user('u-1'), ofOne, ['s08', 's06', 's04']],
        [ofWeb, ofBoth, ['s08', 's04']],
      ] as const) {
        const what = JSON.stringify(labels);
        await expectWalks(store, { labels }, ids, what);
        await expectWalks(store, { labels, ...between }, inner, `${what} between two times`);
      }
    },
  },
];
