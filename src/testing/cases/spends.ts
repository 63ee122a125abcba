import { spentState } from '../../session/budget.js';
import type { StateRecord } from '../../session/session-record.js';
import { answerOf } from '../answers.js';
import { append, appendOf, begin, change, due, MADE, refused, spendOf } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { keyOf, live, NOON, operationOf } from '../samples.js';
import type { PortCase } from '../store-case.js';

const budget = { used: { tokens: 1 }, limits: { tokens: 9 }, last: '' };

/** What is no budget. */
const text = '{"status":"IDLE","budget":{"used":{"tokens":7},"limits":{},"last":""},';
const around = { budget, operations: [text], labels: { a: text }, metadata: { budget, text } };

export const spends: readonly PortCase[] = [
  {
    name: 'spend: adds to sums, alone or with entries, and ends a session that reaches its budget',
    run: async (store, second) => {
      for (const status of ['IDLE', 'ACTIVE', 'PAUSED'] as const) {
        const of = keyOf(status);
        let state: StateRecord = live(status, around);
        await begin(store, of, { state });
        for (const [at, tokens] of [2, 5, 1, 4].entries()) {
          const usage = { '10': 1, 'a.b-c': at, constructor: 1, tokens };
          const spend = { usage, free: Object.keys(usage), at: NOON + at, revision: at + 2 };
          if (at % 2 === 0) await change(store, spendOf(of, spend));
          else await append(store, of, ['x'], {}, { spend, activity: undefined });
          state = { ...spentState(state, spend, spend.at), revision: spend.revision };
          expectEqual(await answerOf(second.findState(of)), state, `after spend ${at}`);
        }
        expectEqual(state.budget?.reachedAt, NOON + 2, 'the end');
      }
      expectEqual(
        (await due(second, NOON)).map(({ dueAt }) => dueAt),
        [0, 0, 0],
        'due times',
      );
    },
  },
  {
    name: 'spend: is made once by its operation, alone or with entries',
    run: async (store, second) => {
      await begin(store, key, { state: live('ACTIVE', { budget }) });
      const once = (id: string, digest?: string) => {
        const operation = operationOf(id, digest);
        const last = `${id}:${operation.digest}`;
        const spend = { usage: { tokens: 1 }, free: [], last, at: NOON, revision: 2 };
        return spendOf(key, spend, { operation });
      };
      const operation = operationOf('entry');
      const spend = { usage: { tokens: 1 }, free: [], at: NOON, revision: 3 };
      const position = await append(store, key, ['x'], { operation }, { spend });
      for (const id of ['a', 'b', 'c'])
        expectEqual(await change(store, once(id)), MADE, `the first ${id}`);
      for (const id of ['a', 'b', 'c']) {
        const answers = [
          await change(second, once(id)),
          await change(second, once(id, 'another-content-')),
        ];
        expectEqual(answers, [{ outcome: 'repeated', position: 0 }, refused('operation')], id);
      }
      const again = await change(second, appendOf(key, ['x'], { operation }, { spend }));
      expectEqual(again, { outcome: 'repeated', position }, 'with entries');
      expectEqual((await answerOf(store.findState(key)))?.budget?.used, { tokens: 5 }, 'the sum');
    },
  },
];
