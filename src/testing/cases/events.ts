import { ok } from 'neverthrow';
import { timeAt } from '../../session/event-position.js';
import type { SessionEvent } from '../../session/session-event.js';
import { eventsAfter, latestPosition, listenTo, logOf } from '../event-steps.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import {
  answerOf,
  append,
  insert,
  insertActive,
  repeatUntil,
  replace,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const brief = ({ type, sequence, sessionId }: SessionEvent) => [type, sequence, sessionId];

/** The cases of a store with events. */
export const events: readonly StoreCase[] = [
  {
    name: 'events: every change has an event, in order, numbered without a gap, with its details',
    run: async (store) => {
      const start = await latestPosition(store);
      await insert(store, key, headOf('one', NOON - 5));
      await replace(store, key, live('ACTIVE', { revision: 2, since: NOON + 1 }));
      const position = await append(store, key, ['hello', 'you']);
      await replace(store, key, live('PAUSED', { revision: 3, since: NOON + 2 }));
      await replace(store, key, live('ACTIVE', { revision: 4, since: NOON + 3 }));
      await append(store, key, ['bye'], 'op');
      await replace(store, key, ended('time_limit', { revision: 5, since: NOON + 4 }));
      const record = await answerOf(store.find(key));
      expectEqual(record?.sequence, 7, 'sequence in the record');
      expectEqual(await answerOf(store.remove(key, { now: NOON + 9 })), 'removed', 'remove');
      const told = await eventsAfter(store, start);
      const types = [
        'created',
        'started',
        'appended',
        'paused',
        'resumed',
        'appended',
        'terminated',
        'deleted',
      ];
      expectEqual(
        told.map(brief),
        types.map((type, at) => [`session.${type}`, at + 1, 'one']),
        'the events',
      );
      const times = [-5, 1, 0, 2, 3, 0, 4, 9].map((ms) => new Date(NOON + ms).toISOString());
      expectEqual(
        told.map(({ at }) => at),
        times,
        'their times',
      );
      expectThat(new Set(told.map(({ id }) => id)).size === 8, 'every event has an id of its own');
      expectThat(
        told.every(({ tenant }) => tenant === TENANT),
        'every event names its tenant',
      );
      const [, , appended, , , , terminated] = told;
      const ends = told.flatMap((event) =>
        event.type === 'session.appended' ? [[event.start, event.historyPosition]] : [],
      );
      expectEqual(
        ends,
        [
          [0, position],
          [position, record?.historyPosition],
        ],
        'where the entries start and end',
      );
      const [incarnation] = appended?.id.split('.') ?? [];
      expectThat(
        record?.historyVersion.startsWith(`${incarnation}.`) === true,
        'the version names the session',
      );
      expectEqual(
        terminated?.type === 'session.terminated' && terminated.endReason,
        'time_limit',
        'endReason',
      );
    },
  },
  {
    name: 'events: the id of an event is a name of the session that no other has, a dot and the sequence',
    run: async (store) => {
      const start = await latestPosition(store);
      await insertActive(store, key);
      await append(store, key, ['hello']);
      await answerOf(store.remove(key));
      await insert(store, key);
      const ids = (await eventsAfter(store, start)).map(({ id }) => id);
      const [first = '', second = ''] = [ids[0], ids.at(-1)].map((id) => id?.split('.')[0]);
      expectThat(
        /^[\w-]{1,64}$/.test(first),
        'the name has 1 to 64 of the characters A-Z a-z 0-9 _ -',
      );
      expectThat(first !== second, 'a new session under the id has its own');
      const own = [1, 2, 3, 4].map((sequence) => `${first}.${sequence}`);
      expectEqual(ids, [...own, `${second}.1`], 'the ids');
    },
  },
  {
    name: 'events: a call that writes nothing has no event',
    run: async (store) => {
      await insertActive(store, key);
      const before = await latestPosition(store);
      await answerOf(replacing(store, key, live('PAUSED', { revision: 7 })));
      await answerOf(replacing(store, keyOf('nobody'), live('PAUSED', { revision: 3 })));
      await answerOf(store.append(keyOf('nobody'), { entries: [say('hello')], now: NOON }));
      await answerOf(store.append(key, { entries: [say('hello')], now: NOON, maxEntries: 0 }));
      await answerOf(store.remove(keyOf('nobody')));
      await answerOf(store.remove(key, { revision: 1 }));
      expectEqual(await eventsAfter(store, before), [], 'the events');
      await answerOf(replacing(store, key, ended('failed', { revision: 3 })));
      const after = await latestPosition(store);
      await answerOf(store.append(key, { entries: [say('late')], now: NOON }));
      expectEqual(await eventsAfter(store, after), [], 'the events after a refused append');
    },
  },
  {
    name: 'events: a reader continues after any position, page by page',
    run: async (store) => {
      const start = await latestPosition(store);
      expectEqual(await eventsAfter(store, start), [], 'the events of an empty store');
      await insertActive(store, key);
      for (const turn of upTo(20)) await append(store, key, [`${turn}`]);
      const all = await eventsAfter(store, start);
      expectEqual(all.length, 22, 'the number of events');
      for (const [at, { position }] of all.entries()) {
        const next = await eventsAfter(store, position);
        expectEqual(next.map(brief), all.slice(at + 1).map(brief), `the events after event ${at}`);
      }
      const log = logOf(store);
      const paged: SessionEvent[] = [];
      let position = start;
      await repeatUntil('a page without events', all.length, async () => {
        const page = await answerOf(log.read(log.streamOf(TENANT), position, 2));
        expectThat(
          page.events.length <= 2,
          'a page holds at most as many events as were asked for',
        );
        expectEqual(page.isTrimmed, false, 'isTrimmed');
        paged.push(...page.events);
        position = page.position;
        return page.events.length === 0;
      });
      expectEqual(paged, all, 'the events of all pages');
      expectEqual(await latestPosition(store), all.at(-1)?.position, 'the latest position');
      expectEqual(
        await eventsAfter(store, await latestPosition(store)),
        [],
        'the events after the latest',
      );
    },
  },
  {
    name: 'events: a repeated call that the store recognises has no second event',
    run: async (store) => {
      const start = await latestPosition(store);
      await insertActive(store, key);
      await append(store, key, ['once'], 'op');
      await append(store, key, ['once'], 'op');
      await answerOf(store.insert(TENANT, headOf('one'), live('IDLE')));
      expectEqual(
        (await eventsAfter(store, start)).map(({ sequence }) => sequence),
        [1, 2, 3],
        'the numbers',
      );
    },
  },
  {
    name: 'events: a new session under a removed id has events of its own',
    run: async (store) => {
      const start = await latestPosition(store);
      await insert(store, key);
      await answerOf(store.remove(key));
      await insert(store, key);
      const told = await eventsAfter(store, start);
      expectEqual(
        told.map(({ type, sequence }) => [type, sequence]),
        [
          ['session.created', 1],
          ['session.deleted', 2],
          ['session.created', 1],
        ],
        'the events',
      );
      expectThat(told[0]?.id !== told[2]?.id, 'the two creations have ids of their own');
    },
  },
  {
    name: 'events: several changes at the same time have one event each, in the order of their numbers',
    run: async (store, second) => {
      const start = await latestPosition(store);
      await insertActive(store, key);
      await Promise.all(
        upTo(20).map((turn) =>
          append(
            turn % 2 === 0 ? store : second,
            key,
            [`${turn}`],
            turn % 3 === 0 ? `op-${turn}` : undefined,
          ),
        ),
      );
      expectEqual(
        (await eventsAfter(store, start)).map(({ sequence }) => sequence),
        upTo(22).map((at) => at + 1),
        'the numbers, in their order',
      );
    },
  },
  {
    name: 'events: two stores have the same events',
    run: async (store, second) => {
      const start = await latestPosition(store);
      await insert(second, key);
      await replace(store, key, live('ACTIVE', { revision: 2 }));
      await append(second, key, ['hello']);
      await answerOf(store.remove(key));
      const told = await eventsAfter(store, start);
      expectEqual(
        told.map(({ type, sequence }) => [type, sequence]),
        ['created', 'started', 'appended', 'deleted'].map((type, at) => [
          `session.${type}`,
          at + 1,
        ]),
        'the events',
      );
      expectEqual(await eventsAfter(second, start), told, 'the events that the second store reads');
      expectEqual(await latestPosition(second), await latestPosition(store), 'the latest position');
    },
  },
  {
    name: 'events: the time of the log is never later than that of an event that comes after it',
    run: async (store, second) => {
      const [start, log] = [await latestPosition(store), logOf(store)];
      const now = () => answerOf(log.now(log.streamOf(TENANT)));
      const before = await now();
      expectThat(Number.isSafeInteger(before), 'the time is whole milliseconds');
      await insert(second, key);
      const [created] = await eventsAfter(store, start);
      const time = timeAt(created?.position ?? '');
      expectThat(time >= before, 'the event has the time before its change, or a later one');
      expectThat((await now()) >= time, 'the time after it is that of the event, or a later one');
    },
  },
  {
    name: 'events: changing a page of events changes nothing in the store',
    run: async (store) => {
      const start = await latestPosition(store);
      await insertActive(store, key);
      const told = structuredClone(await eventsAfter(store, start));
      mutateDeeply(await eventsAfter(store, start));
      expectEqual(await eventsAfter(store, start), told, 'the events that are read next');
    },
  },
  {
    name: 'events: the log can be opened by each watch, and is not closed while its client is open',
    run: async (store, second) => {
      for (const each of [store, store, second]) {
        await answerOf(logOf(each).open?.() ?? ok());
        await latestPosition(each);
        expectEqual(logOf(each).isClosed?.() ?? false, false, 'events.isClosed()');
      }
    },
  },
];

/** For a log that takes listeners. */
export const listeners: readonly StoreCase[] = [
  {
    name: 'events: a listener is called after a change until it is stopped',
    run: async (store, second, timeoutMs) => {
      await insert(store, key);
      const first = listenTo(store, timeoutMs);
      await replace(store, key, live('ACTIVE', { revision: 2 }));
      await first.heard();
      first.stop();
      const callsBefore = first.calls();
      const other = listenTo(store, timeoutMs);
      await append(second, key, ['hello']);
      await other.heard();
      other.stop();
      expectEqual(first.calls(), callsBefore, 'calls of a listener that was stopped');
    },
  },
];
