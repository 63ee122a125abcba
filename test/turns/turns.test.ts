import { describe, expect, test } from 'vitest';
import { LAST_WORDS_MS } from '../../src/session/turn-state.js';
import { errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const worker = { holder: 'worker', seconds: 30 };
const contents = (entries: readonly { readonly content: string }[]) =>
  entries.map(({ content }) => content);

const open = async (options: Parameters<typeof openSessions>[0] = {}) => {
  const bench = openSessions(options);
  const { sessions } = bench;
  const id = await startedIn(sessions);
  const claim = async () => {
    const [claimed] = (await okOf(sessions.claim(worker))).claimed;
    if (claimed === undefined) throw new Error('no session waits');
    return claimed;
  };
  const shown = async () => contents((await okOf(sessions.history(id))).entries);
  const work = async () => (await okOf(sessions.get(id))).work;
  return { ...bench, id, claim, shown, work };
};

describe('a turn', () => {
  test('ends in the same step as its entries, which carry its number', async () => {
    const { sessions, id, claim } = await open();
    await okOf(sessions.send(id, { id: 'm', content: 'Hi?' }));
    const { lease, turn } = await claim();
    const { fencingToken } = lease;
    const entries = [{ role: 'tool', content: '4' }, 'Four.'];
    await okOf(sessions.release(id, { fencingToken, done: true, entries }));
    const all = (await okOf(sessions.history(id))).entries;
    expect(all.map((entry) => [entry.role, entry.turn])).toEqual([
      ['user', turn],
      ['tool', turn],
      ['assistant', turn],
    ]);
    expect((await okOf(sessions.get(id))).work).toBeUndefined();
    expect(await okOf(sessions.answer(id, 'm'))).toMatchObject({
      content: 'Four.',
      repeated: true,
    });
  });

  test('stores nothing twice if it is released again', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, 'Hi?'));
    const { fencingToken } = (await claim()).lease;
    for (let time = 0; time < 2; time += 1)
      await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Yes.' }));
    expect(await shown()).toEqual(['Hi?', 'Yes.']);
  });

  test('takes no further message in its next attempts if it may take one, until the last has failed', async () => {
    const { sessions, clock, id } = await open();
    for (const message of ['a', 'b', 'c'])
      await okOf(sessions.send(id, { id: message, content: message }));
    const tried: string[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [claimed] = (await okOf(sessions.claim({ ...worker, messages: 1, attempts: 2 })))
        .claimed;
      const { fencingToken = 0 } = claimed?.lease ?? {};
      tried.push(contents(claimed?.messages ?? []).join());
      await okOf(sessions.release(id, { fencingToken, error: 'no model' }));
      clock.pass(2000);
    }
    expect(tried).toEqual(['a', 'a', 'a,b']);
  });

  test('takes no further message when it is answered again, if it may take one', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.send(id, { id: 'a', content: 'a' }));
    const claim = async () => {
      const [claimed] = (await okOf(sessions.claim({ ...worker, messages: 1 }))).claimed;
      const { fencingToken = 0 } = claimed?.lease ?? {};
      await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Yes.' }));
      return contents(claimed?.messages ?? []);
    };
    await claim();
    await okOf(sessions.rewind(id, { after: 'a', wake: true }));
    await okOf(sessions.send(id, 'b'));
    expect([await claim(), await claim()]).toEqual([['a'], ['b']]);
  });

  test('keeps its number in all attempts, and contains the messages of the earlier ones', async () => {
    const { sessions, clock, id, claim } = await open();
    await okOf(sessions.send(id, 'one'));
    const first = await claim();
    await okOf(sessions.send(id, 'two'));
    await okOf(sessions.release(id, { fencingToken: first.lease.fencingToken, error: 'no model' }));
    clock.pass(1000);
    const second = await claim();
    expect([second.turn, second.attempt, contents(second.messages)]).toEqual([
      1,
      2,
      ['one', 'two'],
    ]);
    await okOf(sessions.release(id, { fencingToken: second.lease.fencingToken, done: true }));
    await okOf(sessions.send(id, 'three'));
    expect(await claim()).toMatchObject({ turn: 2, attempt: 1, messages: [{ content: 'three' }] });
  });

  test('is retried after a delay, which a later message shortens but an earlier one does not', async () => {
    const { sessions, clock, id, claim, work } = await open();
    await okOf(sessions.send(id, 'one'));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.send(id, 'two'));
    await okOf(sessions.release(id, { fencingToken, error: 'no model' }));
    clock.pass(400);
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    expect(await work()).toMatchObject({ state: 'retrying', attempt: 1, error: 'no model' });
    await okOf(sessions.send(id, 'three'));
    expect(contents((await claim()).messages)).toEqual(['one', 'two', 'three']);
  });

  test('keeps a wake for later, which starts another turn at its time', async () => {
    const { sessions, clock, id, claim } = await open();
    await okOf(sessions.wake(id, { at: new Date(clock.now() + 60_000) }));
    await okOf(sessions.send(id, 'one'));
    const first = await claim();
    expect(first.woken).toBeUndefined();
    await okOf(sessions.release(id, { fencingToken: first.lease.fencingToken, done: true }));
    clock.pass(60_000);
    expect(await claim()).toMatchObject({ turn: 2, woken: true, messages: [] });
  });

  test('takes messages sent since together with its answer, so that the history is what the model read', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, 'one'));
    const { fencingToken } = (await claim()).lease;
    expect(await okOf(sessions.take(id, { fencingToken }))).toEqual({ messages: [], position: 1 });
    await okOf(sessions.send(id, 'stop, two'));
    const taken = await okOf(sessions.take(id, { fencingToken, after: 'step' }));
    expect([contents(taken.messages), taken.position]).toEqual([['stop, two'], 3]);
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Two.' }));
    expect(await shown()).toEqual(['one', 'step', 'stop, two', 'Two.']);
    expect((await okOf(sessions.get(id))).inbox).toBe(0);
  });

  test('excludes notes of others from its answer', async () => {
    const { sessions, id, claim } = await open();
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.append(id, [{ role: 'operator', content: 'note' }]));
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Yes.' }));
    expect(contents((await okOf(sessions.answer(id, 'm'))).entries)).toEqual(['Yes.']);
  });

  test.each([undefined, ''])(
    'may return nothing, for example %j, which is an answer too',
    async (entries) => {
      const { sessions, id, claim } = await open();
      await okOf(sessions.send(id, { id: 'm', content: 'one' }));
      const { fencingToken } = (await claim()).lease;
      await okOf(sessions.release(id, { fencingToken, done: true, entries }));
      expect(await okOf(sessions.answer(id, 'm'))).toMatchObject({ content: '', entries: [] });
    },
  );

  test("stores its answer once within the grace period after the session's end", async () => {
    const { sessions, id, claim, shown } = await open({ gracePeriod: 60 });
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.terminate(id));
    for (let time = 0; time < 2; time += 1)
      await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Bye.' }));
    expect(await shown()).toEqual(['one', 'Bye.']);
    expect(await okOf(sessions.answer(id, 'm'))).toMatchObject({ content: 'Bye.' });
  });

  test('stores no answer after the grace period', async () => {
    const { sessions, clock, id, claim } = await open({ gracePeriod: 60 });
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.terminate(id));
    clock.pass(60_000);
    const late = sessions.release(id, { fencingToken, done: true, entries: 'Bye.' });
    expect(await errorOf(late)).toMatchObject({ type: 'invalid_transition' });
    expect(await errorOf(sessions.answer(id, 'm'))).toMatchObject({ type: 'not_answered' });
  });
});

