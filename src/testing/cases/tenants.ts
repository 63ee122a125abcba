import { answerOf, expectStored } from '../answers.js';
import { append, appendOf, begin, change, due, idsOf, put, remove, tryPut } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, say } from '../samples.js';
import type { PortCase } from '../store-case.js';

const theirs = keyOf('one', 'globex');
const ours = keyOf('one', 'acme');

export const tenants: readonly PortCase[] = [
  {
    name: 'tenants: no call reaches another tenant\u2019s session, or reveals that it exists',
    run: async (store) => {
      const stored = await begin(store, theirs, { entries: [say('hello')] });
      await expectStored(store, ours, undefined);
      const missing = { outcome: 'refused', guard: 'present' };
      const answers = [
        await tryPut(store, ours, ended('failed', { revision: 2 })),
        await change(store, appendOf(ours, ['hello'])),
        await change(store, { key: ours, guards: {}, effects: { redact: [1], at: NOON } }),
        await remove(store, ours),
      ];
      for (const answer of answers) expectEqual(answer, missing, 'the answer');
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
      expectEqual(await idsOf(store, 'globex'), ['one'], 'the ids of the other');
      const { total } = await answerOf(store.page('acme', { offset: 2, limit: 1 }));
      expectEqual(total, 3, 'the total of one');
      await remove(store, ours);
      await expectStored(store, theirs, { ...other, state, history: [say('hello')] });
      expectEqual(await idsOf(store, 'globex'), ['one'], 'the ids after a removal');
      expectEqual(await due(store, NOON + 5), [{ ...theirs, dueAt: NOON + 5 }], 'due');
    },
  },
];
