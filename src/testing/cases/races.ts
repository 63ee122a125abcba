import { expectEqual, expectThat } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import {
  answerOf,
  append,
  contentsOf,
  dueOf,
  expectStored,
  insert,
  insertActive,
  replacing,
  said,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const count = <T>(outcomes: readonly T[], outcome: T): number =>
  outcomes.filter((each) => each === outcome).length;

export const races: readonly StoreCase[] = [
  {
    name: 'races: one of 50 inserts of the same id succeeds, and its session is kept',
    run: async (store, second) => {
      const outcomes = await race(store, second, (each, writer) =>
        answerOf(
          each.insert(
            TENANT,
            headOf('one', NOON + writer, { face: `face ${writer}` }),
            live('IDLE'),
          ),
        ),
      );
      expectEqual(count(outcomes, 'inserted'), 1, 'inserts that succeeded');
      expectEqual(count(outcomes, 'taken'), WRITERS - 1, 'inserts that found the id taken');
      const winner = outcomes.indexOf('inserted');
      const head = headOf('one', NOON + winner, { face: `face ${winner}` });
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(
        page.records.map(contentsOf),
        [{ head, state: live('IDLE'), history: [] }],
        'records',
      );
      expectEqual(page.total, 1, 'total');
    },
  },
  {
    name: 'races: 50 appends at once are all kept, once and whole',
    run: async (store, second) => {
      await insertActive(store, key);
      const positions = await race(store, second, (each, writer) =>
        append(each, key, [`${writer} a`, `${writer} b`]),
      );
      const contents = (await said(store, key)) ?? [];
      expectEqual(contents.length, 2 * WRITERS, 'the number of entries');
      expectEqual(new Set(contents).size, 2 * WRITERS, 'the number of different entries');
      const inOrder = upTo(WRITERS).toSorted((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
      expectEqual(
        contents,
        inOrder.flatMap((writer) => [`${writer} a`, `${writer} b`]),
        'the history by position',
      );
    },
  },
  {
    name: 'races: 50 appends of the same operationId add their entries once, at one position',
    run: async (store, second) => {
      await insertActive(store, key);
      const positions = await race(store, second, (each, writer) =>
        append(each, key, [`writer ${writer}`], 'op'),
      );
      expectEqual(new Set(positions).size, 1, 'the number of positions');
      expectEqual((await said(store, key))?.length, 1, 'the number of entries');
    },
  },
  {
    name: 'races: one of 50 changes of the same revision is made',
    run: async (store, second) => {
      const inserted = await insert(store, key);
      const next = (writer: number) => live('ACTIVE', { revision: 2, since: NOON + writer });
      const outcomes = await race(store, second, (each, writer) =>
        answerOf(replacing(each, key, next(writer))),
      );
      expectEqual(count(outcomes, 'replaced'), 1, 'changes made');
      expectEqual(count(outcomes, 'stale'), WRITERS - 1, 'changes refused');
      await expectStored(store, key, { ...inserted, state: next(outcomes.indexOf('replaced')) });
    },
  },
  {
    name: 'races: one of 50 equal changes of the same revision is made',
    run: async (store, second) => {
      const inserted = await insert(store, key);
      const state = live('ACTIVE', { revision: 2 });
      const outcomes = await race(store, second, (each) => answerOf(replacing(each, key, state)));
      expectEqual(count(outcomes, 'replaced'), 1, 'changes made');
      expectEqual(count(outcomes, 'stale'), WRITERS - 1, 'changes refused');
      await expectStored(store, key, { ...inserted, state });
    },
  },
  {
    name: 'races: of 50 appends around the end of a session, those that were accepted are kept, and no others',
    run: async (store, second) => {
      await insertActive(store, key);
      const end = ended('terminated', { revision: 3, since: NOON + 1 });
      const appended = await race(store, second, async (each, writer) => {
        if (writer === WRITERS / 2) await answerOf(replacing(each, key, end));
        const answer = await answerOf(each.append(key, { entries: [say(`${writer}`)], now: NOON }));
        expectThat(answer.outcome !== 'missing', 'the session is there');
        if (answer.outcome === 'closed') expectEqual(answer.state, end, 'the state in the answer');
        return answer.outcome === 'appended' ? [`${writer}`] : [];
      });
      const kept = (await said(store, key)) ?? [];
      expectEqual(kept.toSorted(), appended.flat().toSorted(), 'the history');
      const late = await answerOf(store.append(key, { entries: [say('too late')], now: NOON }));
      expectEqual(late, { outcome: 'closed', state: end }, 'an append after the end');
    },
  },
  {
    name: 'races: changes and appends at the same time do not undo one another',
    run: async (store, second) => {
      const { head } = await insertActive(store, key);
      const outcomes = await race(store, second, async (each, writer) => {
        await append(each, key, [`${writer}`]);
        const { revision = 0, status } = (await answerOf(each.findState(key))) ?? {};
        const next = status === 'ACTIVE' ? 'PAUSED' : 'ACTIVE';
        return answerOf(
          replacing(each, key, live(next, { revision: revision + 1, since: NOON + writer })),
        );
      });
      const replaced = count(outcomes, 'replaced');
      expectThat(replaced > 0, 'some of the changes are made');
      const found = await answerOf(store.find(key));
      expectEqual(found && contentsOf(found).head, head, 'the head');
      expectEqual(found?.history.length, WRITERS, 'the number of entries');
      expectEqual(found?.state.revision, 2 + replaced, 'the revision');
      expectEqual(found?.sequence, 2 + WRITERS + replaced, 'sequence');
    },
  },
  {
    name: 'races: one of 50 removals removes, and writes at the same time bring nothing back',
    run: async (store, second) => {
      await insertActive(store, key);
      const outcomes = await race(store, second, async (each, writer) => {
        await answerOf(
          each.append(key, {
            entries: [say(`${writer}`)],
            now: NOON,
            operation: operationOf(`op-${writer}`),
          }),
        );
        const outcome = await answerOf(each.remove(key));
        await answerOf(
          each.append(key, {
            entries: [say(`${writer}`)],
            now: NOON,
            operation: operationOf(`late-${writer}`),
          }),
        );
        await answerOf(replacing(each, key, live('PAUSED', { revision: 3, deadline: NOON })));
        return outcome;
      });
      expectEqual(count(outcomes, 'removed'), 1, 'removals that removed');
      await expectStored(store, key, undefined);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
      expectEqual(await dueOf(store, NOON + 1000, 10), [], 'due');
    },
  },
];
