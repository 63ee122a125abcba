import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, begin, made, placed, put, remove } from '../commits.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { key } from '../guarded.js';
import { foundIn } from '../history-steps.js';
import { live, NOON } from '../samples.js';
import type { PortCase } from '../store-case.js';

/** Fails unless all reads have the same version and end of the history. Returns the version. */
const versionIn = async (store: SessionStore, second: SessionStore): Promise<string> => {
  const { version, position } = await foundIn(store, { limit: 1000 });
  for (const size of [{}, { historyLimit: 0 }, { historyLimit: 1 }]) {
    const { historyVersion, historyPosition } = (await answerOf(second.find(key, size))) ?? {};
    const found = [historyVersion, historyPosition];
    expectEqual(found, [version, position], `the history with ${JSON.stringify(size)}`);
  }
  const isPlain = /^[\w.-]{1,64}$/.test(version);
  expectThat(isPlain, 'a version has 1 to 64 of the characters A-Z a-z 0-9 _ . -');
  return version;
};

/** Cases of `historyVersion` and `historyPosition` of a record. */
export const historyVersions: readonly PortCase[] = [
  {
    name: 'history: a record has the version and the end that the parts of its history have',
    run: async (store, second) => {
      await begin(store, key);
      const first = await versionIn(store, second);
      await append(store, key, ['one', 'two', 'three']);
      expectEqual(await versionIn(store, second), first, 'the version after an append');
      await put(store, key, live('PAUSED', { revision: 2 }));
      expectEqual(await versionIn(store, second), first, 'the version after a change of the state');
      const [one, two] = await placed(store, key);
      if (one === undefined || two === undefined) throw new Error('the entries are not there');
      const steps = [
        () => append(store, key, ['other'], {}, { truncate: two.position }),
        () => append(store, key, [], {}, { truncate: two.position }),
        () => made(store, { key, guards: {}, effects: { redact: [one.position], at: NOON } }),
        async () => {
          await remove(store, key);
          await begin(store, key);
        },
      ];
      const versions = [first];
      for (const step of steps) {
        await step();
        versions.push(await versionIn(store, second));
      }
      const what = 'the versions after two rewinds, a redaction and a new session';
      expectEqual(new Set(versions).size, versions.length, what);
    },
  },
];
