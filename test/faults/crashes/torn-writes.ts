import type { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionService } from '../../../src/index.js';
import { idOfIdempotencyKey } from '../../../src/session/ids.js';
import type { PendingReport } from '../../../src/session/session-record.js';
import { endByClock } from '../../../src/session/time-limits.js';
import { answerOf } from '../../../src/testing/answers.js';
import { due, putOf, remove, tryBegin } from '../../../src/testing/commits.js';
import { type InboxUse, inboxOf, messageOf, sendOf } from '../../../src/testing/inbox-steps.js';
import { say } from '../../../src/testing/samples.js';
import { NOON } from '../../support/manual-clock.js';
import type { TestClient } from '../../support/redis-clients.js';
import { rewindTo } from '../../support/rewind-to.js';
import { ada, okOf } from '../../support/sessions.js';

/** What a write works with. */
export interface Bench {
  readonly client: TestClient;
  readonly store: RedisSessionStore;
  /** Whether the store keeps events. */
  readonly events: boolean;
  readonly sessions: SessionService;
  /** The same sessions, for which a limit holds how long they may be idle. */
  readonly impatient: SessionService;
}

/**
 * One kind of write: what is there before it, and the write itself, which its caller may repeat.
 */
export interface Write {
  readonly name: string;
  readonly prepare: (bench: Bench) => Promise<unknown>;
  readonly run: (bench: Bench) => Promise<unknown>;
  /** Whether a repetition under its name must change nothing. */
  readonly isRepeatable: boolean;
  /** Whether it supersedes what came later than the entry that it follows. */
  readonly isRewind: boolean;
  /** Whether it changes a state and what belongs to it, for example the inbox, in one step. */
  readonly isStated: boolean;
  /** Whether it is among the few of a short run. */
  readonly isShort: boolean;
  /**
   * Whether it consists of several writes: after two crashes, each is stored completely or not at
   * all.
   */
  readonly isGroup: boolean;
}

/** The session that the writes are about; the session `s1` is touched by none of them. */
export const TARGET = 's2';

/** The id of a session that a write creates. */
export const CREATED = await idOfIdempotencyKey('default', 'the-write');

/** The id of a session that is created after a crash. */
export const LATER = await idOfIdempotencyKey('default', 'later');

const target = { tenant: 'default', id: TARGET };

/** Later than any deadline. */
const FAR = Date.UTC(2100, 0);

export const said = (content: string) => ({
  role: 'user',
  content,
  timestamp: '2026-01-31T12:00:00.000Z',
});

const named = { operationId: 'the-write' };
const keyed = { ...ada, idempotencyKey: 'the-write' };

const talk = async ({ sessions }: Bench): Promise<void> => {
  await okOf(sessions.append(TARGET, [said('one'), said('two')]));
  await okOf(sessions.append(TARGET, [said('three')], { operationId: 'third' }));
};

const started = (timeLimit: number) => async (bench: Bench) => {
  await okOf(bench.sessions.create({ ...ada, timeLimit }));
  await okOf(bench.sessions.start(TARGET));
  await talk(bench);
};

/** A history that was rewound before, whose last rewind has no entries. */
const rewound = async (bench: Bench): Promise<void> => {
  await started(0)(bench);
  const after = await firstOf(bench.sessions);
  const { position } = await okOf(
    rewindTo(bench.sessions, TARGET, after, [said('four'), said('five')]),
  );
  await okOf(rewindTo(bench.sessions, TARGET, position));
};

/** The position of the first entry of the target. */
const firstOf = async (sessions: SessionService): Promise<number> =>
  (await okOf(sessions.history(TARGET, { after: 0, limit: 1 }))).position;

/** The position at the end of the target. */
const endOf = async (sessions: SessionService): Promise<number> =>
  (await okOf(sessions.history(TARGET, { last: 1 }))).position;

/** The ids of all messages. */
export const MESSAGES = ['m1', 'm2', 'm3', 'm4'];

const nothing = async (): Promise<void> => {};

