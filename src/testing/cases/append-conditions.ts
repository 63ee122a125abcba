import { expectEqual } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, keyOf, live, NOON, operationOf, say } from '../samples.js';
import { answerOf, append, insert, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { HistoryAppend, TodaysStore } from '../todays-store.js';

const key = keyOf('one');

const appendTo = (store: TodaysStore, conditions: Partial<HistoryAppend>) =>
  answerOf(store.append(key, { entries: [say('next')], now: NOON, ...conditions }));

const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 1000 };

export const appendConditions: readonly StoreCase[] = [
  {
    name: 'ifPosition: an append is made where the history ends at the position, and nowhere else',
    run: async (store) => {
      await insertActive(store, key);
      expectEqual(
        (await appendTo(store, { ifPosition: 0 })).outcome,
        'appended',
        'an append to an empty history',
      );
      const first = await append(store, key, ['one', 'two']);
      expectEqual(
        await appendTo(store, { ifPosition: 0 }),
        { outcome: 'moved', position: first },
        'from the beginning',
      );
      const second = await append(store, key, ['three']);
      expectEqual(
        await appendTo(store, { ifPosition: first }),
        { outcome: 'moved', position: second },
        'from before',
      );
      const beyond = second + 1_000_000;
      expectEqual(
        await appendTo(store, { ifPosition: beyond }),
        { outcome: 'moved', position: second },
        'from beyond',
      );
      expectEqual(
        (await appendTo(store, { ifPosition: second })).outcome,
        'appended',
        'from the end',
      );
      expectEqual(await said(store, key), ['next', 'one', 'two', 'three', 'next'], 'the history');
    },
  },
  {
    name: 'ifPosition: the position of a part that was read is one to append at',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two'], 'op');
      const part = await answerOf(store.findEntries(key, { limit: 1 }));
      const ifPosition = part.outcome === 'found' ? part.position : -1;
      expectEqual(
        (await appendTo(store, { ifPosition })).outcome,
        'appended',
        'an append after the part',
      );
    },
  },
  {
    name: 'ifPosition: one of 50 appends at a position is made',
    run: async (store, second) => {
      await insertActive(store, key);
      const ifPosition = await append(store, key, ['one']);
      const outcomes = await race(store, second, async (each, writer) => {
        const entries = [say(`${writer}`)];
        return (await answerOf(each.append(key, { entries, now: NOON, ifPosition }))).outcome;
      });
      expectEqual(
        outcomes.filter((outcome) => outcome === 'appended').length,
        1,
        'appends that were made',
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'moved').length,
        WRITERS - 1,
        'appends that came too late',
      );
      expectEqual((await said(store, key))?.length, 2, 'the number of entries');
    },
  },
  {
    name: 'ifPosition: a repeated append is recognised though the history has moved, and one that was refused is not',
    run: async (store) => {
      await insertActive(store, key);
      const call = { ifPosition: 0, operation: operationOf('op') };
      const first = await appendTo(store, call);
      await append(store, key, ['more']);
      expectEqual(await appendTo(store, call), { ...first, repeated: true }, 'the append again');
      const other = await appendTo(store, { ifPosition: 0, operation: operationOf('other') });
      expectEqual(other.outcome, 'moved', 'another append at the beginning');
      expectEqual(
        (await appendTo(store, { operation: operationOf('other') })).outcome,
        'appended',
        'it without a position',
      );
      expectEqual(await said(store, key), ['next', 'more', 'next'], 'the history');
    },
  },
  {
    name: 'digest: an append with a known operation id and another digest is a mismatch, and adds nothing',
    run: async (store) => {
      await insertActive(store, key);
      const first = await appendTo(store, { operation: operationOf('op', 'abcdefghijklmnop') });
      await append(store, key, ['more'], 'op-2');
      const other = { operation: operationOf('op', 'abcdefghijklmnoP') };
      expectEqual(await appendTo(store, other), { outcome: 'mismatch' }, 'other content');
      await replace(store, key, ended('terminated', { revision: 3 }));
      expectEqual(
        await appendTo(store, other),
        { outcome: 'mismatch' },
        'other content after the end',
      );
      const again = await appendTo(store, { operation: operationOf('op', 'abcdefghijklmnop') });
      expectEqual(again, { ...first, repeated: true }, 'the same content after the end');
      expectEqual(await said(store, key), ['next', 'more'], 'the history');
    },
  },
  {
    name: 'fencing token: an append is made while its lease is the current one',
    run: async (store) => {
      await insertActive(store, key);
      expectEqual(
        await appendTo(store, { fencingToken: 3 }),
        { outcome: 'lease_lost' },
        'before any lease',
      );
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease } }));
      for (const fencingToken of [1, 2, 4, 33]) {
        expectEqual(
          await appendTo(store, { fencingToken }),
          { outcome: 'lease_lost' },
          `fencing token ${fencingToken}`,
        );
      }
      expectEqual(
        (await appendTo(store, { fencingToken: 3 })).outcome,
        'appended',
        'the fencing token of the lease',
      );
      expectEqual(
        (await appendTo(store, { fencingToken: 3, now: NOON + 999 })).outcome,
        'appended',
        'just before its end',
      );
      expectEqual(
        await appendTo(store, { fencingToken: 3, now: NOON + 1000 }),
        { outcome: 'lease_lost' },
        'at its end',
      );
      expectEqual(
        (await appendTo(store, { now: NOON + 1000 })).outcome,
        'appended',
        'no fencing token',
      );
      await replace(
        store,
        key,
        live('ACTIVE', { revision: 4, work: { lease: { ...lease, until: 0, releasedAt: NOON } } }),
      );
      expectEqual(
        await appendTo(store, { fencingToken: 3 }),
        { outcome: 'lease_lost' },
        'after a release',
      );
      const next = { holder: 'other', fencingToken: 4, takenAt: NOON, until: NOON + 5000 };
      await replace(store, key, live('PAUSED', { revision: 5, work: { lease: next } }));
      expectEqual(
        await appendTo(store, { fencingToken: 3 }),
        { outcome: 'lease_lost' },
        'an earlier fencing token',
      );
      expectEqual(
        (await appendTo(store, { fencingToken: 4 })).outcome,
        'appended',
        'the next fencing token',
      );
      expectEqual((await said(store, key))?.length, 4, 'the number of entries');
    },
  },
  {
    name: 'fencing token: a repeated append is recognised though its lease is over, and one that was refused is not',
    run: async (store) => {
      await insertActive(store, key);
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease } }));
      const call = { fencingToken: 3, operation: operationOf('op') };
      const first = await appendTo(store, call);
      const late = { fencingToken: 3, operation: operationOf('late') };
      expectEqual(
        await appendTo(store, { ...late, now: NOON + 1000 }),
        { outcome: 'lease_lost' },
        'an append too late',
      );
      await replace(
        store,
        key,
        live('ACTIVE', {
          revision: 4,
          work: { lease: { holder: 'other', fencingToken: 4, takenAt: NOON, until: NOON + 5000 } },
        }),
      );
      expectEqual(await appendTo(store, call), { ...first, repeated: true }, 'the append again');
      expectEqual(await appendTo(store, late), { outcome: 'lease_lost' }, 'the late one again');
      expectEqual(
        (await appendTo(store, { ...late, fencingToken: 4 })).outcome,
        'appended',
        'it under the next fencing token',
      );
      expectEqual(await said(store, key), ['next', 'next'], 'the history');
    },
  },
  {
    name: 'append: of several reasons to refuse, the one that callers can do least about is given',
    run: async (store) => {
      await insert(store, key);
      const all = { fencingToken: 1, ifPosition: 99, maxEntries: 0 };
      expectEqual((await appendTo(store, all)).outcome, 'closed', 'a session that is IDLE');
      await replace(store, key, live('ACTIVE', { revision: 2, work: { lease } }));
      expectEqual(
        (await appendTo(store, all)).outcome,
        'lease_lost',
        'a fencing token, a position and a limit',
      );
      expectEqual(
        (await appendTo(store, { ...all, fencingToken: 3 })).outcome,
        'moved',
        'a position and a limit',
      );
      expectEqual(
        (await appendTo(store, { ...all, fencingToken: 3, ifPosition: 0 })).outcome,
        'full',
        'a limit',
      );
      expectEqual(await said(store, key), [], 'the history');
    },
  },
];
