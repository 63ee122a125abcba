import type { DueKey, SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, begin, due, move, put, remove } from '../commits.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { addGuarded, expectUnchanged, guardedState, key } from '../guarded.js';
import { ended, keyOf, live, NOON, upTo } from '../samples.js';
import type { StoreCase } from '../store-case.js';

const FAR = NOON + 1e9;

const refused = (guard: string) => ({ outcome: 'refused', guard });

const MADE = { outcome: 'made', position: 0 };

const beginDue = (store: SessionStore, each: DueKey, deadline: number) =>
  begin(store, each, { state: live('IDLE', { deadline }) });

export const moves: readonly StoreCase<SessionStore>[] = [
  {
    name: 'due: the longest overdue first, from the millisecond of their time on',
    run: async (store, second) => {
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
  },
  {
    name: 'due: nothing is due in an empty store, nor without an end',
    run: async (store) => {
      expectEqual(await due(store, FAR), [], 'in an empty store');
      await begin(store, key);
      await begin(store, keyOf('two'), { state: ended('failed') });
      expectEqual(await due(store, Number.MAX_SAFE_INTEGER), [], 'without an end');
    },
  },
  {
    name: 'due: reads, and appends that postpone no end, leave a session where it is',
    run: async (store) => {
      await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 9 }) });
      await append(store, key, ['x'], {}, { activity: NOON + 5 });
      await answerOf(store.find(key));
      for (const _ of upTo(2))
        expectEqual(await due(store, FAR), [{ ...key, dueAt: NOON + 9 }], 'due');
    },
  },
  {
    name: 'due: a tenant with many sessions delays none with few',
    run: async (store) => {
      const few = upTo(3).map((at) => keyOf(`s${at}`, 'few'));
      for (const at of upTo(40)) await beginDue(store, keyOf(`s${at}`, 'many'), NOON);
      for (const each of few) await beginDue(store, each, NOON + 1);
      const first = await due(store, NOON + 1, 10);
      const ofFew = first.filter(({ tenant }) => tenant === 'few').map(({ id }) => id);
      expectEqual(ofFew.toSorted(), ['s0', 's1', 's2'], 'the few');
      expectEqual((await due(store, NOON + 1, 1000)).length, 43, 'all that are due');
      expectEqual((await answerOf(store.due(NOON + 1, 10))).hasMore, true, 'hasMore');
    },
  },
  {
    name: 'move: a session is due at its new time, earlier, later or never, and unchanged else',
    run: async (store, second) => {
      await addGuarded(store);
      const before = await answerOf(store.find(key));
      let from = NOON + 100;
      for (const to of [NOON + 40, NOON + 90, NOON + 100]) {
        expectEqual(await move(store, key, from, to, 5), MADE, 'move');
        expectEqual(await due(second, to - 1), [], 'due before');
        expectEqual(await due(second, to), [{ ...key, dueAt: to }], 'due');
        from = to;
      }
      expectEqual(await move(store, key, from, Number.POSITIVE_INFINITY), MADE, 'move to never');
      expectEqual(await due(second, FAR), [], 'due after that');
      expectEqual(await answerOf(store.find(key)), before, 'the record');
      await put(store, key, { ...guardedState, revision: 6 });
      expectEqual(await due(second, FAR), [{ ...key, dueAt: NOON + 100 }], 'after a put');
    },
  },
  {
    name: 'move: is refused by present, revision and dueAt, in this order, and moves nothing',
    run: async (store) => {
      await addGuarded(store);
      await expectUnchanged(store, 'after the refusals', async () => {
        const later = NOON + 200;
        expectEqual(
          await move(store, keyOf('two'), NOON, later, 5),
          refused('present'),
          'no session',
        );
        const stale = { ...refused('revision'), state: guardedState };
        expectEqual(await move(store, key, NOON + 1, later, 4), stale, 'another revision');
        for (const from of [NOON + 99, NOON + 101])
          expectEqual(await move(store, key, from, later, 5), refused('dueAt'), 'another time');
        expectEqual(await move(store, key, NOON, later), refused('dueAt'), 'without a revision');
        const missing = await move(store, keyOf('two'), NOON, later);
        expectEqual(missing, refused('dueAt'), 'no session, and no revision');
        expectEqual(await due(store, FAR), [{ ...key, dueAt: NOON + 100 }], 'due');
      });
      await remove(store, key);
      expectEqual(await move(store, key, NOON + 100, FAR), refused('dueAt'), 'a removed session');
      expectEqual(await due(store, FAR), [], 'due after the removal');
    },
  },
];
