import { errorOf, expectEqual } from '../answers.js';
import { begin, beginOf, find, key, putOf } from '../commits.js';
import { hasEvents } from '../event-steps.js';
import type { OptionalPart } from '../parts.js';
import { keyOf, live, NOON, TENANT } from '../samples.js';
import type { Cases } from '../store-case.js';

const guards = { live: { sessions: 0, now: NOON } };

/**
 * Replace the cases of a part that a store lacks. Their names show in the report what was not
 * checked. They fail if the store has the part, or ignores calls of it.
 */
export const absences: Readonly<Record<OptionalPart, Cases>> = {
  statuses: {
    'not checked: lists by status, limits of live sessions (without: statuses)': async (store) => {
      await begin(store, key, { state: live('IDLE') });
      const before = await find(store);
      const two = keyOf('two');
      const status = { anyOf: ['IDLE' as const], now: NOON };
      const put = putOf(key, live('ACTIVE', { revision: 2 }), undefined, guards);
      for (const [what, error] of [
        ['a list by status', await errorOf(store.page(TENANT, { offset: 0, limit: 1, status }))],
        ['a start under a limit', await errorOf(store.change(put))],
        ['a begin under a limit', await errorOf(store.begin(beginOf(two, { guards })))],
      ] as const)
        expectEqual(error.type, 'misconfigured', what);
      expectEqual([await find(store), await find(store, two)], [before, undefined], 'the sessions');
    },
  },
  events: {
    'not checked: events (without: events)': async (store) => {
      expectEqual(await hasEvents(store), false, 'whether events.latest() returns a position');
    },
  },
  listen: {
    'not checked: listeners of events (without: listen)': async (store) => {
      if (!(await hasEvents(store))) return;
      expectEqual(typeof store.events?.listen, 'undefined', 'the type of events.listen');
    },
  },
};

/** Replaces the cases on damaged records. */
export const NO_CORRUPTION = 'not checked: damaged records (without the option corrupt)';
