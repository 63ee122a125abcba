import { ok } from 'neverthrow';
import type { ChangeDetail } from '../../session/event-detail.js';
import { timeAt } from '../../session/event-position.js';
import type { SessionEvent } from '../../session/session-event.js';
import { endReasons } from '../../session/session-status.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectEqual, expectThat, repeatUntil } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  change,
  find,
  key,
  made,
  put,
  putOf,
  raceOf,
  remove,
  tryBegin,
} from '../commits.js';
import { eventsAfter, latestPosition, listenTo, logOf } from '../event-steps.js';
import { messageOf } from '../inbox-steps.js';
import { ended, leaseOf, live, NOON, operationOf, TENANT, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

const operation = operationOf('op');
const lease = leaseOf(3, NOON + 1000);

type Detail = ChangeDetail extends infer D ? (D extends object ? Omit<D, 'at'> : never) : never;

const fencingToken = 3;
const endsAt = NOON + 5000;
const updated = { labelsChanged: ['title', 'user'], metadataChanged: true } as const;

/** Details in commits, and as events return them. */
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

export const events: Cases = {
  'events: every change has an event with its details, in order without gaps': async (store) => {
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
  'events: an event id is a unique session name, a dot and the sequence': async (store) => {
    const start = await latestPosition(store);
    await begin(store, key);
    await append(store, key, ['hello']);
    const version = (await find(store))?.historyVersion;
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
  'events: a commit has no, one or several events, with the next sequences': async (
    store,
    second,
  ) => {
    const start = await latestPosition(store);
    const fenced = { fence: { token: 3, now: NOON } };
    const of = (...types: readonly ('created' | 'appended' | 'sent')[]) =>
      types.map((type) => ({ type, at: NOON }));
    const send = { ...messageOf('m'), at: NOON, revision: 4 };
    const removal = { ...key, removal: '8' };
    const over = ended('time_limit', { revision: 8 });
    const renewal = { revision: 3, work: { lease: { ...lease, until: NOON + 2000 } } };
    const { guards, effects } = putOf(key, live('ACTIVE', renewal));
    const renewed = { key, guards, effects: { ...effects, events: [] } };
    const rest = { ...over, report: { removal: '8', dueAt: NOON, removedAt: NOON } };
    const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
      [2, () => begin(store, key, { state: live('IDLE'), events: of('created', 'appended') })],
      [1, () => put(store, key, live('ACTIVE', { work: { lease } }))],
      [0, () => made(store, renewed)],
      [1, () => append(store, key, ['hello', 'you'])],
      [1, () => append(store, key, ['hello'], { operation })],
      [1, () => append(store, key, ['leased'], fenced)],
      [2, () => append(store, key, ['x'], {}, { send, events: of('appended', 'sent') })],
      [1, () => put(store, key, over)],
      [1, () => remove(store, key, {}, { removal: '8', state: rest })],
      [0, () => put(store, removal, rest)],
      [0, () => remove(store, removal)],
    ];
    let count = 0;
    for (const [at, [added, step]] of steps.entries()) {
      await step();
      count += added;
      await expectSequences([store, second], start, firsts(count), `step ${at}`);
      const { sequence = count } = (await find(second)) ?? {};
      expectEqual(sequence, count, `the sequence after step ${at}`);
    }
    const ids = (await eventsAfter(store, start)).map(({ id }) => id);
    expectEqual(new Set(ids).size, count, 'the number of ids');
  },
  'events: of racing calls, only the one that is made has an event': async (store, second) => {
    const start = await latestPosition(store);
    const expectOne = async (
      count: number,
      what: string,
      write: (store: SessionStore, writer: number) => Promise<unknown>,
    ): Promise<void> => {
      await raceOf([store, second], write);
      await expectSequences([store, second], start, firsts(count), `a race of ${what}`);
    };
    const paused = putOf(key, live('PAUSED', { revision: 2 }), live('ACTIVE'));
    const once = appendOf(key, ['once'], { operation });
    await expectOne(1, 'begin', (each) => tryBegin(each, key));
    await expectOne(2, 'put', (each) => change(each, paused));
    await expectOne(3, 'append', (each) => change(each, once));
    await expectOne(53, 'appends', (each, writer) => append(each, key, [`${writer}`]));
    await expectOne(54, 'remove', (each) => remove(each, key));
    const found = await eventsAfter(store, start);
    expectEqual(await eventsAfter(second, start), found, 'the events that the other store reads');
  },
  'events: a reader continues after any position, page by page': async (store) => {
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
      expectThat(page.events.length <= 2, 'a page has at most limit events');
      expectEqual(page.isTrimmed, false, 'isTrimmed');
      paged.push(...page.events);
      position = page.position;
      return page.events.length === 0;
    });
    expectEqual(paged, all, 'the events of all pages');
    expectEqual(await latestPosition(store), all.at(-1)?.position, 'the latest position');
  },
  'events: the time of the log is never later than that of a later event': async (
    store,
    second,
  ) => {
    const [start, log] = [await latestPosition(store), logOf(store)];
    const now = () => answerOf(log.now(log.streamOf(TENANT)));
    const before = await now();
    expectThat(Number.isSafeInteger(before), 'the time is whole milliseconds');
    await begin(second, key);
    const [created] = await eventsAfter(store, start);
    const time = timeAt(created?.position ?? '');
    expectThat(time >= before, 'the event is not before its change');
    expectThat((await now()) >= time, 'the time after it is not before the event');
  },
  'events: each watch can open the log, which stays open': async (store, second) => {
    for (const each of [store, store, second]) {
      await answerOf(logOf(each).open?.() ?? ok());
      await latestPosition(each);
      expectEqual(logOf(each).isClosed?.() ?? false, false, 'events.isClosed()');
    }
  },
};

export const listeners: Cases = {
  'events: a listener is called after changes until it is stopped': async (
    store,
    second,
    timeoutMs,
  ) => {
    await begin(store, key);
    const first = listenTo(store, timeoutMs);
    await put(store, key, live('PAUSED'));
    await first.heard();
    first.stop();
    const callsBefore = first.calls();
    const other = listenTo(store, timeoutMs);
    await append(second, key, ['hello']);
    await other.heard();
    other.stop();
    expectEqual(first.calls(), callsBefore, 'calls of a listener that was stopped');
  },
};
