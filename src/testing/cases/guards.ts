import type { Counters } from '../../session/session.js';
import type {
  ChangeCommit,
  Guards,
  MessageToStore,
  StateChange,
  UseChange,
} from '../../store/commit.js';
import type { SessionStore } from '../../store/session-store.js';
import { expectEqual } from '../answers.js';
import {
  addGuarded,
  appendOf,
  begin,
  change,
  expectUnchanged,
  find,
  guardedState,
  key,
  made,
  type Places,
  refused,
  remove,
  said,
  theirs,
} from '../commits.js';
import { messageOf, sendOf } from '../inbox-steps.js';
import { ended, endingAfter, keyOf, leaseOf, live, NOON, OTHER, operationOf } from '../samples.js';
import type { Cases } from '../store-case.js';

/** The part of a change that a guard judges. */
interface Judged extends Guards {
  readonly truncate?: number;
  readonly message?: MessageToStore;
  /** What is spent, with the counter `free` that any session has. */
  readonly usage?: Counters;
}

/** A guard: what it refuses, the answer, and what it lets pass. */
interface GuardSample {
  readonly guard: string;
  readonly fails: (places: Places) => readonly Judged[];
  readonly holds: (places: Places) => readonly Judged[];
  /** The fields of the answer in addition to the guard. */
  readonly answer?: (places: Places) => object;
}

/** The guarded session after a message was sent to it. */
const judgedState = {
  ...guardedState,
  revision: 6,
  work: { ...guardedState.work, askedAt: NOON + 2000, inbox: 1 },
};

const addJudged = async (store: SessionStore): Promise<Places> => {
  const places = await addGuarded(store);
  await made(store, sendOf(messageOf('known'), {}, { at: NOON + 2000, revision: 6 }));
  return places;
};

const withState = () => ({ state: judgedState });

const withEnd = ({ end }: Places) => ({ position: end });

const inOrder: readonly GuardSample[] = [
  {
    guard: 'operation',
    fails: () => [{ operation: operationOf('op', OTHER) }],
    holds: () => [{ operation: operationOf('another') }],
  },
  {
    guard: 'message',
    fails: () => [{ message: messageOf('known', 'x', OTHER) }],
    holds: () => [{ message: messageOf('Known') }],
  },
  {
    guard: 'revision',
    fails: () => [{ revision: 5 }, { revision: 7 }, { revision: 60 }],
    holds: () => [{ revision: 6 }],
    answer: withState,
  },
  {
    guard: 'unusedSince',
    fails: () => [{ unusedSince: NOON - 1 }],
    holds: () => [{ unusedSince: NOON }, { unusedSince: NOON + 1 }],
    answer: withState,
  },
  {
    guard: 'open',
    fails: () => [{ open: NOON + 100 }, { open: NOON + 10_000 }],
    holds: () => [{ open: NOON + 99 }, { open: NOON - 10_000 }],
    answer: withState,
  },
  {
    guard: 'over',
    fails: () => [{ over: NOON + 99 }, { over: NOON - 10_000 }],
    holds: () => [{ over: NOON + 100 }],
    answer: withState,
  },
  {
    guard: 'fence',
    fails: () => [
      { fence: { token: 6, now: NOON } },
      { fence: { token: 8, now: NOON } },
      { fence: { token: 7, now: NOON + 50 } },
    ],
    holds: () => [{ fence: { token: 7, now: NOON + 49 } }],
    answer: withState,
  },
  {
    guard: 'counters',
    fails: () => [
      { usage: { tokens: 1, calls: 0 } },
      { usage: { Free: 1 } },
      { usage: { free: 1, tokens: 2 ** 53 - 5 } },
    ],
    holds: () => [{ usage: { free: 2 ** 53 - 1, tokens: 2 ** 53 - 6 } }, { usage: { tokens: 0 } }],
    answer: withState,
  },
  {
    guard: 'inbox',
    fails: () => [{ inbox: 0 }],
    holds: () => [{ inbox: 1 }, { inbox: 5 }],
  },
  {
    guard: 'end',
    fails: ({ first, superseded, end }) => [
      { end: 0 },
      { end: first },
      { end: superseded },
      { end: end + 1 },
    ],
    holds: ({ end }) => [{ end }],
    answer: withEnd,
  },
  {
    guard: 'position',
    fails: ({ end }) => [{ truncate: end + 1 }, { truncate: end + 1_000_000 }],
    holds: ({ end }) => [{ truncate: end }],
  },
  {
    guard: 'superseded',
    fails: ({ superseded }) => [{ truncate: superseded }],
    holds: ({ first }) => [{ truncate: first }, { truncate: 0 }],
    answer: withEnd,
  },
  {
    guard: 'entries',
    fails: ({ first }) => [{ entries: 3 }, { entries: 0 }, { entries: 2, truncate: first }],
    holds: ({ first }) => [{ entries: 4 }, { entries: 3, truncate: first }],
  },
];

