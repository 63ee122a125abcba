import { expectEqual, expectThat } from '../expect-equal.js';
import { foundIn, key } from '../history-steps.js';
import { positionsIn, rewind } from '../rewind-steps.js';
import { live, NOON } from '../samples.js';
import { answerOf, append, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

/** Fails unless all reads have the same version and end of the history. Returns the version. */
const versionIn = async (store: TodaysStore, second: TodaysStore): Promise<string> => {
  const { version, position } = await foundIn(store, { limit: 1000 });
  for (const size of [{}, { historyLimit: 0 }, { historyLimit: 1 }]) {
    const found = await answerOf(second.find(key, size));
    const limit = `with ${JSON.stringify(size)}`;
    expectEqual(found?.historyVersion, version, `historyVersion ${limit}`);
    expectEqual(found?.historyPosition, position, `historyPosition ${limit}`);
  }
  expectThat(
    /^[\w.-]{1,64}$/.test(version),
    'a version has 1 to 64 of the characters A-Z a-z 0-9 _ . -',
  );
  return version;
};

/** Cases of `historyVersion` and `historyPosition` of a record. */
export const historyVersions: readonly StoreCase[] = [
  {
    name: 'history: a record has the version and the end that the parts of its history have',
    run: async (store, second) => {
      await insertActive(store, key);
      const first = await versionIn(store, second);
      await append(store, key, ['one', 'two', 'three']);
      expectEqual(await versionIn(store, second), first, 'the version after an append');
      await replace(store, key, live('PAUSED', { revision: 3 }));
      expectEqual(await versionIn(store, second), first, 'the version after a change of the state');
      const [one = 0, two = 0] = await positionsIn(store);
      const versions = [first];
      await rewind(store, two, ['other']);
      versions.push(await versionIn(store, second));
      await rewind(store, two, []);
      versions.push(await versionIn(store, second));
      await answerOf(store.redact(key, [one], NOON));
      versions.push(await versionIn(store, second));
      await answerOf(store.remove(key));
      await insertActive(store, key);
      versions.push(await versionIn(store, second));
      expectEqual(
        new Set(versions).size,
        5,
        'the versions after two rewinds, a redaction and a new session',
      );
    },
  },
];
