import type { StateRecord } from '../../session/session-record.js';
import { expectEqual } from '../expect-equal.js';
import { race } from '../race.js';
import { end, expectNothingDue, FAR, key, start, withReport } from '../report-steps.js';
import { NOON, TENANT } from '../samples.js';
import { answerOf, dueOf, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';

export const reports: readonly StoreCase[] = [
  {
    name: 'report: the store says whether the deployment reports ends',
    run: async (store) => {
      expectEqual(typeof (await answerOf(store.reportsEnds())), 'boolean', 'reportsEnds');
    },
  },
  {
    name: 'report: a session is due at the time of its report, from that millisecond on',
    run: async (store, second) => {
      await start(store, key, { user: 'u:1', channel: 'w\u00E9b' });
      await expectNothingDue(store);
      const state = { ...end, labels: { user: 'u:1', channel: 'w\u00E9b' } };
      await replace(store, key, state);
      expectEqual(await dueOf(second, NOON + 9, 10), [], 'due a millisecond before');
      for (const now of [NOON + 10, FAR]) {
        expectEqual(await dueOf(second, now, 10), [{ ...key, dueAt: NOON + 10 }], 'due');
      }
      expectEqual(await answerOf(second.findState(key)), state, 'the state');
    },
  },
  {
    name: 'report: a session without one is due when its retention is over',
    run: async (store, second) => {
      await start(store);
      await replace(store, key, end);
      await replace(store, key, withReport(end, 4));
      expectEqual(await dueOf(store, NOON + 59, 10), [], 'due before the retention is over');
      expectEqual(await dueOf(second, FAR, 10), [{ ...key, dueAt: NOON + 60 }], 'due');
      expectEqual(await answerOf(second.findState(key)), withReport(end, 4), 'the state');
      expectEqual(await answerOf(store.remove(key, { revision: 4 })), 'removed', 'remove');
      await expectNothingDue(store);
    },
  },
  {
    name: 'report: of two callers who claim one, one succeeds, and it is due when the claim is over',
    run: async (store, second) => {
      await start(store);
      await replace(store, key, end);
      const claimed = withReport(end, 4, NOON + 100);
      const outcomes = await race(store, second, (each) =>
        Promise.resolve(answerOf(each.replace(key, end, claimed))),
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'replaced').length,
        1,
        'how many claimed it',
      );
      expectEqual(await dueOf(store, NOON + 99, 10), [], 'due before the claim is over');
      expectEqual(await dueOf(second, NOON + 100, 10), [{ ...key, dueAt: NOON + 100 }], 'due then');
    },
  },
  {
    name: 'report: another change of the session keeps its time',
    run: async (store) => {
      await start(store);
      await replace(store, key, withReport(end, 3, NOON + 100));
      const released: StateRecord = {
        ...withReport(end, 4, NOON + 100),
        work: {
          lease: {
            holder: 'worker',
            fencingToken: 1,
            takenAt: NOON,
            until: 0,
            releasedAt: NOON + 20,
          },
        },
      };
      await replace(store, key, released);
      expectEqual(await dueOf(store, FAR, 10), [{ ...key, dueAt: NOON + 100 }], 'due');
      expectEqual(await answerOf(store.findState(key)), released, 'the state');
    },
  },
  {
    name: 'report: a call that is stale moves none, and a claim is no event',
    run: async (store) => {
      await start(store);
      await replace(store, key, end);
      const before = await answerOf(store.find(key));
      const late = withReport(end, 9, NOON + 500);
      expectEqual(await answerOf(replacing(store, key, late)), 'stale', 'replace');
      expectEqual(await dueOf(store, FAR, 10), [{ ...key, dueAt: NOON + 10 }], 'due');
      await replace(store, key, withReport(end, 4, NOON + 100));
      const after = await answerOf(store.find(key));
      expectEqual(after?.sequence, before?.sequence, 'the sequence');
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page.total, 1, 'the sessions in the list');
    },
  },
];
