import { ok } from 'neverthrow';
import type { ChangeDetail } from '../../session/event-detail.js';
import { timeAt } from '../../session/event-position.js';
import type { SessionEvent } from '../../session/session-event.js';
import { endReasons } from '../../session/session-status.js';
import type { ChangeCommit, SessionStore } from '../../store/session-store.js';
import { answerOf, repeatUntil } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  change,
  made,
  put,
  putOf,
  raceOf,
  remove,
  tryBegin,
} from '../commits.js';
import { eventsAfter, latestPosition, listenTo, logOf } from '../event-steps.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { key } from '../guarded.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { ended, keyOf, live, NOON, operationOf, TENANT, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

const operation = operationOf('op');
const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 1000 };

type Detail = ChangeDetail extends infer D ? (D extends object ? Omit<D, 'at'> : never) : never;

const fencingToken = 3;
const endsAt = NOON + 5000;
const updated = { labelsChanged: ['title', 'user'], metadataChanged: true } as const;

/** What a commit contains, and the details that are read. */
const details: readonly (readonly [Detail, object])[] = [
  ...(['started', 'paused', 'resumed', 'woken', 'cancelled', 'exhausted'] as const).map(
    (type) => [{ type }, {}] as const,
  ),
  [{ type: 'leased', fencingToken }, { fencingToken }],
  [{ type: 'released', fencingToken }, { fencingToken }],
  [{ type: 'extended', limitMs: 5000 }, { timeLimit: 5 }],
  [
    { type: 'extended', limitMs: 0, endsAt },
    { timeLimit: 0, endsAt: new Date(endsAt).toISOString() },
  ],
  [{ type: 'updated', ...updated }, updated],
  [{ type: 'updated', labelsChanged: ['a'] }, { labelsChanged: ['a'] }],
  ...endReasons.map((endReason) => [{ type: 'terminated', endReason }, { endReason }] as const),
];

const firsts = (count: number): readonly number[] => upTo(count).map((at) => at + 1);

/** Fails unless the events after a position, as each store reads them, have these sequences. */
const expectSequences = async (
  stores: readonly SessionStore[],
  position: string,
  sequences: readonly number[],
  what: string,
): Promise<void> => {
  for (const store of stores) {
    const found = (await eventsAfter(store, position)).map(({ sequence }) => sequence);
    expectEqual(found, sequences, `the sequences of the events after ${what}`);
  }
};

