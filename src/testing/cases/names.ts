import type { SessionKey } from '../../session/session-key.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectStored, expectEqual, contentsOf } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  change,
  due,
  expectDue,
  idsOf,
  put,
  redact,
  refused,
  remove,
  tryPut,
  find,
  stateOf,
  key,
  said,
} from '../commits.js';
import { hostileNames, hostileTexts } from '../hostile-texts.js';
import { walk } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
import type { Cases } from '../store-case.js';
import type { JsonObject } from '../../session/session.js';

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

/** Adds a session for each key, with the key as its history. */
const addEach = async (store: SessionStore, keys: readonly SessionKey[]): Promise<void> => {
  const operation = operationOf('op');
  for (const [at, key] of keys.entries()) {
    const state = live('IDLE', { deadline: NOON + at });
    await begin(store, key, { head: headOf(key.id, NOON + at), state });
    await put(store, key, live('ACTIVE', { deadline: NOON + 1_000_000 + at }));
    await append(store, key, [labelOf(key)], { operation });
  }
};

const expectEach = async (store: SessionStore, keys: readonly SessionKey[]): Promise<void> => {
  for (const key of keys) {
    const found = await find(store, key);
    expectEqual(found?.head.id, key.id, `the id found under ${labelOf(key)}`);
    expectEqual(await said(store, key), [labelOf(key)], `the history of ${labelOf(key)}`);
  }
  const overdue = await due(store, NOON + 2_000_000, 1000);
  expectEqual(overdue.map(labelOf), keys.map(labelOf), 'due');
};

/** Adds sessions, then removes every other one. Returns the keys that are left. */
const expectApart = async (
  store: SessionStore,
  keys: readonly SessionKey[],
): Promise<readonly SessionKey[]> => {
  await addEach(store, keys);
  await expectEach(store, keys);
  for (const key of keys.filter((_, at) => at % 2 === 0)) {
    expectEqual(await remove(store, key), { outcome: 'made' }, `remove ${labelOf(key)}`);
    const found = await find(store, key);
    expectEqual(found, undefined, `find ${labelOf(key)} after it was removed`);
  }
  const left = keys.filter((_, at) => at % 2 === 1);
  await expectEach(store, left);
  return left;
};

/** Keys of which several are the same text when tenant and id are joined by a separator. */
const joined: readonly SessionKey[] = [...':/.,|\0\n }{%\\'].flatMap((mark) => [
  keyOf('c', `a${mark}b`),
  keyOf(`b${mark}c`, 'a'),
  keyOf(`${mark}b${mark}c`, 'a'),
  keyOf('c', `a${mark}b${mark}`),
]);

const anyNames: Cases = {
  'names: a tenant may be any text, and is confused with no other': async (store) => {
    const keys = hostileNames.map((tenant) => keyOf('one', tenant));
    const left = await expectApart(store, keys);
    for (const key of keys) {
      const ids = await idsOf(store, key.tenant);
      expectEqual(ids, left.includes(key) ? ['one'] : [], `the sessions of ${labelOf(key)}`);
    }
  },
  'names: an id may be any text, and is confused with no other': async (store) => {
    const left = await expectApart(
      store,
      hostileNames.map((id) => keyOf(id)),
    );
    const ids = left.map(({ id }) => id).toReversed();
    expectEqual(await idsOf(store), ids, 'the ids that are left');
  },
  'names: keys that look the same when tenant and id are joined are different keys': async (
    store,
  ) => {
    await expectApart(store, joined);
  },
  'names: an unknown name finds nothing, whatever properties every object has': async (store) => {
    await begin(store, keyOf('one'));
    for (const name of hostileNames) {
      const found = [
        await find(store, keyOf(name)),
        await stateOf(store, keyOf('one', name)),
        await idsOf(store, name),
        await remove(store, keyOf(name)),
      ];
      const none = [undefined, undefined, [], refused('present')];
      expectEqual(found, none, JSON.stringify(name));
    }
    expectEqual(await idsOf(store), ['one'], 'the ids');
  },
};

const theirs = keyOf('one', 'globex');
const ours = keyOf('one', 'acme');

const tenants: Cases = {
  'tenants: no call reaches another tenant\u2019s session, or reveals that it exists': async (
    store,
  ) => {
    const stored = await begin(store, theirs, { entries: [say('hello')] });
    await expectStored(store, ours, undefined);
    const answers = [
      await tryPut(store, ours, ended('failed', { revision: 2 })),
      await change(store, appendOf(ours, ['hello'])),
      await redact(store, ours, [1]),
      await remove(store, ours),
    ];
    for (const answer of answers) expectEqual(answer, refused('present'), 'the answer');
    const page = await answerOf(store.page(ours.tenant, { offset: 0, limit: 10 }));
    expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
    await expectStored(store, theirs, stored);
  },
  'tenants: each lists and counts its own sessions, and the same id is another session': async (
    store,
  ) => {
    const head = headOf('one', NOON, { face: 'bob' });
    const other = await begin(store, theirs, { head });
    for (const [at, id] of ['one', 'two', 'three'].entries())
      await begin(store, keyOf(id, 'acme'), { head: headOf(id, NOON + at) });
    await append(store, theirs, ['hello']);
    const state = live('PAUSED', { revision: 2, deadline: NOON + 5 });
    await put(store, theirs, state);
    await put(store, ours, ended('failed'));
    expectEqual(await idsOf(store, 'acme'), ['three', 'two', 'one'], 'the ids of one');
    for (const order of ['newest', 'oldest'] as const) {
      const met = await walk(store, { order, limit: 1 }, undefined, 'globex');
      expectEqual(met, ['one'], `the ids of the other, ${order} first`);
    }
    const { total } = await answerOf(store.page('acme', { offset: 2, limit: 1 }));
    expectEqual(total, 3, 'the total of one');
    await remove(store, ours);
    await expectStored(store, theirs, { ...other, state, history: [say('hello')] });
    expectEqual(await idsOf(store, 'globex'), ['one'], 'the ids after a removal');
    await expectDue(store, theirs, NOON + 5);
  },
};

/** Cases of tenants and ids. */
export const names: Cases = { ...tenants, ...anyNames };

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

export const texts: Cases = {
  'texts: options are read as they were written': async (store) => {
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
  'texts: the longest are kept whole': async (store) => {
    const [plain = '', lines = ''] = largeTexts;
    const options = { behavior: plain.slice(0, 65_536), context: lines.slice(0, 65_536) };
    const stored = await begin(store, key, { head: headOf('one', NOON, options) });
    for (const text of largeTexts) await append(store, key, [text]);
    const expected = { ...stored, history: largeTexts.map((text) => say(text)) };
    await expectStored(store, key, expected);
    const page = await answerOf(store.page(TENANT, { offset: 0, limit: 1 }));
    expectEqual(page.records.map(contentsOf), [expected], 'records');
  },
  'texts: metadata is read as it was written, by every read, also after the end': async (store) => {
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
};
