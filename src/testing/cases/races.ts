import type { StateRecord } from '../../session/session-record.js';
import type { Guards } from '../../store/commit.js';
import type { SessionStore } from '../../store/session-store.js';
import { expectEqual, expectThat } from '../answers.js';
import {
  addGuarded,
  append,
  appendOf,
  begin,
  change,
  due,
  expectSaid,
  find,
  guardedState,
  idsOf,
  key,
  MADE,
  made,
  move,
  positionsOf,
  putOf,
  raceOf,
  redact,
  refused,
  remove,
  said,
  stateOf,
  tryBegin,
  tryPut,
} from '../commits.js';
import { type InboxUse, inboxOf, messageOf, sendOf, waitingIds } from '../inbox-steps.js';
import { listed } from '../page-steps.js';
import {
  ended,
  endingAfter,
  headOf,
  keyOf,
  leaseOf,
  live,
  NOON,
  operationOf,
  say,
  upTo,
} from '../samples.js';
import type { Cases } from '../store-case.js';

const WRITERS = 50;

interface Outcome {
  readonly outcome: string;
  readonly guard?: string;
}

/** The number of outcomes of each kind, refusals by their guard. */
const tally = (outcomes: readonly Outcome[]) => {
  const counts: Record<string, number> = {};
  for (const { outcome, guard = outcome } of outcomes) counts[guard] = (counts[guard] ?? 0) + 1;
  return counts;
};

/** Fails unless exactly `made` racing calls are made, and the guard refuses the others. */
const expectMade = async (
  stores: readonly [SessionStore, SessionStore],
  made: number,
  guard: string,
  step: (store: SessionStore, writer: number) => Promise<Outcome>,
): Promise<readonly Outcome[]> => {
  const all = await raceOf(stores, step);
  expectEqual(tally(all), { made, [guard]: WRITERS - made }, 'the outcomes');
  return all;
};

/** A race of changes of one session. Exactly one passes the guard. */
const oneOf = (
  guard: string,
  what: string,
  commit: (store: SessionStore, end: number, writer: number) => Promise<Outcome>,
): Cases => ({
  [`races: of 50 ${what}, exactly one is made`]: async (store, second) => {
    const { end } = await addGuarded(store);
    await expectMade([store, second], 1, guard, (each, writer) => commit(each, end, writer));
  },
});

/** A race of appends. One in `share` also rewinds the history to its first entry. */
const appends = (what: string, share: number): Cases => ({
  [`races: 50 ${what} completely, in the order of their positions`]: async (store, second) => {
    await begin(store, key);
    const truncate = await append(store, key, ['base']);
    const isRewind = (writer: number) => share > 0 && writer % share === 0;
    const positions = await raceOf([store, second], (each, writer) => {
      const use = isRewind(writer) ? { truncate } : {};
      return append(each, key, [`${writer} a`, `${writer} b`], {}, use);
    });
    let expected = ['base'];
    const placeOf = (writer: number) => positions[writer] ?? 0;
    for (const writer of upTo(WRITERS).toSorted((a, b) => placeOf(a) - placeOf(b))) {
      if (isRewind(writer)) expected = ['base'];
      expected.push(`${writer} a`, `${writer} b`);
    }
    await expectSaid(store, expected);
    expectEqual((await find(store))?.sequence, 2 + WRITERS, 'the sequence');
  },
});

/** A race of appends with a put that adds an entry. After the put, the guard refuses appends. */
const around = (what: string, guards: Guards, next: StateRecord): Cases => ({
  [`races: of 50 appends around ${what}, exactly those that pass ${Object.keys(guards)} are stored`]:
    async (store, second) => {
      await addGuarded(store);
      const { effects, ...rest } = putOf(key, next);
      const last = { ...rest, effects: { ...effects, entries: [say('the last')] } };
      const all = await raceOf([store, second], async (each, writer) => {
        if (writer === WRITERS / 2) await made(each, last);
        return change(each, appendOf(key, [`${writer}`], guards));
      });
      const kept = upTo(WRITERS).filter((writer) => all[writer]?.outcome === 'made');
      const history = (await said(store, key)) ?? [];
      const expected = ['one', 'three', ...kept.map(String), 'the last'];
      expectEqual(history.toSorted(), expected.toSorted(), 'the history');
      expectEqual(history.at(-1), 'the last', 'the last entry');
      const late = await change(store, appendOf(key, ['late'], guards));
      expectEqual(late.outcome, 'refused', 'an append after it');
    },
});

const leased = live('ACTIVE', {
  revision: 6,
  work: { lease: leaseOf(8, NOON + 50) },
});