const limit: GuardSample = {
  guard: 'live',
  fails: () => [{ live: { sessions: 1, now: NOON + 99 } }, { live: { sessions: 0, now: NOON } }],
  holds: () => [{ live: { sessions: 2, now: NOON } }, { live: { sessions: 1, now: NOON + 100 } }],
};

/** An append of two entries that also sends a message. */
const appendIf = (judged: Judged, of = key): UseChange => {
  const { truncate, message = messageOf('new'), ...guards } = judged;
  const send = { ...message, at: NOON, revision: 7 };
  const events = [
    { type: 'appended' as const, at: NOON },
    { type: 'sent' as const, at: NOON },
  ];
  return appendOf(of, ['four', 'five'], guards, { truncate, send, activity: NOON + 5, events });
};

const pauseIf = (judged: Judged, of = key): StateChange => {
  const { truncate, revision = 6, message: send, ...guards } = judged;
  const work = { askedAt: NOON, inbox: send === undefined ? 1 : 2 };
  const state = live('PAUSED', { revision: 7, labels: { user: 'bob' }, work });
  const { entries, events } = appendOf(of, ['four', 'five']).effects;
  const put = { state, previous: judgedState };
  const effects = { put, truncate, entries, send, events };
  return { key: of, guards: { revision, ...guards }, effects };
};

/** The most common append, at one time: stores may have a separate code path for it. */
const plainIf = ({ truncate, open = NOON, usage, ...guards }: Judged, of = key): UseChange => {
  const spend = usage && { usage, free: ['free'], at: NOON, revision: 7 };
  const events = [{ type: 'appended' as const, at: open }];
  const use = { truncate, activity: open, spend, events };
  return appendOf(of, ['four', 'five'], { open, ...guards }, use);
};

/** Plain appends cannot send messages, and only plain appends can spend. */
const changesOf = (judged: Judged, of = key): readonly ChangeCommit[] => [
  ...(judged.message === undefined ? [plainIf(judged, of)] : []),
  ...(judged.usage === undefined ? [appendIf(judged, of), pauseIf(judged, of)] : []),
];

const refusal = ({ guard, answer = () => ({}) }: GuardSample, places: Places) =>
  refused(guard, answer(places));

const refuses = (sample: GuardSample): Cases => ({
  [`guards: a change that fails ${sample.guard} writes nothing`]: async (store, second) => {
    const places = await addJudged(store);
    for (const judged of sample.fails(places)) {
      const what = JSON.stringify(judged);
      await expectUnchanged(second, `after a change with ${what}`, async () => {
        for (const commit of changesOf(judged))
          expectEqual(await change(store, commit), refusal(sample, places), what);
      });
    }
  },
});

const passes = (sample: GuardSample): Cases => ({
  [`guards: a change that passes ${sample.guard} is made`]: async (store) => {
    const places = await addJudged(store);
    const samples = sample
      .holds(places)
      .flatMap((judged, at) => changesOf(judged).map((_, kind) => ({ at, kind })));
    for (const { at, kind } of samples) {
      await remove(store, key);
      const [judged = {}] = sample.holds(await addJudged(store)).slice(at);
      const [commit = appendIf(judged)] = changesOf(judged).slice(kind);
      await made(store, commit);
      expectEqual((await said(store, key))?.at(-1), 'five', 'the last entry');
    }
  },
});

/** Whether two guards use the same field, so that a change can have only one of them. */
const isSame = (one: Judged, other: Judged): boolean =>
  Object.keys(one).some((name) => name in other);

