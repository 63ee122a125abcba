import type { SessionStore } from '../../store/session-store.js';
import { answerOf, type Contents, contentsOf, expectStored } from '../answers.js';
import { append, begin, due, put, remove } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { withoutPosition } from '../history-steps.js';
import { ended, headOf, live, NOON, say, TENANT } from '../samples.js';
import type { PortCase } from '../store-case.js';

/** Fails unless every way to read gives `expected`. */
const expectRead = async (
  store: SessionStore,
  expected: Contents | undefined,
  what: string,
): Promise<void> => {
  await expectStored(store, key, expected, what);
  const all = expected === undefined ? [] : [expected];
  const page = await answerOf(store.page(TENANT, { offset: 0, limit: 10 }));
  expectEqual(page.records.map(contentsOf), all, `the page with ${what}`);
  expectEqual(page.total, all.length, `the total with ${what}`);
  const part = await answerOf(store.entries(key, { limit: 10 }));
  const entries = part.outcome === 'found' ? part.entries.map(withoutPosition) : undefined;
  expectEqual(entries, expected?.history, `the last entries of ${what}`);
  const times = all.map(({ state }) => state.deadline).filter((at) => Number.isFinite(at));
  const found = (await due(store, Number.MAX_SAFE_INTEGER)).map(({ dueAt }) => dueAt);
  expectEqual(found, times, `due with ${what}`);
};

export const twoStores: readonly PortCase[] = [
  {
    name: 'two stores: each reads immediately what the other has written',
    run: async (store, second) => {
      const both = async (expected: Contents | undefined, what: string) => {
        for (const each of [store, second, store]) await expectRead(each, expected, what);
      };
      await both(undefined, 'nothing');
      const head = headOf('one', NOON, { context: 'algebra' });
      const stored = await begin(second, key, { head, state: live('IDLE') });
      await both(stored, 'a new session');
      const active = live('ACTIVE', { revision: 2, deadline: NOON + 10 });
      await put(store, key, active);
      await both({ ...stored, state: active }, 'a started session');
      await append(second, key, ['hello']);
      await both({ ...stored, state: active, history: [say('hello')] }, 'an entry');
      await append(store, key, ['goodbye']);
      const history = [say('hello'), say('goodbye')];
      await both({ ...stored, state: active, history }, 'two entries');
      const over = ended('terminated', { revision: 3 });
      await put(second, key, over);
      await both({ ...stored, state: over, history }, 'a session that has ended');
      await remove(store, key);
      await both(undefined, 'a removed session');
      await both(await begin(second, key), 'a new session under the id');
    },
  },
];
