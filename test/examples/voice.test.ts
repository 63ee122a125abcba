import { EventEmitter } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { holdCall, type Model } from '../../examples/voice/agent.js';
import { keepLiveKit } from '../../examples/voice/livekit.js';
import { ScriptedClock } from '../../examples/voice/scripted-clock.js';
import { ScriptedLine, type Step, scriptedModel } from '../../examples/voice/scripted-line.js';
import { answerTwilio, type TwilioMessage } from '../../examples/voice/twilio.js';
import { SessionService } from '../../src/index.js';
import { ManualClock, pass } from '../support/manual-clock.js';
import { ada, errorOf, okOf } from '../support/sessions.js';

/** A service whose store refuses changes while `isDown`. */
const openSessions = () => {
  const store = new MemorySessionStore({ events: true });
  const change = store.change.bind(store);
  const state = { isDown: false };
  store.change = (commit) => {
    if (state.isDown) throw new Error('the store is down');
    return change(commit);
  };
  const clock = new ManualClock();
  return { sessions: new SessionService({ store, clock, gracePeriod: 10 }), state, clock };
};

/** Unhandled rejections, each of which would end the process. */
const unhandled = (): readonly unknown[] => {
  const causes: unknown[] = [];
  const listener = (cause: unknown): void => void causes.push(cause);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));
  return causes;
};

/** Lets everything run that can. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/**
 * A call whose messages the test sends, and whose model says a sentence each time that the test
 * lets it.
 */
