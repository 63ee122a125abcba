import type { DueKey, SessionStore } from '../../store/session-store.js';
import { answerOf, expectEqual, expectThat } from '../answers.js';
import {
  append,
  begin,
  due,
  expectDue,
  FAR,
  MADE,
  move,
  put,
  refused,
  remove,
  addGuarded,
  expectUnchanged,
  guardedState,
  key,
  find,
} from '../commits.js';
import { ended, keyOf, live, NOON, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

const beginDue = (store: SessionStore, each: DueKey, deadline: number) =>
  begin(store, each, { state: live('IDLE', { deadline }) });

export const moves: Cases = {
  'due: the longest overdue first, none before its time, and none without an end': async (
    store,
    second,
  ) => {
    expectEqual(await due(store, FAR), [], 'in an empty store');
    await begin(store, key);
    await begin(store, keyOf('two'), { state: ended('failed') });
    expectEqual(await due(store, Number.MAX_SAFE_INTEGER), [], 'without an end');
    const order = [3, 0, 4, 1, 2];
    for (const at of order) await beginDue(store, keyOf(`s${9 - at}`), NOON + at);
    for (const now of [-1, 0, 2, 4])
      expectEqual(
        await due(second, NOON + now),
        upTo(now + 1).map((at) => ({ ...keyOf(`s${9 - at}`), dueAt: NOON + at })),
        `due after ${now} milliseconds`,
      );
    const { sessions } = await answerOf(store.due(NOON + 4, 2));
    expectThat(sessions.length <= 2, 'due returns at most its limit of sessions');
  },
  'due: reads, and appends that postpone no end, leave a session where it is': async (store) => {
    await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 9 }) });
    await append(store, key, ['x'], {}, { activity: NOON + 5 });
    await find(store);
    for (const _ of upTo(2))
      expectEqual(await due(store, FAR), [{ ...key, dueAt: NOON + 9 }], 'due');
  },
  'due: a tenant with many sessions delays none with few': async (store) => {
    const few = upTo(3).map((at) => keyOf(`s${at}`, 'few'));
    for (const at of upTo(40)) await beginDue(store, keyOf(`s${at}`, 'many'), NOON);
    for (const each of few) await beginDue(store, each, NOON + 1);
    const first = await due(store, NOON + 1, 10);
    const ofFew = first.filter(({ tenant }) => tenant === 'few').map(({ id }) => id);
    expectEqual(ofFew.toSorted(), ['s0', 's1', 's2'], 'the few');
    expectEqual((await due(store, NOON + 1, 1000)).length, 43, 'all that are due');
    expectEqual((await answerOf(store.due(NOON + 1, 10))).hasMore, true, 'hasMore');
  },
  'move: a session is due at its new time, earlier, later or never, and unchanged else': async (
    store,
    second,
  ) => {
    await addGuarded(store);
    const before = await find(store);
    let from = NOON + 100;
    for (const to of [NOON + 40, NOON + 90, NOON + 100]) {
      expectEqual(await move(store, key, from, to, 5), MADE, 'move');
      await expectDue(second, key, to);
      from = to;
    }
    expectEqual(await move(store, key, from, Number.POSITIVE_INFINITY), MADE, 'move to never');
    expectEqual(await due(second, FAR), [], 'due after that');
    expectEqual(await find(store), before, 'the record');
    await put(store, key, guardedState);
    await expectDue(second, key, NOON + 100, 'after a put');
  },
  'move: is refused by present, revision and dueAt, in this order, and moves nothing': async (
    store,
  ) => {
    await addGuarded(store);
    await expectUnchanged(store, 'after the refusals', async () => {
      const [later, none] = [NOON + 200, keyOf('two')];
      const stale = refused('revision', { state: guardedState });
      for (const [of, from, revision, answer] of [
        [none, NOON, 5, refused('present')],
        [key, NOON + 1, 4, stale],
        [key, NOON + 99, 5, refused('dueAt')],
        [key, NOON + 101, 5, refused('dueAt')],
        [key, NOON, undefined, refused('dueAt')],
        [none, NOON, undefined, refused('dueAt')],
      ] as const) {
        const what = `${of.id} from ${from} with the revision ${revision}`;
        expectEqual(await move(store, of, from, later, revision), answer, what);
      }
    });
    await remove(store, key);
    expectEqual(await move(store, key, NOON + 100, FAR), refused('dueAt'), 'a removed session');
    expectEqual(await due(store, FAR), [], 'due after the removal');
  },
};