export const races: Cases = {
  ...oneOf('repeated', 'appends with one operation id', (store) =>
    change(store, appendOf(key, ['x'], { operation: operationOf('race') })),
  ),
  ...oneOf('repeated', 'sends of one message', (store, _, writer) =>
    change(store, sendOf(messageOf('m', `${writer}`), {}, { revision: 6 + writer })),
  ),
  ...oneOf('message', 'different messages with one id', (store, _, writer) => {
    const digest = `${writer}`.padEnd(16, '-');
    return change(store, sendOf(messageOf('m', 'm', digest), {}, { revision: 6 + writer }));
  }),
  ...oneOf('revision', 'puts on one revision', (store, _, writer) =>
    change(store, putOf(key, live('PAUSED', { revision: 6, activeMs: writer }), guardedState)),
  ),
  ...oneOf('unusedSince', 'appends to an unused session', (store, _, writer) => {
    const use = { activity: NOON + 1 + writer };
    return change(store, appendOf(key, ['x'], { unusedSince: NOON }, use));
  }),
  ...oneOf('end', 'appends at one end', (store, end) =>
    change(store, appendOf(key, ['x'], { end })),
  ),
  ...oneOf('end', 'rewinds at one end', (store, end) =>
    change(store, appendOf(key, ['x'], { end }, { truncate: 0 })),
  ),
  ...oneOf('dueAt', 'moves from one time', (store, _, writer) =>
    move(store, key, NOON + 100, NOON + 10 + writer),
  ),
  ...oneOf('present', 'removals', (store) => remove(store, key)),
  'races: of 50 begins of one id, exactly one is made and stored': async (store, second) => {
    const headBy = (writer: number) => headOf('one', NOON + writer, { face: `f${writer}` });
    const all = await expectMade([store, second], 1, 'absent', (each, writer) =>
      tryBegin(each, key, {
        head: headBy(writer),
        state: live('IDLE', { labels: { user: `${writer}` } }),
        entries: [say(`${writer}`)],
      }),
    );
    const winner = all.findIndex(({ outcome }) => outcome === 'made');
    const found = await find(store);
    expectEqual([found?.head, found?.history], [headBy(winner), [say(`${winner}`)]], 'it');
    expectEqual(await idsOf(second), ['one'], 'the list');
    for (const writer of upTo(WRITERS)) {
      const { ids } = await listed(store, { labels: { user: `${writer}` } });
      expectEqual(ids, writer === winner ? ['one'] : [], `the list of the label of ${writer}`);
    }
  },
  ...appends('appends are all stored', 0),
  ...appends('appends and rewinds are made', 3),
  ...around('an end', { open: NOON }, ended('failed', { revision: 6 })),
  ...around('a new lease', { fence: { token: 7, now: NOON } }, leased),
  'races: of 50 uses of an expired session, exactly one reopens it': async (store, second) => {
    const terms = endingAfter(20);
    await begin(store, key, { state: live('ACTIVE', { terms }) });
    const over = NOON + 20;
    await expectMade([store, second], 1, 'over', (each) =>
      change(each, appendOf(key, ['x'], { over }, { activity: over })),
    );
    await expectSaid(second, ['x']);
  },
  'races: 50 appends never exceed the limit of entries': async (store, second) => {
    await begin(store, key);
    await expectMade([store, second], 20, 'entries', (each) =>
      change(each, appendOf(key, ['a', 'b'], { entries: 41 })),
    );
    expectEqual((await said(store, key))?.length, 40, 'the number of entries');
  },
  'races: 50 messages never exceed the limit of an inbox': async (store, second) => {
    await begin(store, key);
    await expectMade([store, second], 7, 'inbox', (each, writer) =>
      change(each, sendOf(messageOf(`${writer}`), { inbox: 6 }, { revision: 2 + writer })),
    );
    const count = (await stateOf(store))?.work.inbox;
    expectEqual([(await waitingIds(second)).length, count], [7, 7], 'the messages that wait');
  },
  'races: each message is taken or withdrawn once, in the order of its sender': async (
    store,
    second,
  ) => {
    await begin(store, key);
    const withdrawn: string[] = [];
    const use = (writer: number, waiting: readonly string[]): InboxUse =>
      writer % 5 === 0
        ? { withdraw: waiting.slice(-1) }
        : { take: { messages: Math.min(2, waiting.length), turn: writer + 1 } };
    await raceOf([store, second], async (each, writer) => {
      for (const at of [1, 2]) {
        const message = messageOf(`${writer} ${at}`);
        await made(each, sendOf(message, {}, { revision: 1000 * at + writer }));
        const state = await stateOf(each);
        const waiting = await waitingIds(each);
        if (state?.work.inbox !== waiting.length || waiting.length === 0) continue;
        const commit = inboxOf(state, use(writer, waiting));
        const changed = await change(each, commit);
        if (changed.outcome === 'made') withdrawn.push(...(commit.effects.withdraw ?? []));
      }
    });
    const { work } = (await stateOf(store)) ?? {};
    const waiting = await waitingIds(second);
    expectEqual(work?.inbox ?? 0, waiting.length, 'the number of messages that wait');
    const order = [...((await said(store, key)) ?? []), ...waiting];
    const all = upTo(WRITERS).flatMap((writer) => [`${writer} 1`, `${writer} 2`]);
    expectEqual([...order, ...withdrawn].toSorted(), all.toSorted(), 'all messages');
    const isInOrder = (id: string, at: number) =>
      id.endsWith(' 1') || !order.includes(id.replace(/2$/, '1'), at);
    expectThat(order.every(isInOrder), 'the first message of a sender comes first');
  },
  'races: puts and appends do not undo one another': async (store, second) => {
    await begin(store, key);
    const puts = await raceOf([store, second], async (each, writer) => {
      await append(each, key, [`${writer}`], {}, { activity: NOON + writer });
      const { revision = 0 } = (await stateOf(each)) ?? {};
      return tryPut(each, key, live('ACTIVE', { revision: revision + 1, activeMs: writer }));
    });
    const { made: count = 0 } = tally(puts);
    expectThat(count > 0, 'some of the puts are made');
    const found = await find(store);
    expectEqual(found?.history.length, WRITERS, 'the number of entries');
    expectEqual(found?.state.revision, 1 + count, 'the revision');
    expectEqual(found?.state.lastActivityAt, NOON + WRITERS - 1, 'the activity');
  },
  'races: 50 redactions and appends are all made': async (store, second) => {
    await begin(store, key, { entries: upTo(WRITERS).map((at) => say(`${at}`)) });
    const positions = await positionsOf(store);
    await raceOf([store, second], async (each, writer) => {
      await append(each, key, ['new']);
      expectEqual(await redact(each, key, positions.slice(writer, writer + 1)), MADE, 'redact');
    });
    const expected = upTo(2 * WRITERS).map((at) => (at < WRITERS ? '' : 'new'));
    await expectSaid(store, expected);
  },
  'races: no fork contains entries that were redacted before it': async (store, second) => {
    await begin(store, key, { entries: [say('secret')] });
    const version = (await find(store))?.historyVersion ?? '';
    const positions = await positionsOf(store);
    const guards = { source: { id: 'one', version } };
    const all = await raceOf([store, second], async (each, writer) => {
      if (writer === WRITERS / 2) await redact(each, key, positions);
      return tryBegin(each, keyOf(`fork ${writer}`), { guards });
    });
    const isOther = ({ outcome, guard = 'source' }: Outcome) =>
      outcome !== 'made' && guard !== 'source';
    expectThat(!all.some(isOther), 'each fork is made or refused by source');
    const late = await tryBegin(store, keyOf('late'), { guards });
    expectEqual(late, refused('source'), 'a fork after the redaction');
  },
  'races: writes around a removal restore nothing': async (store, second) => {
    await begin(store, key, { state: live('ACTIVE', { deadline: NOON }) });
    await raceOf([store, second], async (each, writer) => {
      await change(each, appendOf(key, [`${writer}`], { operation: operationOf(`${writer}`) }));
      await remove(each, key);
      await change(each, sendOf(messageOf(`${writer}`), {}, { revision: 3 }));
      return tryPut(each, key, live('PAUSED', { revision: 2, deadline: NOON }));
    });
    expectEqual(await find(store), undefined, 'the session');
    expectEqual(await idsOf(second), [], 'the list');
    expectEqual(await due(store, NOON + 1000), [], 'due');
    expectEqual(await waitingIds(store), [], 'the messages');
  },
};

export const limitRaces: Cases = {
  'races: 50 begins and 50 puts never exceed the limit of live sessions': async (store, second) => {
    const limit = (sessions: number) => ({ live: { sessions, now: NOON } });
    await expectMade([store, second], 5, 'live', (each, writer) =>
      tryBegin(each, keyOf(`s${writer}`), { guards: limit(5) }),
    );
    for (const at of upTo(WRITERS)) await begin(store, keyOf(`i${at}`), { state: live('IDLE') });
    await expectMade([store, second], 7, 'live', (each, writer) =>
      tryPut(each, keyOf(`i${writer}`), live('ACTIVE', { revision: 2 }), limit(12)),
    );
  },
};