const call = () => {
  const { sessions, state, clock } = openSessions();
  const messages: TwilioMessage[] = [];
  let arrived = (): void => undefined;
  let isOver = false;
  const sent: string[] = [];
  const failures: unknown[] = [];
  const socket = {
    send: ({ token }: { readonly token: string }) => void (token && sent.push(token.trim())),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = messages.shift();
        if (next !== undefined) yield next;
        else if (isOver) return;
        else await new Promise<void>((resolve) => (arrived = resolve));
      }
    },
  };
  const sentences: string[] = [];
  let mayGoOn = (): void => undefined;
  const model: Model = {
    async *answer(_, signal) {
      for (;;) {
        const sentence = sentences.shift();
        if (signal.aborted || sentence === '') return;
        if (sentence !== undefined) yield sentence;
        else {
          await new Promise<void>((resolve) => {
            mayGoOn = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
      }
    },
  };
  const done = answerTwilio(socket, sessions, model, (error) => failures.push(error));
  const tell = async (...next: readonly TwilioMessage[]) => {
    messages.push(...next);
    arrived();
    await settled();
  };
  /** The model says a sentence; an empty one is the end of its answer. */
  const say = async (...next: readonly string[]) => {
    sentences.push(...next);
    mayGoOn();
    await settled();
  };
  const hangUp = async () => {
    isOver = true;
    arrived();
    return done;
  };
  const idOfCall = async () => (await okOf(sessions.list())).sessions[0]?.id ?? '';
  const texts = async () =>
    (await okOf(sessions.get(await idOfCall()))).history.map(({ content }) => content);
  return { sessions, state, clock, sent, failures, tell, say, hangUp, idOfCall, texts };
};

const setup = { type: 'setup', callSid: 'CA1', from: '+14155550100' } as const;
const prompt = (voicePrompt: string) => ({ type: 'prompt', voicePrompt }) as const;
const interrupt = (heard: string) =>
  ({ type: 'interrupt', utteranceUntilInterrupt: heard }) as const;

describe('a call over Twilio', () => {
  test('stores an answer after an outage, and reports a question that could not be stored', async () => {
    const causes = unhandled();
    const { tell, say, hangUp, state, clock, failures, texts, sessions, idOfCall } = call();
    await tell(setup, prompt('Who are you?'));
    state.isDown = true;
    await say('A guide.', '');
    await tell(prompt('Where?'));
    expect(failures.map((error) => Object(error).type)).toEqual(['store_unavailable']);
    state.isDown = false;
    await pass(clock, 10_000);
    await tell(prompt('Why?'));
    await say('Because.', '');
    expect(await texts()).toEqual(['Who are you?', 'A guide.', 'Why?', 'Because.']);
    await hangUp();
    expect((await okOf(sessions.get(await idOfCall()))).status).toBe('TERMINATED');
    expect(causes).toEqual([]);
  });

  test('replaces an answer with the part that was heard', async () => {
    const { tell, say, hangUp, texts } = call();
    await tell(setup, prompt('Who are you?'));
    await say('A guide.', 'I know all.', '');
    await tell(interrupt('A guide. I'));
    expect(await texts()).toEqual(['Who are you?', 'A guide. I —']);
    await tell(prompt('And you?'));
    await say('Me too.');
    await tell(interrupt('Me'));
    expect(await texts()).toEqual(['Who are you?', 'A guide. I —', 'And you?', 'Me —']);
    await hangUp();
  });

  test.each([
    ['before the answer', true],
    ['after the answer', false],
  ])('keeps what a supervisor added %s when the caller interrupts', async (_, isBefore) => {
    const { tell, say, hangUp, texts, sessions, idOfCall } = call();
    const supervise = async () => {
      const note = { role: 'supervisor', content: 'Offer a refund.' };
      await okOf(sessions.append(await idOfCall(), [note]));
    };
    await tell(setup, prompt('Who are you?'));
    if (isBefore) await supervise();
    await say('A guide.', '');
    if (!isBefore) await supervise();
    await tell(interrupt('A'));
    const expected = isBefore ? ['Offer a refund.', 'A —'] : ['A guide.', 'Offer a refund.', 'A —'];
    expect(await texts()).toEqual(['Who are you?', ...expected]);
    await hangUp();
  });

  test('keeps the answer to the next question if an interruption arrives late', async () => {
    const { tell, say, hangUp, texts, sent } = call();
    await tell(setup, prompt('Who are you?'));
    await say('A guide.', '');
    await tell(prompt('Where?'), interrupt('A'));
    await say('Here.');
    await tell(interrupt('A guide'));
    await say('Now.', '');
    expect(sent).toEqual(['A guide.', 'Here.', 'Now.']);
    expect(await texts()).toEqual(['Who are you?', 'A guide.', 'Where?', 'Here. Now.']);
    await hangUp();
  });
});

describe('the loop of a voice agent', () => {
  const open = async (steps: readonly Step[]) => {
    const clock = new ScriptedClock();
    const store = new MemorySessionStore({ events: true });
    const sessions = new SessionService({ store, clock });
    const { id } = await sessions.orThrow.create(ada);
    const line = new ScriptedLine(clock, steps);
    const said = ['From nine to five.'];
    const model = scriptedModel(clock, { 'When are you open?': said, 'Mention Saturdays.': said });
    const texts = async () =>
      (await sessions.orThrow.get(id)).history.map(({ content }) => content);
    const hold = () => clock.run(holdCall({ sessions, line, model }, id));
    return { clock, sessions, id, texts, hold };
  };
  const question = { type: 'utterance', id: 'u-1', text: 'When are you open?' } as const;
  const asks: Step = { after: 100, heard: question };
  const hangsUp: Step = { after: 10_000, heard: { type: 'hang-up' } };

  test('stores the heard part of an answer that another process cancels', async () => {
    const { clock, sessions, id, texts, hold } = await open([asks, hangsUp]);
    const supervise = async () => {
      await clock.wait(1200);
      await sessions.orThrow.cancel(id);
    };
    await Promise.all([hold(), supervise()]);
    expect(await texts()).toEqual(['When are you open?', 'From nine —']);
  });

  test('answers an utterance once that is heard twice', async () => {
    const { texts, hold } = await open([asks, asks, hangsUp]);
    expect(await hold()).toBe('terminated');
    expect(await texts()).toEqual(['When are you open?', 'From nine to five.']);
  });

  test("answers a question that was open when the call was cut, also after a supervisor's note", async () => {
    const { sessions, id, texts, hold } = await open([asks, { after: 100, heard: 'cut' }, hangsUp]);
    expect(await hold()).toBe('cut');
    await sessions.orThrow.append(id, [{ role: 'supervisor', content: 'Mention Saturdays.' }]);
    expect(await texts()).toEqual(['When are you open?', 'Mention Saturdays.']);
    expect(await hold()).toBe('terminated');
    expect(await texts()).toEqual([
      ...['When are you open?', 'Mention Saturdays.', 'From nine to five.'],
    ]);
  });
});

describe('a call over LiveKit', () => {
  const item = { id: 'item_1', role: 'user', textContent: 'Hello', interrupted: false };

  test('continues if its start or an entry cannot be stored, and reports that to its host', async () => {
    const causes = unhandled();
    const { sessions, state } = openSessions();
    const { id } = await okOf(sessions.create(ada));
    const failures: unknown[] = [];
    const absent = new EventEmitter();
    const closed = keepLiveKit(absent, sessions, 'nobody', (error) => failures.push(error));
    await settled();
    expect(failures).toEqual([expect.objectContaining({ type: 'not_found' })]);
    absent.emit('close', { reason: 'error' });
    await closed;
    const events = new EventEmitter();
    const kept = keepLiveKit(events, sessions, id, (error) => failures.push(error));
    await settled();
    state.isDown = true;
    events.emit('conversation_item_added', { item });
    await settled();
    state.isDown = false;
    events.emit('conversation_item_added', { item: { ...item, id: 'item_2' } });
    events.emit('close', { reason: 'participant_disconnected' });
    await kept;
    expect(failures.map((error) => Object(error).type)).toEqual([
      'not_found',
      'not_found',
      'store_unavailable',
    ]);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', historyCount: 1 });
    expect(await errorOf(sessions.get('nobody'))).toMatchObject({ type: 'not_found' });
    expect(causes).toEqual([]);
  });
});
