import { err, ok } from 'neverthrow';
import { planRemove } from '../../src/plan/remove.js';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import type { Answer, SessionStore } from '../../src/store/session-store.js';
import { beginOf, putOf } from '../../src/testing/commits.js';
import { keyOf, live, NOON, TENANT } from '../../src/testing/samples.js';

type Method = Exclude<keyof SessionStore, 'events' | 'reportsEnds' | 'drain' | 'within'>;

const key = keyOf('one');
const idle = live('IDLE', { deadline: NOON + 1 });
const active = live('ACTIVE', { revision: 2, deadline: NOON + 1 });

/** Calls every method of a store with valid arguments. */
export const storeCalls: Readonly<
  Record<Method, (store: SessionStore) => Answer<unknown, StoreError | TooLarge | SearchTooLarge>>
> = {
  begin: (store) => store.begin(beginOf(key, { state: idle })),
  find: (store) => store.find(key),
  findState: (store) => store.findState(key),
  page: (store) => store.page(TENANT, { offset: 0, limit: 10 }),
  change: (store) => store.change(putOf(key, active, idle)),
  messages: (store) => store.messages(key),
  entries: (store) => store.entries(key, { limit: 10 }),
  remove: (store) => store.remove(planRemove(key, NOON)),
  due: async (store) => {
    // Returns the first error of a partition.
    const answer = await store.due(NOON, 10);
    return answer.andThen(({ sessions, failed: [failure] }) =>
      failure === undefined ? ok(sessions) : err(failure),
    );
  },
  take: async (store) => {
    const answer = await store.take({ tenant: TENANT, now: NOON, until: NOON + 1, limit: 10 });
    return answer.andThen(({ sessions, failed: [failure] }) =>
      failure === undefined ? ok(sessions) : err(failure),
    );
  },
  countWaiting: (store) => store.countWaiting({ tenant: TENANT, now: NOON, limit: 10 }),
};

export const methods: readonly Method[] = [
  'begin',
  'find',
  'findState',
  'page',
  'change',
  'messages',
  'entries',
  'remove',
  'due',
  'take',
  'countWaiting',
];

/** Methods that only read: if one fails, nothing was applied. */
export const reads: ReadonlySet<Method> = new Set<Method>([
  'find',
  'findState',
  'page',
  'messages',
  'entries',
  'due',
  'countWaiting',
]);