export const LABELS = { kind: 'call', team: 'a' };
const holder = { holder: 'worker', seconds: 60 };

const leased = async (bench: Bench): Promise<void> => {
  await started(600)(bench);
  await okOf(bench.sessions.lease(TARGET, holder));
};

/**
 * Without a limit, because a repair does not touch the work of what has ended by the real clock.
 */
const woken = async (bench: Bench): Promise<void> => {
  await started(0)(bench);
  await okOf(bench.sessions.wake(TARGET));
};

const claimed = async (bench: Bench): Promise<void> => {
  await woken(bench);
  await okOf(bench.sessions.claim(holder));
};

/** Spends by name, alone or with an entry. */
const spendBy = ({ sessions }: Bench, by: 'append' | 'spend', tokens = 5): Promise<unknown> => {
  const usage = { tokens };
  if (by === 'spend') return okOf(sessions.spend(TARGET, usage, named));
  return okOf(sessions.append(TARGET, [said('last')], { usage, ...named }));
};

const budgeted = async (bench: Bench): Promise<void> => {
  const { id } = await okOf(bench.sessions.create({ ...ada, budget: { tokens: 100 } }));
  await okOf(bench.sessions.start(id));
  await talk(bench);
};

const spent = async (bench: Bench): Promise<void> => {
  await budgeted(bench);
  await okOf(bench.sessions.spend(TARGET, { tokens: 10 }, { operationId: 'an-earlier-write' }));
};

/** Sends a message to the target, unless it was sent before. */
const send =
  (id: string, revision = 1000 + Number(id.slice(1))) =>
  ({ store }: Bench): Promise<unknown> =>
    answerOf(store.change(sendOf(messageOf(id), {}, { revision, of: target })));

/** Changes the inbox of the target if a message waits, or was never sent. */
const inboxUse =
  (id: string, use: InboxUse) =>
  async ({ store }: Bench): Promise<void> => {
    const [message] = await answerOf(store.messages(target, [id]));
    const state = await answerOf(store.findState(target));
    if (state === undefined || (message !== undefined && message.entry === undefined)) return;
    const { guards, effects } = inboxOf(state, use);
    await answerOf(store.change({ key: target, guards, effects }));
  };

const asked = async (bench: Bench): Promise<void> => {
  await started(0)(bench);
  for (const id of MESSAGES.slice(0, 3)) await send(id)(bench);
};

const turning = async (bench: Bench): Promise<void> => {
  await asked(bench);
  await okOf(bench.sessions.claim(holder));
};

const answered = async (bench: Bench): Promise<void> => {
  await asked(bench);
  await inboxUse('m1', { take: { messages: 2, turn: 1 } })(bench);
};

/** The fencing token of the target's lease. */
const tokenOf = async ({ store }: Bench): Promise<number> =>
  (await answerOf(store.findState(target)))?.work.lease?.fencingToken ?? 1;

/** Stores the report of the target's end that must be made, or that it was made. */
const report = async ({ store }: Bench, pending?: PendingReport): Promise<void> => {
  const previous = await answerOf(store.findState(target));
  if (previous === undefined) return;
  const { report: _, ...rest } = previous;
  const next = { ...rest, revision: previous.revision + 1, ...(pending && { report: pending }) };
  await answerOf(store.change(putOf(target, next, previous)));
};

const removed = async (bench: Bench): Promise<void> => {
  await started(600)(bench);
  await okOf(bench.sessions.delete(TARGET));
};

const removeRemains = async ({ store }: Bench): Promise<void> => {
  const left = (await due(store, FAR)).find(({ removal }) => removal !== undefined);
  if (left !== undefined) await remove(store, left);
};

const waitingEnd = async (bench: Bench): Promise<void> => {
  await started(600)(bench);
  const state = await answerOf(bench.store.findState(target));
  const ended = state && endByClock(state, FAR);
  if (ended === undefined) return;
  const next = { ...ended, report: { removal: '3', dueAt: ended.since } };
  await answerOf(bench.store.change(putOf(target, next, state)));
};

