import { ok } from 'neverthrow';
import { expectEqual } from '../expect-equal.js';
import type { OptionalPart } from '../parts.js';
import { headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import { errorOf, expectStored, insert, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { EventLog } from '../todays-store.js';

const key = keyOf('one');
const cap = { sessions: 0, now: NOON };
const started = live('ACTIVE', { revision: 2 });

/** Whether the log refuses to be opened or read, so that no watch can use it. */
const refusesReads = async (events: EventLog): Promise<boolean> => {
  const opened = await (events.open?.() ?? ok());
  if (opened.isErr()) return opened.error.type === 'misconfigured';
  const latest = await events.latest(events.streamOf(TENANT));
  return latest.isErr() && latest.error.type === 'misconfigured';
};

/**
 * What takes the place of the cases of a part that a store lacks. Their names tell the report what
 * was not checked. They fail on a store that has the part, or that ignores what it cannot do.
 */
export const absences: Readonly<Record<OptionalPart, StoreCase>> = {
  statuses: {
    name: 'not checked: lists by status alone and limits of live sessions, which the store refuses (without: statuses)',
    run: async (store) => {
      const stored = await insert(store, key);
      const range = { offset: 0, limit: 1, status: { anyOf: ['IDLE'], now: NOON } } as const;
      expectEqual(
        (await errorOf(store.list(TENANT, range))).type,
        'misconfigured',
        'a list by status',
      );
      expectEqual(
        (await errorOf(replacing(store, key, started, cap))).type,
        'misconfigured',
        'a start under a limit',
      );
      await expectStored(store, key, stored);
      const opened = store.insert(TENANT, headOf('two'), started, { entries: [], cap });
      expectEqual((await errorOf(opened)).type, 'misconfigured', 'an insert under a limit');
      await expectStored(store, keyOf('two'), undefined);
    },
  },
  events: {
    name: 'not checked: events, which the store does not have (without: events)',
    run: async ({ events }) => {
      if (events === undefined) return;
      expectEqual(await refusesReads(events), true, 'whether events.latest() is misconfigured');
    },
  },
  listen: {
    name: 'not checked: listeners, which the log of events does not take (without: listen)',
    run: async ({ events }) => {
      if (events?.listen === undefined || (await refusesReads(events))) return;
      expectEqual(typeof events.listen, 'undefined', 'the type of events.listen');
    },
  },
};

/** What takes the place of the cases on records that cannot be read. */
export const NO_CORRUPTION =
  'not checked: records that cannot be read (the option corrupt is absent)';
