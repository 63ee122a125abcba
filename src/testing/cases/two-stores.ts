import type { SessionStore } from '../../store/session-store.js';
import { answerOf, type Contents, contentsOf, expectStored } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  change,
  due,
  made,
  move,
  put,
  remove,
  tryBegin,
  tryPut,
} from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { withoutPosition } from '../history-steps.js';
import { ended, headOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
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
  {
    name: 'two stores: each decides by what the other has written',
    run: async (store, second) => {
      await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 10 }) });
      const guardOf = async (answer: Promise<object>) => {
        const found = await answer;
        return 'guard' in found ? found.guard : found;
      };
      expectEqual(await guardOf(tryBegin(second, key)), 'absent', 'begin');
      await put(second, key, live('PAUSED', { revision: 2, deadline: NOON + 20 }));
      const next = live('ACTIVE', { revision: 2 });
      expectEqual(await guardOf(tryPut(store, key, next)), 'revision', 'put');
      expectEqual(await guardOf(remove(store, key, { revision: 1 })), 'revision', 'remove');
      expectEqual(await guardOf(move(store, key, NOON + 10, NOON + 5)), 'dueAt', 'move');
      const hello = appendOf(key, ['hello'], { operation: operationOf('op') });
      const position = await made(store, hello);
      expectEqual(await change(second, hello), { outcome: 'repeated', position }, 'append');
      const full = change(second, appendOf(key, ['more'], { entries: 1 }));
      expectEqual(await guardOf(full), 'entries', 'append to a full history');
      await put(store, key, ended('failed', { revision: 3 }));
      const late = change(second, appendOf(key, ['late'], { open: NOON }));
      expectEqual(await guardOf(late), 'open', 'append after the end');
      await remove(store, key);
      for (const answer of [
        remove(second, key),
        tryPut(second, key, live('ACTIVE', { revision: 4 })),
        change(second, hello),
      ])
        expectEqual(await guardOf(answer), 'present', 'a change of a removed session');
    },
  },
];
