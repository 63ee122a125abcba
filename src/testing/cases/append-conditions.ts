import type { HistoryAppend, SessionStore } from '../../store/session-store.js';
import { expectEqual } from '../expect.js';
import { race, WRITERS } from '../race.js';
import { ended, keyOf, live, NOON, operationOf, say } from '../samples.js';
import { answerOf, append, insert, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const appendTo = (store: SessionStore, conditions: Partial<HistoryAppend>) =>
  answerOf(store.append(key, { entries: [say('next')], now: NOON, ...conditions }));

const hold = { holder: 'worker', fence: 3, until: NOON + 1000 };

export const appendConditions: readonly StoreCase[] = [
  {
    name: 'ifPosition: an append is made where the history ends at the position, and nowhere else',
    run: async (store) => {
      await insertActive(store, key);
      expectEqual((await appendTo(store, { ifPosition: 0 })).outcome, 'appended', 'an append to an empty history');
      const first = await append(store, key, ['one', 'two']);
      expectEqual(
        await appendTo(store, { ifPosition: 0 }),
        { outcome: 'moved', position: first },
        'from the beginning',
      );
      const second = await append(store, key, ['three']);
      expectEqual(await appendTo(store, { ifPosition: first }), { outcome: 'moved', position: second }, 'from before');
      const beyond = second + 1_000_000;
      expectEqual(await appendTo(store, { ifPosition: beyond }), { outcome: 'moved', position: second }, 'from beyond');
      expectEqual((await appendTo(store, { ifPosition: second })).outcome, 'appended', 'from the end');
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
      expectEqual((await appendTo(store, { ifPosition })).outcome, 'appended', 'an append behind the part');
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
      expectEqual(outcomes.filter((outcome) => outcome === 'appended').length, 1, 'appends that were made');
      expectEqual(outcomes.filter((outcome) => outcome === 'moved').length, WRITERS - 1, 'appends that came too late');
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
      expectEqual(await appendTo(store, call), first, 'the append again');
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
      expectEqual(await appendTo(store, other), { outcome: 'mismatch' }, 'other content after the end');
      const again = await appendTo(store, { operation: operationOf('op', 'abcdefghijklmnop') });
      expectEqual(again, first, 'the same content after the end');
      expectEqual(await said(store, key), ['next', 'more'], 'the history');
    },
  },
  {
    name: 'fence: an append is made while its hold is the current one',
    run: async (store) => {
      await insertActive(store, key);
      expectEqual(await appendTo(store, { fence: 3 }), { outcome: 'not_held' }, 'before any hold');
      await replace(store, key, live('ACTIVE', { revision: 3, hold }));
      for (const fence of [1, 2, 4, 33]) {
        expectEqual(await appendTo(store, { fence }), { outcome: 'not_held' }, `fence ${fence}`);
      }
      expectEqual((await appendTo(store, { fence: 3 })).outcome, 'appended', 'the fence of the hold');
      expectEqual((await appendTo(store, { fence: 3, now: NOON + 999 })).outcome, 'appended', 'just before its end');
      expectEqual(await appendTo(store, { fence: 3, now: NOON + 1000 }), { outcome: 'not_held' }, 'at its end');
      expectEqual((await appendTo(store, { now: NOON + 1000 })).outcome, 'appended', 'no fence');
      await replace(store, key, live('ACTIVE', { revision: 4, hold: { ...hold, until: 0 } }));
      expectEqual(await appendTo(store, { fence: 3 }), { outcome: 'not_held' }, 'after a release');
      const next = { holder: 'other', fence: 4, until: NOON + 5000 };
      await replace(store, key, live('PAUSED', { revision: 5, hold: next }));
      expectEqual(await appendTo(store, { fence: 3 }), { outcome: 'not_held' }, 'an earlier fence');
      expectEqual((await appendTo(store, { fence: 4 })).outcome, 'appended', 'the next fence');
      expectEqual((await said(store, key))?.length, 4, 'the number of entries');
    },
  },
  {
    name: 'fence: a repeated append is recognised though its hold is over, and one that was refused is not',
    run: async (store) => {
      await insertActive(store, key);
      await replace(store, key, live('ACTIVE', { revision: 3, hold }));
      const call = { fence: 3, operation: operationOf('op') };
      const first = await appendTo(store, call);
      const late = { fence: 3, operation: operationOf('late') };
      expectEqual(await appendTo(store, { ...late, now: NOON + 1000 }), { outcome: 'not_held' }, 'an append too late');
      await replace(
        store,
        key,
        live('ACTIVE', { revision: 4, hold: { holder: 'other', fence: 4, until: NOON + 5000 } }),
      );
      expectEqual(await appendTo(store, call), first, 'the append again');
      expectEqual(await appendTo(store, late), { outcome: 'not_held' }, 'the late one again');
      expectEqual((await appendTo(store, { ...late, fence: 4 })).outcome, 'appended', 'it under the next fence');
      expectEqual(await said(store, key), ['next', 'next'], 'the history');
    },
  },
  {
    name: 'append: of several reasons to refuse, the one that callers can do least about is given',
    run: async (store) => {
      await insert(store, key);
      const all = { fence: 1, ifPosition: 99, maxEntries: 0 };
      expectEqual((await appendTo(store, all)).outcome, 'closed', 'a session that is IDLE');
      await replace(store, key, live('ACTIVE', { revision: 2, hold }));
      expectEqual((await appendTo(store, all)).outcome, 'not_held', 'a fence, a position and a limit');
      expectEqual((await appendTo(store, { ...all, fence: 3 })).outcome, 'moved', 'a position and a limit');
      expectEqual((await appendTo(store, { ...all, fence: 3, ifPosition: 0 })).outcome, 'full', 'a limit');
      expectEqual(await said(store, key), [], 'the history');
    },
  },
];
