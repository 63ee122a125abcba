import { acceptsHistoryUntil } from '../../session/state-at.js';
import { expectEqual } from '../expect-equal.js';
import { remainsOf } from '../report-steps.js';
import { ended, headOf, keyOf, live, NOON, noTerms, say } from '../samples.js';
import { answerOf, dueOf, insert, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');
const terms = { ...noTerms, inactivityTimeoutMs: 100 };
const active = live('ACTIVE', { revision: 2, deadline: NOON + 250, lastActivityAt: NOON, terms });

export const inactivity: readonly StoreCase[] = [
  {
    name: 'inactivity: an ACTIVE session accepts entries and is not due until it was unused for the whole timeout',
    run: async (store, second) => {
      await insert(store, key, headOf('one'), live('IDLE', { terms }));
      await replace(store, key, active);
      const appendAt = async (now: number) =>
        (await answerOf(second.append(key, { entries: [say('hello')], now }))).outcome;
      const isDueAt = async (now: number) => (await dueOf(second, now, 10)).length > 0;
      expectEqual([await isDueAt(NOON + 99), await isDueAt(NOON + 100)], [false, true], 'due');
      expectEqual(await appendAt(NOON + 100), 'closed', 'an append when it is over');
      expectEqual(await appendAt(NOON + 99), 'appended', 'an append a millisecond before');
      expectEqual(
        [await isDueAt(NOON + 198), await isDueAt(NOON + 199)],
        [false, true],
        'due after the append',
      );
      const state = await answerOf(store.findState(key));
      expectEqual(state && acceptsHistoryUntil(state), NOON + 199, 'the end');
      expectEqual(await appendAt(NOON + 199), 'closed', 'an append when it is over again');
      expectEqual(await appendAt(NOON + 198), 'appended', 'an append a millisecond before that');
      expectEqual(await appendAt(NOON + 250), 'closed', 'an append at the time limit');
      expectEqual(
        [await isDueAt(NOON + 249), await isDueAt(NOON + 250)],
        [false, true],
        'due at the time limit',
      );
    },
  },
  {
    name: 'inactivity: counts from the last entry, also if a state follows that was decided before it',
    run: async (store) => {
      await insert(store, key, headOf('one'), live('IDLE', { terms }));
      await replace(store, key, active);
      const appendAt = async (now: number) =>
        (await answerOf(store.append(key, { entries: [say('hello')], now }))).outcome;
      expectEqual(await appendAt(NOON + 50), 'appended', 'an append');
      await replace(store, key, { ...active, revision: 3 });
      expectEqual(await dueOf(store, NOON + 149, 10), [], 'due a millisecond before');
      expectEqual(await dueOf(store, NOON + 150, 10), [{ ...key, dueAt: NOON + 150 }], 'due then');
      expectEqual(await appendAt(NOON + 150), 'closed', 'an append when it is over');
      expectEqual(await appendAt(NOON + 149), 'appended', 'an append a millisecond before');
    },
  },
  {
    name: 'inactivity: an end that was computed before an append is stale, by a replace and by a removal',
    run: async (store, second) => {
      await insert(store, key, headOf('one'), live('IDLE', { terms }));
      await replace(store, key, active);
      const end = ended('inactive', { revision: 3, since: NOON + 100, lastActivityAt: NOON + 100 });
      const endAfter = (unusedSince: number | undefined) =>
        answerOf(store.replace(key, active, end, { unusedSince }));
      const removeAfter = (unusedSince: number | undefined) =>
        answerOf(store.remove(key, { revision: 2, unusedSince, remains: remainsOf(active) }));
      await answerOf(second.append(key, { entries: [say('hello')], now: NOON + 99 }));
      expectEqual(await endAfter(NOON + 98), 'stale', 'an end of an earlier activity');
      expectEqual(await removeAfter(NOON + 98), 'stale', 'a removal of an earlier activity');
      const used = { ...active, lastActivityAt: NOON + 99 };
      expectEqual(await answerOf(second.findState(key)), used, 'the state');
      expectEqual(await endAfter(NOON + 99), 'replaced', 'an end of the last activity');
      const removed = store.remove(key, { revision: 3, unusedSince: NOON + 100 });
      expectEqual(await answerOf(removed), 'removed', 'a removal of the last activity');
    },
  },
  {
    name: 'inactivity: a session that is PAUSED has none',
    run: async (store) => {
      await insert(store, key, headOf('one'), live('IDLE', { terms }));
      await replace(store, key, active);
      await replace(
        store,
        key,
        live('PAUSED', { revision: 3, deadline: NOON + 1000, lastActivityAt: NOON, terms }),
      );
      expectEqual(await dueOf(store, NOON + 999, 10), [], 'due');
      const answer = await answerOf(store.append(key, { entries: [say('late')], now: NOON + 999 }));
      expectEqual(answer.outcome, 'appended', 'append');
    },
  },
];

export const inactivityStatuses: readonly StoreCase[] = [
  {
    name: 'inactivity: a list by status has a session as TERMINATED once it was unused for the whole timeout',
    run: async (store) => {
      await insert(store, key, headOf('one'), live('IDLE', { terms }));
      await replace(store, key, active);
      const totalAt = async (status: 'ACTIVE' | 'TERMINATED', now: number) =>
        (
          await answerOf(
            store.list(key.tenant, { offset: 0, limit: 10, status: { anyOf: [status], now } }),
          )
        ).total;
      const at = async (now: number) => [
        await totalAt('ACTIVE', now),
        await totalAt('TERMINATED', now),
      ];
      expectEqual(
        [await at(NOON + 99), await at(NOON + 100)],
        [
          [1, 0],
          [0, 1],
        ],
        'before and after',
      );
      await answerOf(store.append(key, { entries: [say('hello')], now: NOON + 50 }));
      expectEqual(
        [await at(NOON + 149), await at(NOON + 150)],
        [
          [1, 0],
          [0, 1],
        ],
        'before and after, put off',
      );
    },
  },
];