describe('the work of a session', () => {
  test('is reported at each moment: waiting, running, retrying, exhausted, none', async () => {
    const { sessions, clock, id, claim, work } = await open();
    expect(await work()).toBeUndefined();
    await okOf(sessions.send(id, 'one'));
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const since = at(0);
    expect(await work()).toEqual({ state: 'waiting', since, attempt: 0 });
    clock.pass(1000);
    const begun = at(0);
    await claim();
    expect(await work()).toEqual({ state: 'running', since: begun, attempt: 1 });
    clock.pass(30_000);
    expect(await work()).toMatchObject({ state: 'retrying', since: at(0), attempt: 1 });
    clock.pass(10_000);
    const { fencingToken } = (await okOf(sessions.claim({ ...worker, attempts: 2 }))).claimed[0]
      ?.lease ?? { fencingToken: 0 };
    await okOf(sessions.release(id, { fencingToken, error: 'no model' }));
    expect(await work()).toEqual({
      state: 'exhausted',
      since: at(0),
      attempt: 2,
      error: 'no model',
    });
    await okOf(sessions.send(id, 'two'));
    expect(await work()).toMatchObject({ state: 'waiting' });
    const again = await claim();
    expect([again.attempt, contents(again.messages)]).toEqual([1, ['one', 'two']]);
  });

  test('waits until the time of a wake for later', async () => {
    const { sessions, clock, id, work } = await open();
    const nextAt = new Date(clock.now() + 60_000).toISOString();
    await okOf(sessions.wake(id, { at: nextAt }));
    expect(await work()).toEqual({ state: 'waiting', since: nextAt, attempt: 0, nextAt });
  });
});

