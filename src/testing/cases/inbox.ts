import type { MessageEntry } from '../../session/session.js';
import { answerOf, expectEqual } from '../answers.js';
import {
  append,
  begin,
  change,
  expectSaid,
  expectUnchanged,
  find,
  key,
  made,
  placed,
  redact,
  refused,
  remove,
  repeated,
  stateOf,
  theirs,
  tryBegin,
} from '../commits.js';
import { textsOf } from '../history-steps.js';
import { hostileNames, hostileTexts } from '../hostile-texts.js';
import {
  changeInbox,
  inboxOf,
  known,
  messageOf,
  send,
  sendOf,
  take,
  waitingIds,
} from '../inbox-steps.js';
import { keyOf, live, NOON, OTHER, operationOf, say, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

/** Ids that are well-formed and without control characters, as the service lets them pass. */
const ids = [
  ...hostileNames.filter((name) => !/[\p{Cc}\p{Cs}]/u.test(name)),
  ...['CAJ+/dz4=@mail.example', 'T02/C03/1700000000.000100', '\u{1F600}'.repeat(128)],
];

/** A message with an entry that has all fields, in an order of its own. */
const whole = (id: string, content: string) => {
  const data = { from: [id, null, { turn: 9, message: true }] };
  const entry: MessageEntry = { message: true, data, id, ...say(content, 'caller', NOON - 5) };
  return { ...messageOf(id), entry };
};

export const inbox: Cases = {
  'send: messages wait outside the history, in order and exactly as sent': async (
    store,
    second,
  ) => {
    await begin(store, key, { entries: [say('a')] });
    const before = await find(store);
    const all = upTo(12).map((at) => whole(`${20 - at}`, `message ${at}`));
    for (const [at, message] of all.entries())
      await made(at % 2 === 0 ? store : second, sendOf(message, {}, { revision: at + 2 }));
    const expected = all.map(({ entry, digest }) => ({ id: entry.id, digest, entry }));
    for (const each of [store, second]) {
      expectEqual(await answerOf(each.messages(key)), expected, 'the messages');
      const asked = [...upTo(40).map(String), 'none'];
      const found = await known(each, asked);
      expectEqual(found, expected.toReversed(), 'those with some ids');
    }
    const work = { askedAt: NOON, inbox: 12 };
    const state = live('ACTIVE', { revision: 13, work });
    expectEqual(await find(second), { ...before, state, sequence: 13 }, 'the record');
  },
  'send: a repeated id is recognised for good, and before any guard but operation': async (
    store,
    second,
  ) => {
    await begin(store, key);
    await send(store, ['taken', 'withdrawn', 'waits']);
    await take(store, 1);
    await changeInbox(store, { withdraw: ['withdrawn'] });
    await expectUnchanged(second, 'after the repetitions', async () => {
      for (const id of ['taken', 'withdrawn', 'waits'])
        for (const guards of [{}, { open: NOON, end: 99 }, { over: NOON }, { inbox: 0 }]) {
          const again = await change(second, sendOf(messageOf(id, 'x'), guards));
          expectEqual(again, repeated(), `${id} again`);
          const other = sendOf(messageOf(id, id, OTHER), guards);
          expectEqual(await change(second, other), refused('message'), `another ${id}`);
        }
    });
  },
  'send: a refused change leaves its id free': async (store) => {
    await begin(store, key, { state: live('IDLE') });
    const early = await change(store, sendOf(messageOf('m'), { open: NOON }));
    expectEqual(early.outcome, 'refused', 'the outcome');
    expectEqual(await known(store, ['m']), [], 'the message');
    await made(store, sendOf(messageOf('m', 'm', OTHER)));
  },
  'take: moves the oldest messages to the end of the history, with their turn': async (
    store,
    second,
  ) => {
    await begin(store, key, { entries: [say('a')] });
    await send(
      store,
      ['z', 'y', 'x'].map((id) => whole(id, `${id} é`)),
    );
    const first = await take(store, 2, 7);
    const entriesOf = (turn: number, ...of: string[]) =>
      of.map((id) => ({ ...whole(id, `${id} é`).entry, turn }));
    expectEqual(await waitingIds(second), ['x'], 'what still waits');
    const { work } = (await find(second))?.state ?? {};
    expectEqual(work, { askedAt: NOON, inbox: 1 }, 'the state of the work');
    await append(store, key, ['b']);
    const last = await take(second, 1, 8);
    const history = [say('a'), ...entriesOf(7, 'z', 'y'), say('b'), ...entriesOf(8, 'x')];
    const found = await find(store);
    expectEqual(found?.history, history, 'the history');
    expectEqual(found?.state.work, {}, 'the state without messages');
    const entries = await placed(store);
    const taken = entries.filter(({ message }) => message);
    expectEqual([...first, ...last], taken, 'what was taken');
    expectEqual(found?.historyPosition, entries.at(-1)?.position, 'the end');
    const places = (await known(second, ['z', 'y', 'x'])).map(({ digest: _, ...place }) => place);
    const expected = taken.map(({ id, position }) => ({ id, position }));
    expectEqual(places, expected, 'the positions of the messages');
  },
  'take: follows truncate, entries, send and withdraw in one step': async (store, second) => {
    await begin(store, key, { entries: [say('a'), say('b')] });
    await send(store, ['m1', 'm2', 'm3']);
    const use = {
      truncate: 0,
      entries: [say('c')],
      send: messageOf('m4'),
      withdraw: ['m2'],
      take: { messages: 3, turn: 1 },
    };
    const state = (await stateOf(store)) ?? live('ACTIVE');
    const commit = inboxOf(state, use, { operation: operationOf('op'), entries: 4 });
    const changed = await change(store, commit);
    await expectSaid(second, ['c', 'm1', 'm3', 'm4']);
    const messages = (await placed(store)).slice(1);
    const position = messages.at(-1)?.position ?? 0;
    expectEqual(changed, { outcome: 'made', position, messages }, 'the answer');
    expectEqual(await waitingIds(second), [], 'what waits');
    expectEqual((await find(second))?.sequence, 7, 'the sequence');
    await expectUnchanged(second, 'after the repetition', async () => {
      const again = await change(second, commit);
      expectEqual(again, repeated(position), 'the same operation');
    });
  },
  'take: messages count towards the guard entries, and still wait if it fails': async (
    store,
    second,
  ) => {
    await begin(store, key, { entries: [say('a')] });
    await send(store, ['m1', 'm2']);
    const use = { entries: [say('b')], take: { messages: 2, turn: 1 } };
    await expectUnchanged(second, 'after the refusals', async () => {
      expectEqual(await changeInbox(store, use, { entries: 3 }), refused('entries'), 'a take');
      const rewind = { ...use, truncate: 0 };
      const answer = await changeInbox(store, rewind, { entries: 2 });
      expectEqual(answer, refused('entries'), 'a take after a rewind');
    });
    expectEqual((await changeInbox(store, use, { entries: 4 })).outcome, 'made', 'a take');
    expectEqual((await find(second))?.historyCount, 4, 'the number of entries');
  },
  'withdraw: removes messages from anywhere in the inbox, and keeps its order': async (
    store,
    second,
  ) => {
    await begin(store, key);
    await send(store, ['m1', 'm2', 'm3', 'm4']);
    await changeInbox(store, { withdraw: ['m3', 'm1'] });
    await send(store, ['m5']);
    expectEqual(await waitingIds(second), ['m2', 'm4', 'm5'], 'what waits');
    expectEqual((await find(second))?.state.work.inbox, 3, 'its number');
    const { digest } = messageOf('m1');
    const gone = ['m1', 'm3'].map((id) => ({ id, digest }));
    expectEqual(await known(second, ['m1', 'm3']), gone, 'what was withdrawn');
    expectEqual(textsOf(await take(store, 3)), ['m2', 'm4', 'm5'], 'what is taken');
    await expectSaid(second, ['m2', 'm4', 'm5']);
  },
  'messages: any ids and contents are kept, and ids that look alike are different': async (
    store,
    second,
  ) => {
    await begin(store, key);
    const contents = ids.map((_, at) => hostileTexts[at % hostileTexts.length] ?? '');
    await send(
      store,
      ids.map((id, at) => whole(id, contents[at] ?? '')),
    );
    expectEqual(await waitingIds(second), ids, 'the ids');
    const found = await known(second, ids);
    expectEqual(found, await answerOf(second.messages(key)), 'the messages with these ids');
    for (const id of ids.slice(0, 3)) await changeInbox(store, { withdraw: [id] });
    const taken = await take(second, ids.length - 3);
    expectEqual(textsOf(taken), contents.slice(3), 'what was taken');
    await expectSaid(store, contents.slice(3));
    for (const id of ids) {
      const again = await change(store, sendOf(messageOf(id)));
      expectEqual(again.outcome, 'repeated', `a message with the id ${JSON.stringify(id)} again`);
    }
  },
  'messages: belong to one session, and are removed with it': async (store, second) => {
    const others = [keyOf('two'), theirs];
    for (const each of [key, ...others]) {
      await begin(store, each);
      expectEqual(await answerOf(store.messages(each, ['m'])), [], 'before the first');
      await send(store, ['m', each.id], each);
    }
    await take(store, 1);
    const { state, historyVersion: version = '' } = (await find(store)) ?? {};
    await tryBegin(store, keyOf('fork'), { guards: { source: { id: 'one', version } } });
    expectEqual(await answerOf(store.messages(keyOf('fork'), ['m', 'one'])), [], 'a fork');
    const report = { removal: '9', dueAt: NOON, removedAt: NOON };
    const remains = state && { removal: '9', state: { ...state, report } };
    await remove(store, key, {}, remains);
    expectEqual(await waitingIds(second), [], 'after the removal');
    expectEqual(await known(second, ['m', 'one']), [], 'by their ids');
    await remove(store, { ...key, removal: '9' });
    for (const each of others)
      expectEqual(await waitingIds(second, each), ['m', each.id], 'of another session');
    await begin(store, key);
    expectEqual(await waitingIds(second), [], 'of a new session under the id');
    await send(store, ['m']);
  },
  'redact: a message that was taken keeps its turn, and its id stays known': async (
    store,
    second,
  ) => {
    await begin(store, key);
    await send(
      store,
      ['m1', 'm2'].map((id) => whole(id, 'secret')),
    );
    const [first, last] = await take(store, 2, 3);
    await redact(store, key, [first?.position ?? 0]);
    const { role, timestamp } = whole('m1', '').entry;
    const redacted = { role, timestamp, content: '', message: true, turn: 3 };
    const { position: _, ...rest } = last ?? { position: 0 };
    expectEqual((await find(second))?.history, [redacted, rest], 'the history');
    await expectUnchanged(second, 'after the same redaction', async () => {
      await redact(store, key, [first?.position ?? 0]);
    });
    const { digest } = messageOf('m1');
    const expected = [{ id: 'm1', digest, position: first?.position }];
    expectEqual(await known(second, ['m1']), expected, 'the message');
  },
};
