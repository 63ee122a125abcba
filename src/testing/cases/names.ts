import { expectEqual } from '../expect-equal.js';
import { hostileNames } from '../hostile-texts.js';
import { headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import { answerOf, append, dueOf, idsOn, insert, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { SessionKey, TodaysStore } from '../todays-store.js';

const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

/** Inserts a session for each key, with the key as its history. */
const insertEach = async (store: TodaysStore, keys: readonly SessionKey[]): Promise<void> => {
  for (const [index, key] of keys.entries()) {
    await insert(
      store,
      key,
      headOf(key.id, NOON + index),
      live('IDLE', { deadline: NOON + index }),
    );
    await replace(store, key, live('ACTIVE', { revision: 2, deadline: NOON + index + 1 }));
    await append(store, key, [labelOf(key)], 'op');
  }
};

const expectEach = async (store: TodaysStore, keys: readonly SessionKey[]): Promise<void> => {
  for (const key of keys) {
    expectEqual(
      (await answerOf(store.find(key)))?.head.id,
      key.id,
      `the id found under ${labelOf(key)}`,
    );
    expectEqual(await said(store, key), [labelOf(key)], `the history of ${labelOf(key)}`);
  }
};

const expectDue = async (store: TodaysStore, keys: readonly SessionKey[]): Promise<void> => {
  const due = await dueOf(store, NOON + 1_000_000, 1000);
  expectEqual(due.map(labelOf), keys.map(labelOf), 'due');
};

/** Removes every other session, and returns the keys that are left. */
const removeHalf = async (
  store: TodaysStore,
  keys: readonly SessionKey[],
): Promise<readonly SessionKey[]> => {
  for (const key of keys.filter((_, index) => index % 2 === 0)) {
    expectEqual(await answerOf(store.remove(key)), 'removed', `remove ${labelOf(key)}`);
    expectEqual(
      await answerOf(store.find(key)),
      undefined,
      `find ${labelOf(key)} after it was removed`,
    );
  }
  return keys.filter((_, index) => index % 2 === 1);
};

/** Keys of which several are the same text when tenant and id are joined by a separator. */
const joined: readonly SessionKey[] = [
  ':',
  '/',
  '.',
  ',',
  '|',
  '\0',
  '\n',
  ' ',
  '}',
  '{',
  '%',
  '\\',
].flatMap((mark) => [
  keyOf('c', `a${mark}b`),
  keyOf(`b${mark}c`, 'a'),
  keyOf(`${mark}b${mark}c`, 'a'),
  keyOf('c', `a${mark}b${mark}`),
]);

export const names: readonly StoreCase[] = [
  {
    name: 'names: a tenant may be any text, and is confused with no other',
    run: async (store) => {
      const keys = hostileNames.map((tenant) => keyOf('one', tenant));
      await insertEach(store, keys);
      await expectEach(store, keys);
      await expectDue(store, keys);
      const left = await removeHalf(store, keys);
      await expectEach(store, left);
      await expectDue(store, left);
      for (const key of keys) {
        const expected = left.includes(key) ? ['one'] : [];
        expectEqual(
          await idsOn(store, key.tenant),
          expected,
          `the sessions of ${JSON.stringify(key.tenant)}`,
        );
      }
    },
  },
  {
    name: 'names: an id may be any text, and is confused with no other',
    run: async (store) => {
      const keys = hostileNames.map((id) => keyOf(id));
      await insertEach(store, keys);
      await expectEach(store, keys);
      await expectDue(store, keys);
      expectEqual(await idsOn(store, TENANT), hostileNames.toReversed(), 'the ids');
      const left = await removeHalf(store, keys);
      await expectEach(store, left);
      await expectDue(store, left);
      expectEqual(
        await idsOn(store, TENANT),
        left.map(({ id }) => id).toReversed(),
        'the ids that are left',
      );
    },
  },
  {
    name: 'names: keys that look the same when tenant and id are joined are different keys',
    run: async (store) => {
      await insertEach(store, joined);
      await expectEach(store, joined);
      await expectDue(store, joined);
      const left = await removeHalf(store, joined);
      await expectEach(store, left);
    },
  },
  {
    name: 'names: an unknown name finds nothing, whatever properties every object has',
    run: async (store) => {
      await insert(store, keyOf('one'));
      for (const name of hostileNames) {
        expectEqual(
          await answerOf(store.find(keyOf(name))),
          undefined,
          `find id ${JSON.stringify(name)}`,
        );
        expectEqual(
          await answerOf(store.findState(keyOf('one', name))),
          undefined,
          `find in ${JSON.stringify(name)}`,
        );
        expectEqual(await idsOn(store, name), [], `the sessions of ${JSON.stringify(name)}`);
        expectEqual(
          await answerOf(store.remove(keyOf(name))),
          'missing',
          `remove ${JSON.stringify(name)}`,
        );
      }
      expectEqual(await idsOn(store, TENANT), ['one'], 'the ids');
    },
  },
];