/** The cases of a store with events. */
export const events: readonly PortCase[] = [
  {
    name: 'events: every change has an event, in order, numbered without a gap, with its details',
    run: async (store) => {
      const start = await latestPosition(store);
      await begin(store, key);
      for (const [at, [event]] of details.entries()) {
        const { guards, effects } = putOf(key, live('ACTIVE', { revision: at + 2 }));
        const events = [{ ...event, at: NOON + at + 1 }];
        await made(store, { key, guards, effects: { ...effects, events } });
      }
      const found = await eventsAfter(store, start);
      const expected = details.map(([{ type }, detail], at) => ({
        ...detail,
        type: `session.${type}`,
        at: new Date(NOON + at + 1).toISOString(),
        sequence: at + 2,
        tenant: TENANT,
        sessionId: 'one',
      }));
      const withoutPlace = found.map(({ id: _, position: __, ...event }) => event);
      expectEqual(withoutPlace.slice(1), expected, 'the events');
    },
  },
  {
    name: 'events: the id of an event is a name of the session that no other has, a dot and the sequence',
    run: async (store) => {
      const start = await latestPosition(store);
      await begin(store, key);
      await append(store, key, ['hello']);
      const version = (await answerOf(store.find(key)))?.historyVersion;
      await remove(store, key);
      await begin(store, key);
      const ids = (await eventsAfter(store, start)).map(({ id }) => id);
      const [first = '', second = ''] = [ids[0], ids.at(-1)].map((id) => id?.split('.')[0]);
      const isPlain = /^[\w-]{1,64}$/.test(first);
      expectThat(isPlain, 'the name has 1 to 64 of the characters A-Z a-z 0-9 _ -');
      expectThat(first !== second, 'a new session under the id has its own');
      expectThat(version?.startsWith(`${first}.`) === true, 'the version names the session');
      const own = [1, 2, 3].map((sequence) => `${first}.${sequence}`);
      expectEqual(ids, [...own, `${second}.1`], 'the ids');
    },
  },
  {
    name: 'events: a change that was acknowledged has its event, whatever the change',
    run: async (store, second) => {
      for (const endReason of endReasons) {
        const start = await latestPosition(store);
        const of = keyOf(endReason);
        const fenced = { fence: { token: 3, now: NOON } };
        const steps: readonly (() => Promise<unknown>)[] = [
          () => begin(store, of, { state: live('IDLE') }),
          () => put(store, of, live('ACTIVE', { revision: 2, deadline: NOON + 1000 })),
          () => put(store, of, live('PAUSED', { revision: 3 })),
          () => put(store, of, live('ACTIVE', { revision: 4 })),
          () => put(store, of, live('ACTIVE', { revision: 5, work: { lease } })),
          () => append(store, of, ['hello', 'you']),
          () => append(store, of, ['hello'], { operation }),
          () => append(store, of, ['leased'], fenced),
          () => put(store, of, ended(endReason, { revision: 6 })),
          () => remove(store, of, { revision: 6 }),
        ];
        for (const [at, step] of steps.entries()) {
          await step();
          await expectSequences([store, second], start, firsts(at + 1), `step ${at + 1}`);
          const record = await answerOf(second.find(of));
          expectEqual(record?.sequence ?? 10, at + 1, `the sequence after step ${at + 1}`);
        }
      }
    },
  },
  {
    name: 'events: a call that was refused, or that has no events, has no event and no sequence',
    run: async (store, second) => {
      const state = live('ACTIVE', { deadline: NOON + 9, work: { lease } });
      await begin(store, key, { state });
      await append(store, key, ['hello'], { operation });
      const start = await latestPosition(store);
      const renewed = { lease: { ...lease, until: NOON + 2000 } };
      const quiet = live('ACTIVE', { revision: 2, deadline: NOON + 9, work: renewed });
      const other = operationOf('op', 'other content');
      const nobody = keyOf('nobody');
      const changes: readonly ChangeCommit[] = [
        putOf(key, live('PAUSED', { revision: 7 })),
        putOf(nobody, live('PAUSED', { revision: 2 })),
        appendOf(nobody, ['hello']),
        appendOf(key, ['hello'], { operation }),
        appendOf(key, ['hello'], { operation: other }),
        appendOf(key, ['more'], { open: NOON + 9 }),
        appendOf(key, ['more'], { fence: { token: 1, now: NOON } }),
        appendOf(key, ['more'], { end: 0 }),
        appendOf(key, ['more'], { entries: 1 }),
        {
          key,
          guards: { revision: 1 },
          effects: { put: { state: quiet, previous: state }, events: [] },
        },
        { key, guards: { dueAt: NOON + 9 }, effects: { dueAt: NOON + 5 } },
      ];
      for (const [at, each] of changes.entries()) {
        await change(store, each);
        await expectSequences([store, second], start, [], `change ${at}`);
      }
      await remove(store, nobody);
      await remove(store, key, { revision: 1 });
      await tryBegin(store, key);
      await expectSequences([store, second], start, [], 'refused removals and a refused begin');
      const { records } = await answerOf(store.page(TENANT, { offset: 0, limit: 10 }));
      const sequences = records.map(({ sequence }) => sequence);
      expectEqual(sequences, [2], 'the sequence on a page');
    },
  },
  {
    name: 'events: of calls that race for one change, one has an event',
    run: async (store, second) => {
      const start = await latestPosition(store);
      const expectOne = async (
        count: number,
        what: string,
        write: (store: SessionStore) => Promise<unknown>,
      ): Promise<void> => {
        await raceOf([store, second], write);
        await expectSequences([store, second], start, firsts(count), `a race of ${what}`);
      };
      const paused = putOf(key, live('PAUSED', { revision: 2 }), live('ACTIVE'));
      const once = appendOf(key, ['once'], { operation });
      await expectOne(1, 'begin', (each) => tryBegin(each, key));
      await expectOne(2, 'put', (each) => change(each, paused));
      await expectOne(3, 'append', (each) => change(each, once));
      await expectOne(4, 'remove', (each) => remove(each, key));
    },
  },
  {
    name: 'events: several changes at the same time have one event each, in the order of their numbers',
    run: async (store, second) => {
      const start = await latestPosition(store);
      await begin(store, key);
      await raceOf([store, second], (each, turn) => append(each, key, [`${turn}`]));
      await expectSequences([store, second], start, firsts(51), '50 appends');
      const found = await eventsAfter(store, start);
      expectEqual(await eventsAfter(second, start), found, 'the events that the other store reads');
      expectEqual(await latestPosition(second), await latestPosition(store), 'the latest position');
    },
  },
  {
    name: 'events: a reader continues after any position, page by page',
    run: async (store) => {
      const start = await latestPosition(store);
      expectEqual(await eventsAfter(store, start), [], 'the events of an empty store');
      await begin(store, key);
      for (const turn of upTo(20)) await append(store, key, [`${turn}`]);
      const all = await eventsAfter(store, start);
      expectEqual(all.length, 21, 'the number of events');
      for (const [at, { position }] of all.entries()) {
        const next = await eventsAfter(store, position);
        expectEqual(next, all.slice(at + 1), `the events after event ${at}`);
      }
      const log = logOf(store);
      const paged: SessionEvent[] = [];
      let position = start;
      await repeatUntil('a page without events', all.length, async () => {
        const page = await answerOf(log.read(log.streamOf(TENANT), position, 2));
        expectThat(page.events.length <= 2, 'a page has at most as many events as its limit');
        expectEqual(page.isTrimmed, false, 'isTrimmed');
        paged.push(...page.events);
        position = page.position;
        return page.events.length === 0;
      });
      expectEqual(paged, all, 'the events of all pages');
      expectEqual(await latestPosition(store), all.at(-1)?.position, 'the latest position');
    },
  },
  {
    name: 'events: the time of the log is never later than that of an event that comes after it',
    run: async (store, second) => {
      const [start, log] = [await latestPosition(store), logOf(store)];
      const now = () => answerOf(log.now(log.streamOf(TENANT)));
      const before = await now();
      expectThat(Number.isSafeInteger(before), 'the time is whole milliseconds');
      await begin(second, key);
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
      await begin(store, key);
      const found = structuredClone(await eventsAfter(store, start));
      mutateDeeply(await eventsAfter(store, start));
      expectEqual(await eventsAfter(store, start), found, 'the events that are read next');
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
export const listeners: readonly PortCase[] = [
  {
    name: 'events: a listener is called after a change until it is stopped',
    run: async (store, second, timeoutMs) => {
      await begin(store, key);
      const first = listenTo(store, timeoutMs);
      await put(store, key, live('PAUSED', { revision: 2 }));
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