describe('a cancelled turn', () => {
  test('stores its last words, and then the next messages are taken', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, 'one'));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.send(id, 'two'));
    await okOf(sessions.cancel(id));
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    const words = { fencingToken, done: true, entries: 'I was ab' };
    expect(await okOf(sessions.release(id, words))).toEqual({ stopped: true });
    const next = await claim();
    expect([next.turn, contents(next.messages)]).toEqual([2, ['two']]);
    expect(await shown()).toEqual(['one', 'I was ab', 'two']);
  });

  test('ends five seconds later, and its last words are too late', async () => {
    const { sessions, clock, id, claim, shown } = await open();
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.cancel(id));
    clock.pass(LAST_WORDS_MS);
    const late = sessions.release(id, { fencingToken, done: true, entries: 'I was ab' });
    expect(await errorOf(late)).toMatchObject({ type: 'cancelled' });
    expect(await okOf(sessions.send(id, { id: 'm', content: 'one' }))).toMatchObject({
      state: 'answered',
    });
    await okOf(sessions.send(id, 'two'));
    expect((await claim()).turn).toBe(2);
    expect(await shown()).toEqual(['one', 'two']);
  });
});

describe('a repeated release', () => {
  test('returns the same after the last words of a cancelled turn, and stores nothing twice', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, 'one'));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.cancel(id));
    const words = { fencingToken, done: true, entries: 'I was ab' };
    expect(await okOf(sessions.release(id, words))).toEqual({ stopped: true });
    expect(await okOf(sessions.release(id, words))).toEqual({ stopped: true });
    expect(await shown()).toEqual(['one', 'I was ab']);
    const renewed = sessions.renew(id, { fencingToken, seconds: 30 });
    expect(await errorOf(renewed)).toMatchObject({ type: 'cancelled' });
  });
});

describe('a turn of more than 1000 entries', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ role: 'tool', content: `${at}` }));

  test('is answered with all of them, and its next attempt contains all of its messages', async () => {
    const { sessions, clock, id, claim } = await open();
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.take(id, { fencingToken, after: steps(1000) }));
    await okOf(sessions.send(id, 'two'));
    await okOf(sessions.take(id, { fencingToken, after: steps(500) }));
    await okOf(sessions.release(id, { fencingToken }));
    clock.pass(1000);
    const { lease, messages } = await claim();
    expect(contents(messages)).toEqual(['one', 'two']);
    const entries = ['Done.'];
    await okOf(sessions.release(id, { fencingToken: lease.fencingToken, done: true, entries }));
    await okOf(sessions.append(id, [{ role: 'user', content: 'a note' }]));
    const answer = await okOf(sessions.answer(id, 'm'));
    expect([answer.entries.length, answer.content]).toEqual([1501, 'Done.']);
  });

  test('is answered again with all of its messages after a rewind', async () => {
    const { sessions, id, claim } = await open();
    await okOf(sessions.send(id, 'one'));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.take(id, { fencingToken, after: steps(1000) }));
    await okOf(sessions.send(id, { id: 'm', content: 'two' }));
    await okOf(sessions.take(id, { fencingToken }));
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Done.' }));
    await okOf(sessions.rewind(id, { after: 'm', wake: true }));
    expect(contents((await claim()).messages)).toEqual(['one', 'two']);
  });
});

describe('an answer and an inbox', () => {
  test('are each limited to limits.pageBytes', async () => {
    const { sessions, id, claim } = await open({ limits: { pageBytes: 1000 } });
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    const entries = Array.from({ length: 3 }, () => 'x'.repeat(400));
    await okOf(sessions.release(id, { fencingToken, done: true, entries }));
    expect(await errorOf(sessions.answer(id, 'm'))).toMatchObject({
      type: 'page_too_large',
      limit: 1000,
    });
    for (const content of entries) await okOf(sessions.send(id, content));
    expect(await okOf(sessions.inbox(id))).toHaveLength(2);
    expect((await okOf(sessions.get(id))).inbox).toBe(3);
  });

  test('may contain one entry of any size', async () => {
    const { sessions, id, claim } = await open({ limits: { pageBytes: 100 } });
    await okOf(sessions.send(id, { id: 'm', content: 'x'.repeat(400) }));
    expect(await okOf(sessions.inbox(id))).toHaveLength(1);
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'y'.repeat(400) }));
    expect((await okOf(sessions.answer(id, 'm'))).entries).toHaveLength(1);
  });
});

