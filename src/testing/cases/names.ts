import type { JsonObject } from '../../session/session.js';
import type { SessionKey } from '../../session/session-key.js';
import type { SessionStore } from '../../store/session-store.js';
import { contentsOf, expectEqual, expectStored } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  change,
  DONE,
  due,
  find,
  idsOf,
  key,
  put,
  redact,
  refused,
  remove,
  stateOf,
  theirs,
  tryPut,
} from '../commits.js';
import { hostileNames, hostileTexts } from '../hostile-texts.js';
import { pageOf } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say } from '../samples.js';
import type { Cases } from '../store-case.js';

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

const expectEach = async (store: SessionStore, keys: readonly SessionKey[]): Promise<void> => {
  for (const each of keys) {
    const { head, history } = (await find(store, each)) ?? {};
    const label = labelOf(each);
    expectEqual(
      [head?.id, history?.[0]?.content],
      [each.id, label],
      `what is found under ${label}`,
    );
  }
  const overdue = await due(store, NOON + 2_000_000, 1000);
  expectEqual(overdue.map(labelOf), keys.map(labelOf), 'due');
};

/**
 * Adds a session for each key, with the key as its history, then removes every other one. Returns
 * the keys that are left.
 */
const expectApart = async (
  store: SessionStore,
  keys: readonly SessionKey[],
): Promise<readonly SessionKey[]> => {
  for (const [at, each] of keys.entries()) {
    const state = live('IDLE', { deadline: NOON + at });
    await begin(store, each, { head: headOf(each.id, NOON + at), state });
    await put(store, each, live('ACTIVE', { deadline: NOON + 1_000_000 + at }));
    await append(store, each, [labelOf(each)], { operation: operationOf('op') });
  }
  await expectEach(store, keys);
  for (const each of keys.filter((_, at) => at % 2 === 0)) {
    expectEqual(await remove(store, each), DONE, `remove ${labelOf(each)}`);
    expectEqual(await find(store, each), undefined, `${labelOf(each)} after it was removed`);
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
  { steps: [1, [2, { three: [] }], 'four'], 'a name with "quotes"': { deep: { deeper: -0.5 } } },
  { status: 'ACTIVE', revision: 7, labels: { user: 'u-1' }, lease: null },
  Object.fromEntries(hostileTexts.map((text, at) => [`text ${at}`, text])),
];

export const names: Cases = {
  'names: a tenant may be any text, and is never confused with another': async (store) => {
    const keys = hostileNames.map((tenant) => keyOf('one', tenant));
    const left = await expectApart(store, keys);
    for (const key of keys) {
      const ids = await idsOf(store, key.tenant);
      expectEqual(ids, left.includes(key) ? ['one'] : [], `the sessions of ${labelOf(key)}`);
    }
  },
  'names: an id may be any text, and is never confused with another': async (store) => {
    const keys = hostileNames.map((id) => keyOf(id));
    const ids = (await expectApart(store, keys)).map(({ id }) => id).toReversed();
    expectEqual(await idsOf(store), ids, 'the ids that are left');
  },
  'names: keys are different even if tenant and id look the same when joined': async (store) => {
    await expectApart(store, joined);
  },
  'names: an unknown name finds nothing, even __proto__': async (store) => {
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
  'tenants: no call reaches or reveals a session of another tenant': async (store) => {
    const stored = await begin(store, theirs, { entries: [say('hello')] });
    await expectStored(store, key, undefined);
    const answers = [
      await tryPut(store, key, ended('failed', { revision: 2 })),
      await change(store, appendOf(key, ['hello'])),
      await redact(store, key, [1]),
      await remove(store, key),
    ];
    for (const answer of answers) expectEqual(answer, refused('present'), 'the answer');
    expectEqual(await pageOf(store, {}), { records: [], total: 0, unreadable: [] }, 'the page');
    await expectStored(store, theirs, stored);
  },
  'texts: options are read as written': async (store) => {
    for (const [index, text] of hostileTexts.entries()) {
      const each = keyOf(`s${index}`);
      const name = text === '' ? '-' : text.slice(0, 256);
      const options = { face: name, profile: name, behavior: text, context: `${text}${text}` };
      const stored = await begin(store, each, { head: headOf(each.id, NOON + index, options) });
      await expectStored(store, each, stored, `the session of ${JSON.stringify(text)}`);
    }
    const behaviors = (await pageOf(store, {})).records.map(({ head }) => head.options.behavior);
    expectEqual(behaviors, hostileTexts.toReversed(), 'the behaviors on the page');
  },
  'texts: the longest are kept completely': async (store) => {
    const [plain = '', lines = ''] = largeTexts;
    const options = { behavior: plain.slice(0, 65_536), context: lines.slice(0, 65_536) };
    const stored = await begin(store, key, { head: headOf('one', NOON, options) });
    for (const text of largeTexts) await append(store, key, [text]);
    const expected = { ...stored, history: largeTexts.map((text) => say(text)) };
    await expectStored(store, key, expected);
    expectEqual((await pageOf(store, {})).records.map(contentsOf), [expected], 'records');
  },
  'texts: every read returns metadata as written, also after the end': async (store) => {
    const stored = await begin(store, key, { state: live('ACTIVE', { metadata: { a: 1 } }) });
    for (const [at, each] of [...metadata, undefined, { title: 'last' }].entries()) {
      const changes = each && { metadata: each };
      const next = at > metadata.length ? ended('failed', changes) : live('ACTIVE', changes);
      const state = await put(store, key, next);
      await expectStored(store, key, { ...stored, state }, JSON.stringify(each));
      const { records } = await pageOf(store, {});
      expectEqual(records[0]?.state, state, `a page with ${JSON.stringify(each)}`);
    }
  },
};
