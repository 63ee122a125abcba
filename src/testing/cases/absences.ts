import { errorOf, expectEqual } from '../answers.js';
import { begin, find, key, putOf } from '../commits.js';
import { hasEvents } from '../event-steps.js';
import type { OptionalPart } from '../parts.js';
import { headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import type { Cases } from '../store-case.js';

const limit = { live: { sessions: 0, now: NOON } };

/**
 * What takes the place of the cases of a part that a store lacks. Their names tell the report what
 * was not checked. They fail on a store that has the part, or that ignores what it cannot do.
 */
export const absences: Readonly<Record<OptionalPart, Cases>> = {
  statuses: {
    'not checked: lists by status alone and limits of live sessions, which the store refuses (without: statuses)':
      async (store) => {
        await begin(store, key, { state: live('IDLE') });
        const before = await find(store);
        const status = { anyOf: ['IDLE' as const], now: NOON };
        const head = headOf('two');
        const effects = { head, state: live('ACTIVE'), entries: [], events: [] };
        const refusals = [
          await errorOf(store.page(TENANT, { offset: 0, limit: 1, status })),
          await errorOf(
            store.change(putOf(key, live('ACTIVE', { revision: 2 }), undefined, limit)),
          ),
          await errorOf(store.begin({ key: keyOf('two'), guards: limit, effects })),
        ];
        expectEqual(
          refusals.map(({ type }) => type),
          ['misconfigured', 'misconfigured', 'misconfigured'],
          'a list by status, and a start and a begin under a limit',
        );
        expectEqual(await find(store), before, 'the session');
        expectEqual(await find(store, keyOf('two')), undefined, 'another session');
      },
  },
  events: {
    'not checked: events, which the store does not have (without: events)': async (store) => {
      expectEqual(await hasEvents(store), false, 'whether events.latest() returns a position');
    },
  },
  listen: {
    'not checked: listeners, which the log of events does not take (without: listen)': async (
      store,
    ) => {
      if (!(await hasEvents(store))) return;
      expectEqual(typeof store.events?.listen, 'undefined', 'the type of events.listen');
    },
  },
};

/** What takes the place of the cases on records that cannot be read. */
export const NO_CORRUPTION =
  'not checked: records that cannot be read (the option corrupt is absent)';