describe('a rewind', () => {
  test('voids the running turn if another caller rewinds, and its answer is then refused', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.rewind(id, { before: 'm', send: { id: 'n', content: 'two' } }));
    const stale = sessions.release(id, { fencingToken, done: true, entries: 'One.' });
    expect(await errorOf(stale)).toMatchObject({ type: 'cancelled' });
    expect(await errorOf(sessions.answer(id, 'm'))).toMatchObject({ type: 'superseded' });
    const next = await claim();
    expect([next.turn, contents(next.messages)]).toEqual([2, ['two']]);
    expect(await shown()).toEqual(['two']);
  });

  test('keeps the running turn if the turn itself rewinds', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, 'one'));
    const { lease, position } = await claim();
    const { fencingToken } = lease;
    const summary = [{ role: 'system', content: 'summary' }];
    await okOf(
      sessions.rewind(id, { to: 0, ifPosition: position, entries: summary, fencingToken }),
    );
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Yes.' }));
    expect(await shown()).toEqual(['summary', 'Yes.']);
  });

  test('answers a message again if it goes back to after the message', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, { id: 'a', content: 'one' }));
    await okOf(sessions.send(id, { id: 'b', content: 'two' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'No.' }));
    await okOf(sessions.rewind(id, { after: 'b', wake: true }));
    expect(await shown()).toEqual(['one', 'two']);
    const again = await claim();
    expect([again.turn, contents(again.messages)]).toEqual([1, ['one', 'two']]);
  });

  test('withdraws a waiting message if it goes back to before the message, and keeps the running turn', async () => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, { id: 'a', content: 'one' }));
    const { fencingToken } = (await claim()).lease;
    await okOf(sessions.send(id, { id: 'b', content: 'tow' }));
    await okOf(sessions.rewind(id, { before: 'b', send: { id: 'c', content: 'two' } }));
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'One.' }));
    expect(contents((await claim()).messages)).toEqual(['two']);
    expect(await shown()).toEqual(['one', 'One.', 'two']);
    expect(await errorOf(sessions.answer(id, 'b'))).toMatchObject({ type: 'withdrawn' });
  });

  test.each([
    ['withdraws it', {}],
    ['edits it', { send: { content: 'two' } }],
    ['follows it with entries', { entries: [{ role: 'system', content: 'note' }] }],
  ])('changes nothing when it is repeated before a waiting message: it %s', async (_, more) => {
    const { sessions, id, claim } = await open();
    await okOf(sessions.send(id, 'one'));
    await claim();
    await okOf(sessions.send(id, { id: 'b', content: 'tow' }));
    const rewind = () => okOf(sessions.rewind(id, { before: 'b', operationId: 'edit', ...more }));
    const { position } = await rewind();
    const state = await okOf(sessions.get(id));
    expect(position).toBe((await okOf(sessions.history(id))).position);
    expect(await rewind()).toEqual({ position, repeated: true });
    expect(await okOf(sessions.get(id))).toEqual(state);
  });

  test.each([
    ['before a message of the history', { before: 'a' }],
    ['before a waiting message', { before: 'b' }],
    ['after a message', { after: 'a' }],
    ['to a position', { to: 0, ifPosition: 1 }],
  ])('sends no other content with the id of a known message: it goes back %s', async (_, place) => {
    const { sessions, id, claim, shown } = await open();
    await okOf(sessions.send(id, { id: 'a', content: 'one' }));
    await claim();
    await okOf(sessions.send(id, { id: 'b', content: 'two' }));
    const again = sessions.rewind(id, { ...place, send: { id: 'a', content: 'three' } });
    expect(await errorOf(again)).toMatchObject({ type: 'operation_mismatch' });
    expect([await shown(), await okOf(sessions.inbox(id))]).toMatchObject([['one'], [{ id: 'b' }]]);
  });

  test('sends nothing into a full inbox, in which an edited message keeps its place', async () => {
    const { sessions, id, claim } = await open({ limits: { inboxMessages: 1 } });
    await okOf(sessions.send(id, { id: 'a', content: 'one' }));
    await claim();
    await okOf(sessions.send(id, { id: 'b', content: 'tow' }));
    const after = sessions.rewind(id, { after: 'a', send: 'three' });
    expect(await errorOf(after)).toMatchObject({ type: 'inbox_full' });
    await okOf(sessions.rewind(id, { before: 'b', send: { id: 'c', content: 'two' } }));
    expect(contents(await okOf(sessions.inbox(id)))).toEqual(['two']);
  });

  test('keeps a lease without a turn', async () => {
    const { sessions, id } = await open();
    const { position } = await okOf(sessions.append(id, [{ role: 'user', content: 'one' }]));
    const { fencingToken } = await okOf(sessions.lease(id, worker));
    await okOf(sessions.rewind(id, { to: 0, ifPosition: position }));
    expect((await okOf(sessions.get(id))).lease).toMatchObject({ fencingToken });
  });
});
