import { type ClaimedWork, createWorker, type SessionService, unwrap } from '../../src/index.js';
import type { SimulatedHost, SimulatedSessions } from '../../src/simulation/index.js';
import { aborted, wait } from './steps.js';

/** Seconds of the leases of the workers. */
const LEASE = 10;
const QUESTIONS = 3;
const ids = ['s1', 's2'] as const;

/** What `run` of a worker does, on a host. */
export type Run = (work: ClaimedWork, host: SimulatedHost) => unknown;

/** Two sessions, each with a question that wants an answer. */
export const askFirst = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for (const _ of ids) {
    const entries = [{ role: 'user', content: 'q0' }];
    await unwrap(
      sessions.create({ face: 'ada', profile: 'tutor', start: true, entries, wake: true }),
    );
  }
};

/** Asks until it is certain that the question is stored. */
const ask = async (host: SimulatedHost, id: string, content: string): Promise<void> => {
  const options = { operationId: content, wake: true };
  for (;;) {
    const asked = await host.sessions.append(id, [{ role: 'user', content }], options);
    if (asked.isOk()) return;
    await wait(host, 1);
  }
};

/** A host with a worker. The first one also asks, a few seconds apart. */
export const working =
  (run: Run) =>
  async (host: SimulatedHost): Promise<void> => {
    await using worker = createWorker(host.sessions, {
      run: (work) => run(work, host),
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

/** The questions without an answer, and where the history ends. */
const openQuestions = async (sessions: SessionService, id: string) => {
  const { entries, position } = await sessions.orThrow.history(id, { last: 20 });
  const answers = entries.filter(({ role }) => role === 'assistant');
  const answered = new Set(answers.flatMap(({ content }) => content.split(' ')));
  const questions = entries.filter(
    ({ role, content }) => role === 'user' && !answered.has(content),
  );
  return { open: questions.map(({ content }) => content), position };
};

const answerTo = (questions: readonly string[]) => [
  { role: 'assistant', content: questions.join(' ') },
];

/** Answers all open questions at once, if no other one has come meanwhile. */
export const careful: Run = async ({ session, sessions }, host) => {
  const { open, position } = await openQuestions(sessions, session.id);
  if (open.length === 0) return;
  await wait(host, 1);
  await sessions.orThrow.append(session.id, answerTo(open), { ifPosition: position });
};

/** Answers the question that it has read, whatever has come meanwhile. */
export const hasty: Run = async ({ session, sessions }, host) => {
  const { entries } = await sessions.orThrow.history(session.id, { last: 1 });
  const [question] = entries;
  if (question?.role !== 'user') return;
  await wait(host, 1);
  const operationId = `answer-to-${question.position}`;
  await sessions.orThrow.append(session.id, answerTo([question.content]), { operationId });
};

/**
 * Sends its answer again after an attempt of which it does not know the end, without a name for it.
 */
export const nameless: Run = async ({ session, sessions }, host) => {
  const { open } = await openQuestions(sessions, session.id);
  if (open.length === 0) return undefined;
  for (;;) {
    const answered = await sessions.append(session.id, answerTo(open));
    if (answered.isOk() || answered.error.type !== 'store_unavailable') return answered;
    await wait(host, 1);
  }
};

/** Says that its work is done before it has stored the answer. */
export const doneTooEarly: Run = async ({ session, fencingToken }, host) => {
  const { sessions } = host;
  const { open, position } = await openQuestions(sessions, session.id);
  if (open.length === 0) return;
  await sessions.release(session.id, { fencingToken, done: true });
  await wait(host, 1);
  await sessions.append(session.id, answerTo(open), { ifPosition: position });
};

/** Answers carefully, and counts each answer elsewhere: `count` may get an answer again. */
export const counting =
  (count: (answer: string) => void): Run =>
  async (work, host) => {
    const { open } = await openQuestions(work.sessions, work.session.id);
    if (open.length > 0) count(`${work.session.id} ${open.join(' ')}`);
    await careful(work, host);
  };

/** Each question has one answer, and no session waits. */
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
