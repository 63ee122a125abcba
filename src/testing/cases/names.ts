import type { SessionKey } from '../../session/session-key.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, begin, due, idsOf, put, remove, said } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { hostileNames } from '../hostile-texts.js';
import { headOf, keyOf, live, NOON, operationOf, TENANT } from '../samples.js';
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

export const names: readonly PortCase[] = [
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
        const missing = { outcome: 'refused', guard: 'present' };
        expectEqual(found, [undefined, undefined, [], missing], JSON.stringify(name));
      }
      expectEqual(await idsOf(store, TENANT), ['one'], 'the ids');
    },
  },
];
