import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { contentsOf, key, partOf } from '../history-steps.js';
import { appendTo, expectHistory, numbers, positionsIn, rewind } from '../rewind-steps.js';
import { ended, live, NOON, operationOf, upTo } from '../samples.js';
import { answerOf, append, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import { rewindRaces } from './rewind-races.js';

const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 1000 };

export const rewinds: readonly StoreCase[] = [
  ...rewindRaces,
  {
    name: 'rewinds: entries that follow a position supersede what followed it, in every read',
    run: async (store) => {
      await insertActive(store, key);
      const question = await append(store, key, ['question']);
      await append(store, key, ['answer', 'thanks']);
      const second = await rewind(store, question, ['another answer']);
      await expectHistory(store, ['question', 'another answer'], second);
      const third = await append(store, key, ['thanks a lot', 'bye']);
      await expectHistory(store, ['question', 'another answer', 'thanks a lot', 'bye'], third);
    },
  },
  {
    name: 'rewinds: to 0 and without entries, the history is empty and continues at a new position',
    run: async (store) => {
      await insertActive(store, key);
      const full = await append(store, key, ['one', 'two']);
      const end = await rewind(store, 0);
      await expectHistory(store, [], end);
      expectEqual(end > full, true, 'the end is after all that came before');
      expectEqual(
        await appendTo(store, ['x'], { ifPosition: full }),
        { outcome: 'moved', position: end },
        'the old end',
      );
      const next = await appendTo(store, ['three'], { ifPosition: end });
      expectEqual(next.outcome, 'appended', 'an append at the new end');
      await expectHistory(store, ['three'], next.outcome === 'appended' ? next.position : -1);
      const again = await rewind(store, end, ['four']);
      await expectHistory(store, ['four'], again);
    },
  },
  {
    name: 'rewinds: the position of an empty one is valid until another goes back to it, that of an entry for longer',
    run: async (store) => {
      await insertActive(store, key);
      const entry = await append(store, key, ['one']);
      await append(store, key, ['two']);
      const empty = await rewind(store, entry);
      const end = await rewind(store, empty, ['three']);
      const moved = { outcome: 'moved', position: end };
      expectEqual(await appendTo(store, ['x'], { after: empty }), moved, 'the empty rewind again');
      for (const content of ['four', 'five']) {
        await expectHistory(store, ['one', content], await rewind(store, entry, [content]));
      }
    },
  },
  {
    name: 'rewinds: the last entry is removed, and then the one before it',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two', 'three']);
      const [first = 0, second = 0] = await positionsIn(store);
      await expectHistory(store, ['one', 'two'], await rewind(store, second));
      await expectHistory(store, ['one'], await rewind(store, first));
      await expectHistory(store, [], await rewind(store, 0));
      await append(store, key, ['four']);
      // The start of a part is a valid position.
      const { start } = await partOf(store, { limit: 1 });
      await expectHistory(store, ['five'], await rewind(store, start, ['five']));
    },
  },
  {
    name: 'rewinds: to the end, entries follow all others',
    run: async (store) => {
      await insertActive(store, key);
      const end = await append(store, key, ['one', 'two']);
      await expectHistory(store, ['one', 'two', 'three'], await rewind(store, end, ['three']));
    },
  },
  {
    name: 'rewinds: a superseded position has moved, one beyond the end is invalid, and neither changes anything',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two', 'three', 'four']);
      const [first = 0, second = 0, third = 0, fourth = 0] = await positionsIn(store);
      const end = await rewind(store, second, ['five']);
      for (const after of [third, fourth]) {
        expectEqual(
          await appendTo(store, ['x'], { after }),
          { outcome: 'moved', position: end },
          `after ${after}`,
        );
      }
      for (const after of [end + 1, end + 1_000_000]) {
        expectEqual(
          await appendTo(store, ['x'], { after }),
          { outcome: 'invalid_position' },
          `after ${after}`,
        );
      }
      await expectHistory(store, ['one', 'two', 'five'], end);
      await expectHistory(store, ['one', 'six'], await rewind(store, first, ['six']));
    },
  },
  {
    name: 'rewinds: no position is used twice, and a reader after a superseded one gets what is new',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two', 'three']);
      const before = await positionsIn(store);
      await rewind(store, before[0] ?? 0, ['four', 'five']);
      const after = await positionsIn(store);
      expectEqual(after[0], before[0], 'the position of the entry that stays');
      expectEqual(new Set([...before, ...after]).size, 5, 'the number of different positions');
      const part = await partOf(store, { after: before[2] ?? 0, limit: 10 });
      expectEqual(
        [contentsOf(part), part.hasMore],
        [['four', 'five'], false],
        'after a superseded position',
      );
      const back = await partOf(store, { before: before[2] ?? 0, limit: 10 });
      expectEqual(
        [contentsOf(back), back.start, back.hasMore],
        [['one'], 0, true],
        'before a superseded position',
      );
    },
  },
  {
    name: 'rewinds: a repeated rewind is recognised, with entries and without, and one to another position is not the same',
    run: async (store) => {
      await insertActive(store, key);
      const first = await append(store, key, ['one']);
      await append(store, key, ['two']);
      const operation = operationOf('edit');
      const edited = await appendTo(store, ['three'], { after: first, operation });
      await append(store, key, ['four']);
      expectEqual(
        await appendTo(store, ['three'], { after: first, operation }),
        { ...edited, repeated: true },
        'again',
      );
      const other = operationOf('edit', 'of another position');
      expectEqual(
        await appendTo(store, ['three'], { after: 0, operation: other }),
        { outcome: 'mismatch' },
        'elsewhere',
      );
      const cleared = await appendTo(store, [], { after: 0, operation: operationOf('clear') });
      const end = await append(store, key, ['five']);
      expectEqual(
        await appendTo(store, [], { after: 0, operation: operationOf('clear') }),
        { ...cleared, repeated: true },
        'a repeated rewind without entries',
      );
      await expectHistory(store, ['five'], end);
    },
  },
  {
    name: 'rewinds: entries that are superseded do not count towards maxEntries',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two', 'three']);
      const [first = 0] = await positionsIn(store);
      const refused = await appendTo(store, ['four', 'five'], { after: first, maxEntries: 2 });
      expectEqual(refused, { outcome: 'full' }, 'a rewind to a history of three');
      const edited = await appendTo(store, ['four', 'five'], { after: first, maxEntries: 3 });
      expectEqual(edited.outcome, 'appended', 'the same with room for three');
      expectEqual(
        await appendTo(store, ['six'], { maxEntries: 3 }),
        { outcome: 'full' },
        'one more',
      );
      expectEqual(
        (await appendTo(store, ['six'], { maxEntries: 4 })).outcome,
        'appended',
        'one more with room for four',
      );
      expectEqual(await said(store, key), ['one', 'four', 'five', 'six'], 'the history');
    },
  },
  {
    name: 'rewinds: of several reasons to refuse, the one that callers can do least about is given',
    run: async (store) => {
      await insertActive(store, key);
      const first = await append(store, key, ['one']);
      const second = await append(store, key, ['two']);
      const end = await rewind(store, first, ['three']);
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease } }));
      const all = { fencingToken: 1, ifPosition: second, after: end + 1_000_000, maxEntries: 0 };
      const refusal = (conditions: Partial<typeof all>) =>
        appendTo(store, ['x'], { ...all, ...conditions });
      const moved = { outcome: 'moved', position: end };
      const { fencingToken } = lease;
      const current = { fencingToken, ifPosition: end };
      expectEqual(await refusal({}), { outcome: 'lease_lost' }, 'of another lease');
      expectEqual(await refusal({ fencingToken }), moved, 'where the history has moved');
      expectEqual(
        await refusal(current),
        { outcome: 'invalid_position' },
        'to a position beyond the end',
      );
      expectEqual(await refusal({ ...current, after: second }), moved, 'to a superseded position');
      expectEqual(
        await refusal({ ...current, after: first }),
        { outcome: 'full' },
        'beyond the bound',
      );
      await replace(store, key, ended('terminated', { revision: 4 }));
      expectEqual((await refusal({})).outcome, 'closed', 'after the end');
      expectEqual(await said(store, key), ['one', 'three'], 'the history');
    },
  },
  {
    name: 'rewinds: a long history of appends and rewinds reads as a plain list',
    run: async (store) => {
      for (const seed of [1, 2]) {
        const next = numbers(seed);
        if (seed > 1) await answerOf(store.remove(key));
        await insertActive(store, key);
        let expected: readonly { readonly content: string; readonly position: number }[] = [];
        for (const step of upTo(60)) {
          const contents = upTo(next(4)).map((at) => `${step}.${at} ${'x'.repeat(next(40))}`);
          const isRewind = contents.length === 0 || next(3) === 0;
          // Mostly to one of the latest entries, as users do.
          const dropped = isRewind ? next(next(4) === 0 ? expected.length + 1 : 4) : 0;
          const stay = expected.slice(0, Math.max(0, expected.length - dropped));
          const after = stay.at(-1)?.position ?? 0;
          const end = isRewind
            ? await rewind(store, after, contents)
            : await append(store, key, contents);
          const positions = await positionsIn(store);
          expectEqual(
            positions.slice(0, stay.length),
            stay.map(({ position }) => position),
            'the positions of what stays',
          );
          expected = [
            ...stay,
            ...contents.map((content, at) => ({
              content,
              position: positions[stay.length + at] ?? 0,
            })),
          ];
          if (step % 15 === 14) {
            const all = expected.map(({ content }) => content);
            await expectHistory(store, all, end);
          }
        }
      }
    },
  },
];

/** The cases for stores with events. */
export const rewindEvents: readonly StoreCase[] = [
  {
    name: 'events: a rewind is one event, which says what the entries follow',
    run: async (store) => {
      await insertActive(store, key);
      const first = await append(store, key, ['one', 'two']);
      const start = await latestPosition(store);
      const end = await rewind(store, first, ['three']);
      const cleared = await rewind(store, 0);
      const told = await eventsAfter(store, start);
      expectEqual(
        told.map((event) =>
          event.type === 'session.appended' ? [event.historyPosition, event.rewoundTo] : event.type,
        ),
        [
          [end, first],
          [cleared, 0],
        ],
        'the events of two rewinds',
      );
    },
  },
];
