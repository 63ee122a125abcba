import type { SessionEvent } from '../../events/event.js';
import type { EventLog, SessionStore } from '../../store.js';
import { expectEqual, expectThat } from '../expect.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import { answerOf, append, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const logOf = ({ events }: SessionStore): EventLog => {
  if (events === undefined) throw new Error('the store tells no events');
  return events;
};

const BEGINNING = '0';

const toldSince = async (store: SessionStore, position = BEGINNING): Promise<readonly SessionEvent[]> => {
  const log = logOf(store);
  const page = await answerOf(log.read(log.streamOf(TENANT), position, 10_000));
  return page.events;
};

const latest = async (store: SessionStore): Promise<string> => {
  const log = logOf(store);
  return answerOf(log.latest(log.streamOf(TENANT)));
};

const brief = ({ type, sequence, sessionId }: SessionEvent) => [type, sequence, sessionId];

/** The cases of a store that tells events. */
export const events: readonly StoreCase[] = [
  {
    name: 'events: every change is told, in order and numbered without a gap, with what there is to tell of it',
    run: async (store) => {
      await insert(store, key, headOf('one', NOON - 5));
      await replace(store, key, live('ACTIVE', { revision: 2, since: NOON + 1 }));
      const position = await append(store, key, ['hello', 'you']);
      await replace(store, key, live('PAUSED', { revision: 3, since: NOON + 2 }));
      await replace(store, key, live('ACTIVE', { revision: 4, since: NOON + 3 }));
      await append(store, key, ['bye'], 'op');
      await replace(store, key, ended('time_limit', { revision: 5, since: NOON + 4 }));
      const record = await answerOf(store.find(key));
      expectEqual(record?.sequence, 7, 'the number of the last change in the record');
      expectEqual(await answerOf(store.remove(key, { now: NOON + 9 })), 'removed', 'remove');
      const told = await toldSince(store);
      const types = ['created', 'started', 'appended', 'paused', 'resumed', 'appended', 'terminated', 'deleted'];
      expectEqual(
        told.map(brief),
        types.map((type, at) => [`session.${type}`, at + 1, 'one']),
        'what was told',
      );
      const times = [-5, 1, 0, 2, 3, 0, 4, 9].map((ms) => new Date(NOON + ms).toISOString());
      expectEqual(
        told.map(({ at }) => at),
        times,
        'when it was',
      );
      expectThat(new Set(told.map(({ id }) => id)).size === 8, 'every event has an id of its own');
      expectThat(
        told.every(({ tenant }) => tenant === TENANT),
        'every event names its tenant',
      );
      const [, , appended, , , , terminated] = told;
      expectEqual(appended?.type === 'session.appended' && appended.historyPosition, position, 'historyPosition');
      expectEqual(terminated?.type === 'session.terminated' && terminated.endReason, 'time_limit', 'endReason');
    },
  },
  {
    name: 'events: what was not written is not told',
    run: async (store) => {
      await insertActive(store, key);
      const before = await latest(store);
      await answerOf(store.replace(key, live('PAUSED', { revision: 7 })));
      await answerOf(store.replace(keyOf('nobody'), live('PAUSED', { revision: 3 })));
      await answerOf(store.append(keyOf('nobody'), { entries: [say('hello')], now: NOON }));
      await answerOf(store.append(key, { entries: [say('hello')], now: NOON, mostEntries: 0 }));
      await answerOf(store.remove(keyOf('nobody')));
      await answerOf(store.remove(key, { revision: 1 }));
      expectEqual(await toldSince(store, before), [], 'what was told');
      await answerOf(store.replace(key, ended('failed', { revision: 3 })));
      const after = await latest(store);
      await answerOf(store.append(key, { entries: [say('late')], now: NOON }));
      expectEqual(await toldSince(store, after), [], 'what was told of a refused append');
    },
  },
  {
    name: 'events: a reader goes on behind any position, a page at a time',
    run: async (store) => {
      await insertActive(store, key);
      for (const turn of upTo(7)) await append(store, key, [`${turn}`]);
      const all = await toldSince(store);
      for (const [at, { position }] of all.entries()) {
        expectEqual((await toldSince(store, position)).map(brief), all.slice(at + 1).map(brief), `behind event ${at}`);
      }
      const log = logOf(store);
      const paged: SessionEvent[] = [];
      for (let position = BEGINNING; paged.length < all.length; ) {
        const page = await answerOf(log.read(log.streamOf(TENANT), position, 2));
        expectThat(page.events.length > 0 && page.events.length <= 2, 'a page holds as many as were asked for');
        expectEqual(page.isTrimmed, false, 'isTrimmed');
        paged.push(...page.events);
        position = page.position;
      }
      expectEqual(paged, all, 'page by page');
      expectEqual(await latest(store), all.at(-1)?.position, 'the latest position');
      expectEqual(await toldSince(store, await latest(store)), [], 'behind the latest');
    },
  },
  {
    name: 'events: what is recognised as made before may be told again, under the same id and number',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['once'], 'op');
      await append(store, key, ['once'], 'op');
      await answerOf(store.insert(TENANT, headOf('one'), live('IDLE')));
      await answerOf(logOf(store).repeat(key));
      const told = await toldSince(store);
      const byNumber = new Map<number, string>();
      for (const { sequence, id } of told) {
        expectEqual(id, byNumber.get(sequence) ?? id, `the id of event ${sequence}`);
        byNumber.set(sequence, id);
      }
      expectEqual([...byNumber.keys()].toSorted(), [1, 2, 3], 'the numbers');
    },
  },
  {
    name: 'events: a session that is created again under an id is another one',
    run: async (store) => {
      await insert(store, key);
      await answerOf(store.remove(key));
      await insert(store, key);
      const told = await toldSince(store);
      expectEqual(
        told.map(brief).map(([type, sequence]) => [type, sequence]),
        [
          ['session.created', 1],
          ['session.deleted', 2],
          ['session.created', 1],
        ],
        'what was told',
      );
      expectThat(told[0]?.id !== told[2]?.id, 'the two creations have ids of their own');
    },
  },
  {
    name: 'events: of changes that race, each is told with a number of its own',
    run: async (store) => {
      await insertActive(store, key);
      await Promise.all(
        upTo(20).map((turn) => append(store, key, [`${turn}`], turn % 2 === 0 ? `op-${turn}` : undefined)),
      );
      const numbers = (await toldSince(store)).map(({ sequence }) => sequence);
      expectEqual(new Set(numbers).size, 22, 'how many numbers');
      expectEqual(Math.max(...numbers), 22, 'the highest number');
    },
  },
];
