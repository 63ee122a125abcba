import { err, ok } from 'neverthrow';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import type { Answer, SessionStore } from '../../src/store/session-store.js';
import { headOf, keyOf, live, NOON, say, TENANT } from '../../src/testing/samples.js';
import { replaceUnread } from './replace-unread.js';

type Method = Exclude<keyof SessionStore, 'events' | 'reportsEnds' | 'drain'>;

const key = keyOf('one');

/** Every method of a store, each with arguments that it can do something with. */
export const storeCalls: Readonly<
  Record<Method, (store: SessionStore) => Answer<unknown, StoreError | TooLarge | SearchTooLarge>>
> = {
  insert: (store) => store.insert(TENANT, headOf('one'), live('IDLE', { deadline: NOON + 1 })),
  find: (store) => store.find(key),
  findState: (store) => store.findState(key),
  list: (store) => store.list(TENANT, { offset: 0, limit: 10 }),
  replace: (store) =>
    replaceUnread(store, key, live('ACTIVE', { revision: 2, deadline: NOON + 1 })),
  append: (store) => store.append(key, { entries: [say('hello')], now: NOON }),
  redact: (store) => store.redact(key, [1], NOON),
  entries: (store) => store.entries(key, { limit: 10 }),
  remove: (store) => store.remove(key),
  reschedule: (store) => store.reschedule(key, { from: NOON + 1, to: NOON + 2 }),
  due: async (store) => {
    // The first failure of a part is the error.
    const answer = await store.due(NOON, 10);
    return answer.andThen(({ sessions, failed: [failure] }) =>
      failure === undefined ? ok(sessions) : err(failure),
    );
  },
  claim: async (store) => {
    const answer = await store.claim({ tenant: TENANT, now: NOON, until: NOON + 1, limit: 10 });
    return answer.andThen(({ sessions, failed: [failure] }) =>
      failure === undefined ? ok(sessions) : err(failure),
    );
  },
  countWaiting: (store) => store.countWaiting({ tenant: TENANT, now: NOON, limit: 10 }),
};

export const methods: readonly Method[] = [
  ...([
    'insert',
    'find',
    'findState',
    'list',
    'replace',
    'append',
    'redact',
    'entries',
    'remove',
    'due',
    'reschedule',
    'claim',
    'countWaiting',
  ] as const),
];

/** The methods that change nothing: when they fail, nothing was applied. */
export const reads: ReadonlySet<Method> = new Set<Method>([
  ...(['find', 'findState', 'list', 'entries', 'due', 'countWaiting'] as const),
]);