const write = (
  name: string,
  prepare: Write['prepare'],
  run: Write['run'],
  {
    isRepeatable = true,
    isRewind = false,
    isStated = false,
    isShort = false,
    isGroup = false,
  }: Partial<Write> = {},
): Write => ({ name, prepare, run, isRepeatable, isRewind, isStated, isShort, isGroup });

export const writes: readonly Write[] = [
  write('create', nothing, ({ sessions }) => okOf(sessions.create(keyed))),
  write('create with labels and a deadline', nothing, ({ impatient }) =>
    okOf(impatient.create({ ...keyed, labels: LABELS })),
  ),
  write(
    'create with an opening',
    nothing,
    ({ sessions }) =>
      okOf(sessions.create({ ...keyed, timeLimit: 600, start: true, entries: [said('hello')] })),
    { isShort: true },
  ),
  write('create a fork', rewound, async ({ sessions }) => {
    const from = { id: TARGET, position: await firstOf(sessions) };
    return okOf(sessions.create({ ...keyed, from, entries: [said('instead')] }));
  }),
  write(
    'create in the place of one that was deleted',
    async ({ sessions }) => {
      const { id } = await okOf(sessions.create(keyed));
      await okOf(sessions.delete(id));
    },
    ({ impatient }) => okOf(impatient.create(keyed)),
  ),
  write(
    'start with a deadline',
    ({ sessions }) => okOf(sessions.create({ ...ada, timeLimit: 600 })),
    (bench) => okOf(bench.sessions.start(TARGET, named)),
  ),
  write(
    'start, which takes a deadline away',
    ({ impatient }) => okOf(impatient.create(ada)),
    (bench) => okOf(bench.sessions.start(TARGET, named)),
  ),
  write('pause, which puts a deadline off', started(600), ({ impatient }) =>
    okOf(impatient.pause(TARGET, named)),
  ),
  write('terminate', started(600), ({ sessions }) => okOf(sessions.terminate(TARGET, named))),
  write(
    'append',
    started(0),
    ({ sessions }) => okOf(sessions.append(TARGET, [said('last'), said('of all')])),
    {
      isRepeatable: false,
    },
  ),
  write('append by name', started(0), ({ sessions }) =>
    okOf(sessions.append(TARGET, [said('last'), said('of all')], named)),
  ),
  write('append with usage', budgeted, (bench) => spendBy(bench, 'append'), {
    isStated: true,
    isShort: true,
  }),
  write(
    'append with usage, which ends the session',
    budgeted,
    (bench) => spendBy(bench, 'append', 100),
    { isStated: true },
  ),
  write('spend', budgeted, (bench) => spendBy(bench, 'spend'), { isShort: true }),
  write('spend after another', spent, (bench) => spendBy(bench, 'spend'), { isShort: true }),
  write('spend, which ends the session', spent, (bench) => spendBy(bench, 'spend', 90)),
  write('send a message', started(0), send('m1'), { isStated: true, isShort: true }),
  write('send a message after others were taken', answered, send('m4'), { isStated: true }),
  write(
    'send a message and take it, by its id',
    started(0),
    inboxUse('m1', { send: messageOf('m1'), take: { messages: 1, turn: 1 } }),
    { isStated: true },
  ),
  write(
    'take messages after an entry',
    asked,
    inboxUse('m1', { entries: [said('before')], take: { messages: 2, turn: 1 } }),
    { isStated: true, isShort: true },
  ),
  write('take the last messages', answered, inboxUse('m3', { take: { messages: 1, turn: 2 } }), {
    isStated: true,
  }),
  write(
    'end a turn with its answer',
    turning,
    async (bench) => {
      const fencingToken = await tokenOf(bench);
      const entries = [said('the answer')];
      return okOf(bench.sessions.release(TARGET, { fencingToken, done: true, entries }));
    },
    { isStated: true, isShort: true },
  ),
  write('withdraw a message between others', asked, inboxUse('m2', { withdraw: ['m2'] }), {
    isStated: true,
    isShort: true,
  }),
  write(
    'rewind by name',
    rewound,
    async ({ sessions }) => {
      const [to, ifPosition] = [await firstOf(sessions), await endOf(sessions)];
      return okOf(
        sessions.rewind(TARGET, { to, entries: [said('instead')], ifPosition, ...named }),
      );
    },
    { isRewind: true, isShort: true },
  ),
  write(
    'rewind without entries',
    rewound,
    async ({ sessions }) =>
      okOf(sessions.rewind(TARGET, { to: 0, ifPosition: await endOf(sessions), ...named })),
    { isRewind: true },
  ),
  write('redact', started(0), async ({ sessions }) =>
    okOf(sessions.redact(TARGET, [await firstOf(sessions)])),
  ),
  write('extend', started(600), ({ sessions }) =>
    okOf(sessions.extend(TARGET, { timeLimit: 900 }, named)),
  ),
  write('lease', started(600), ({ sessions }) => okOf(sessions.lease(TARGET, holder))),
  write('renew', leased, async (bench) => {
    const fencingToken = await tokenOf(bench);
    return okOf(bench.sessions.renew(TARGET, { fencingToken, seconds: 90 }));
  }),
  write('release', leased, async (bench) =>
    okOf(bench.sessions.release(TARGET, { fencingToken: await tokenOf(bench) })),
  ),
  write('create with wake', nothing, ({ sessions }) =>
    okOf(sessions.create({ ...keyed, wake: true })),
  ),
  write('wake', started(600), ({ sessions }) => okOf(sessions.wake(TARGET)), { isShort: true }),
  write('release of a claim', claimed, async (bench) =>
    okOf(bench.sessions.release(TARGET, { fencingToken: await tokenOf(bench) })),
  ),
  write('release of a claim that is done', claimed, async (bench) => {
    const fencingToken = await tokenOf(bench);
    return okOf(bench.sessions.release(TARGET, { fencingToken, done: true }));
  }),
  write('delete of a session that waits for a worker', woken, ({ sessions }) =>
    okOf(sessions.delete(TARGET)),
  ),
  write(
    'delete',
    async (bench) => {
      await okOf(bench.sessions.create({ ...ada, timeLimit: 600, labels: LABELS }));
      await okOf(bench.sessions.start(TARGET));
      await talk(bench);
    },
    ({ sessions }) => okOf(sessions.delete(TARGET)),
  ),
  write(
    'update, which moves the session between labels',
    ({ sessions }) => okOf(sessions.create({ ...ada, labels: { kind: 'chat', user: 'u-1' } })),
    ({ sessions }) => okOf(sessions.update(TARGET, { labels: { ...LABELS, user: null } }, named)),
  ),
  // No caller repeats what a sweep did: the next sweep looks at what is there.
  write(
    'claim an end to report it',
    waitingEnd,
    (bench) => report(bench, { removal: '3', dueAt: FAR }),
    {
      isRepeatable: false,
    },
  ),
  write('store that an end was reported', waitingEnd, (bench) => report(bench), {
    isRepeatable: false,
  }),
  write('remove what is left of a session', removed, removeRemains, { isRepeatable: false }),
  write(
    'several at the same time, which travel together',
    started(600),
    // A create by the service would come later: it awaits the digest of its key.
    ({ sessions, store }) =>
      Promise.all([
        okOf(sessions.append(TARGET, [said('together')])),
        okOf(sessions.append('s1', [said('together')])),
        tryBegin(store, { tenant: 'default', id: CREATED }, { entries: [say('together')] }),
      ]),
    { isRepeatable: false, isGroup: true },
  ),
];

/**
 * Hands out what waits, as a claim does before it leases. None of `writes`, because a repair, also
 * one that finds nothing else, makes sessions that were handed out and not leased claimable again.
 */
export const handOut: Write = write(
  'claim',
  woken,
  ({ store }) => {
    const { tenant } = target;
    return answerOf(store.take({ tenant, now: NOON + 1, until: NOON + 10_000, limit: 10 }));
  },
  { isRepeatable: false },
);
