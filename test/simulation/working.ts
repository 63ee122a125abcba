import { createWorker, type Run, type Turn, unwrap } from '../../src/index.js';
import type { SimulatedHost, SimulatedSessions } from '../../src/simulation/index.js';
import { aborted, wait } from './steps.js';

/** Seconds of the leases of the workers. */
const LEASE = 10;
const QUESTIONS = 3;
const ids = ['s1', 's2'] as const;

export type RunOn = (turn: Turn, host: SimulatedHost) => ReturnType<Run>;

export const askFirst = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for (const _ of ids) {
    const { id } = unwrap(await sessions.create({ face: 'ada', profile: 'tutor', start: true }));
    unwrap(await sessions.send(id, { id: 'q0', content: 'q0' }));
  }
};

const ask = async (host: SimulatedHost, id: string, content: string): Promise<void> => {
  for (;;) {
    const asked = await host.sessions.send(id, { id: content, content });
    if (asked.isOk()) return;
    await wait(host, 1);
  }
};

/** A host with a worker. The first one also asks, a few seconds apart. */
export const working =
  (run: RunOn) =>
  async (host: SimulatedHost): Promise<void> => {
    await using worker = createWorker(host.sessions, {
      run: (turn) => run(turn, host),
      seconds: LEASE,
    });
    worker.start();
    for (let question = 1; host.host === 1 && question <= QUESTIONS; question += 1) {
      for (const id of ids) {
        await wait(host, 4 * host.random());
        await ask(host, id, `q${question}`);
      }
    }
    await aborted(host.signal);
  };

const answerTo = (messages: Turn['messages']) => messages.map(({ content }) => content).join(' ');

/** Returns the answer to all messages, so it is stored with the end of the turn. */
export const careful: RunOn = async ({ messages }, host) => {
  await wait(host, 1);
  return answerTo(messages);
};

/** Answers so slowly that further questions arrive. */
export const slow: RunOn = async (turn, host) => {
  await wait(host, 4);
  return careful(turn, host);
};

/** Answers the latest message only. */
export const hasty: RunOn = async ({ messages }, host) => {
  await wait(host, 1);
  return answerTo(messages.slice(-1));
};

/** Repeats its answer after an unknown outcome, without an operation id. */
export const nameless: RunOn = async ({ session, sessions, messages }, host) => {
  const answer = [{ role: 'assistant', content: answerTo(messages) }];
  for (;;) {
    const answered = await sessions.append(session.id, answer);
    if (answered.isOk() || answered.error.type !== 'store_unavailable')
      return answered.map(() => undefined);
    await wait(host, 1);
  }
};

/** Releases its work as done before it has stored the answer. */
export const doneTooEarly: RunOn = async ({ session, messages, fencingToken }, host) => {
  const { sessions } = host;
  await sessions.release(session.id, { fencingToken, done: true });
  await wait(host, 1);
  await sessions.append(session.id, [{ role: 'assistant', content: answerTo(messages) }]);
  return undefined;
};

/** Counts each answer outside the store: `count` may get an answer again. */
export const counting =
  (count: (answer: string) => void): RunOn =>
  (turn, host) => {
    count(`${turn.session.id} ${answerTo(turn.messages)}`);
    return careful(turn, host);
  };

export const eachAnsweredOnce = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for (const id of ids) {
    const { history, work } = unwrap(await sessions.get(id));
    const questions = history.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    const answers = history.flatMap(({ role, content }) =>
      role === 'assistant' ? content.split(' ') : [],
    );
    if (questions.toSorted().join() !== answers.toSorted().join()) {
      throw new Error(
        `the questions of ${id} are ${questions.join()}, and ${answers.join()} are answered`,
      );
    }
    if (work !== undefined)
      throw new Error(`${id} still waits for a worker: ${JSON.stringify(work)}`);
  }
};
