import type { SessionKey } from '../../session/session-key.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectStored } from '../answers.js';
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
  said,
  tryPut,
} from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { hostileNames } from '../hostile-texts.js';
import { walk } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
import type { PortCase } from '../store-case.js';

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

/** Adds a session for each key, with the key as its history. */
const addEach = async (store: SessionStore, keys: readonly SessionKey[]): Promise<void> => {
  const operation = operationOf('op');
  for (const [at, key] of keys.entries()) {
    const state = live('IDLE', { deadline: NOON + at });
    await begin(store, key, { head: headOf(key.id, NOON + at), state });
    await put(store, key, live('ACTIVE', { revision: 2, deadline: NOON + 1_000_000 + at }));
    await append(store, key, [labelOf(key)], { operation });
  }
};

const expectEach = async (store: SessionStore, keys: readonly SessionKey[]): Promise<void> => {
  for (const key of keys) {
    const found = await answerOf(store.find(key));
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
    const found = await answerOf(store.find(key));
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

const anyNames: readonly PortCase[] = [
  {
    name: 'names: a tenant may be any text, and is confused with no other',
    run: async (store) => {
      const keys = hostileNames.map((tenant) => keyOf('one', tenant));
      const left = await expectApart(store, keys);
      for (const key of keys) {
        const ids = await idsOf(store, key.tenant);
        expectEqual(ids, left.includes(key) ? ['one'] : [], `the sessions of ${labelOf(key)}`);
      }
    },
  },
  {
    name: 'names: an id may be any text, and is confused with no other',
    run: async (store) => {
      const left = await expectApart(
        store,
        hostileNames.map((id) => keyOf(id)),
      );
      const ids = left.map(({ id }) => id).toReversed();
      expectEqual(await idsOf(store, TENANT), ids, 'the ids that are left');
    },
  },
  {
    name: 'names: keys that look the same when tenant and id are joined are different keys',
    run: async (store) => {
      await expectApart(store, joined);
    },
  },
  {
    name: 'names: an unknown name finds nothing, whatever properties every object has',
    run: async (store) => {
      await begin(store, keyOf('one'));
      for (const name of hostileNames) {
        const found = [
          await answerOf(store.find(keyOf(name))),
          await answerOf(store.findState(keyOf('one', name))),
          await idsOf(store, name),
          await remove(store, keyOf(name)),
        ];
        const none = [undefined, undefined, [], refused('present')];
        expectEqual(found, none, JSON.stringify(name));
      }
      expectEqual(await idsOf(store, TENANT), ['one'], 'the ids');
    },
  },
];

const theirs = keyOf('one', 'globex');
const ours = keyOf('one', 'acme');

const tenants: readonly PortCase[] = [
  {
    name: 'tenants: no call reaches another tenant\u2019s session, or reveals that it exists',
    run: async (store) => {
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
  },
  {
    name: 'tenants: each lists and counts its own sessions, and the same id is another session',
    run: async (store) => {
      const head = headOf('one', NOON, { face: 'bob' });
      const other = await begin(store, theirs, { head });
      for (const [at, id] of ['one', 'two', 'three'].entries())
        await begin(store, keyOf(id, 'acme'), { head: headOf(id, NOON + at) });
      await append(store, theirs, ['hello']);
      const state = live('PAUSED', { revision: 2, deadline: NOON + 5 });
      await put(store, theirs, state);
      await put(store, ours, ended('failed', { revision: 2 }));
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
  },
];

/** Cases of tenants and ids. */
export const names: readonly PortCase[] = [...tenants, ...anyNames];