const comesFirst = (sample: GuardSample, later: readonly GuardSample[]): Cases => ({
  [`guards: checks ${sample.guard} before ${later.map(({ guard }) => guard).join(', ')}`]: async (
    store,
  ) => {
    const places = await addJudged(store);
    const [first = {}] = sample.fails(places);
    for (const other of later) {
      const [judged = {}] = other.fails(places);
      if (isSame(first, judged)) continue;
      for (const commit of changesOf({ ...judged, ...first }))
        expectEqual(
          await change(store, commit),
          refusal(sample, places),
          `the answer where ${other.guard} does not hold either`,
        );
    }
  },
});

const ofEach = inOrder.map((sample, at): Cases => {
  const later = inOrder.slice(at + 1);
  const order = later.length > 0 && comesFirst(sample, later);
  return { ...refuses(sample), ...passes(sample), ...order };
});

export const guards: Cases = {
  'guards: a change of a missing session is refused by present before any other guard': async (
    store,
  ) => {
    await begin(store, key);
    for (const each of [keyOf('two'), theirs]) {
      const judged = { operation: operationOf('op'), revision: 4, inbox: 0, open: NOON, end: 3 };
      for (const commit of changesOf(judged, each))
        expectEqual(await change(store, commit), refused('present'), 'the answer');
      expectEqual(await find(store, each), undefined, 'a session that was never begun');
    }
  },
  ...Object.assign({}, ...ofEach),
  'guards: only ACTIVE and PAUSED sessions are open, and only until they end': async (store) => {
    const states = [
      { state: live('ACTIVE'), opens: [NOON, NOON + 1e9], overs: [] },
      { state: live('PAUSED', { deadline: NOON + 9 }), opens: [NOON + 8], overs: [NOON + 9] },
      { state: live('PAUSED', { terms: endingAfter(20) }), opens: [NOON + 1e9], overs: [] },
      { state: live('IDLE'), opens: [], overs: [NOON, 0] },
      { state: ended('failed'), opens: [], overs: [NOON, 0] },
    ];
    for (const [at, { state, opens, overs }] of states.entries()) {
      const each = keyOf(`s${at}`);
      await begin(store, each, { state });
      for (const time of [...opens, ...overs]) {
        const isOpen = opens.includes(time);
        const [holds, fails] = isOpen ? ['open', 'over'] : ['over', 'open'];
        await made(store, appendOf(each, ['x'], { [holds]: time }));
        const answer = await change(store, appendOf(each, ['x'], { [fails]: time }));
        expectEqual(answer, refused(fails, { state }), state.status);
      }
      for (const time of overs) {
        const answer = await change(store, plainIf({ open: time }, each));
        expectEqual(answer, refused('open', { state }), `a plain append, ${state.status}`);
      }
      for (const open of opens) await made(store, plainIf({ open }, each));
    }
  },
  'guards: an ACTIVE session is over after its inactivity timeout': async (store) => {
    const state = live('ACTIVE', { terms: endingAfter(20) });
    await begin(store, key, { state });
    await made(store, appendOf(key, ['x'], { open: NOON + 19 }, { activity: NOON + 15 }));
    await made(store, appendOf(key, ['y'], { open: NOON + 34 }));
    await made(store, appendOf(key, ['z'], { over: NOON + 35 }));
    const used = { ...state, lastActivityAt: NOON + 15 };
    for (const commit of [appendOf(key, ['x'], { open: NOON + 35 }), plainIf({ open: NOON + 35 })])
      expectEqual(await change(store, commit), refused('open', { state: used }), 'at the end');
    await made(store, plainIf({ open: NOON + 34 }));
  },
  'guards: a cancelled lease does not pass fence, even before its end': async (store) => {
    const lease = { ...leaseOf(7, NOON + 50), cancelled: { reason: 'gone' } };
    const state = live('ACTIVE', { work: { lease } });
    await begin(store, key, { state });
    const fence = { token: 7, now: NOON };
    for (const commit of [plainIf({ fence }), appendIf({ fence })])
      expectEqual(await change(store, commit), refused('fence', { state }), 'the answer');
  },
};

export const limitGuards: Cases = {
  ...refuses(limit),
  ...passes(limit),
  'guards: checks live after all others': async (store) => {
    const places = await addJudged(store);
    for (const sample of inOrder) {
      const judged = { ...sample.fails(places)[0], ...limit.fails(places)[0] };
      for (const commit of changesOf(judged))
        expectEqual(await change(store, commit), refusal(sample, places), sample.guard);
    }
  },
};
