import { type ResultAsync, type SessionService, unwrap } from '../../src/index.js';
import type { SimulatedHost, SimulatedSessions } from '../../src/simulation/index.js';
import { wait } from './steps.js';

/** Two sessions, each with a question. */
export const ask = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for (const content of ['one', 'two']) {
    const entries = [{ role: 'user', content }];
    await unwrap(
      sessions.create({
        face: 'ada',
        profile: 'tutor',
        start: true,
        entries,
        idempotencyKey: content,
      }),
    );
  }
};

/** Fails unless each question has one answer. */
export const eachAnsweredOnce = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for await (const session of sessions.each()) {
    const { id, history } = unwrap(session);
    const roles = history.map(({ role }) => role).join(', ');
    if (roles !== 'user, assistant') throw new Error(`${id} has ${roles}`);
  }
};

/** The position of a question without an answer; undefined if it has one, or cannot be read now. */
const openQuestion = async (sessions: SessionService, id: string): Promise<number | undefined> => {
  const part = await sessions.history(id, { last: 1 });
  return part.isOk() && part.value.entries[0]?.role === 'user' ? part.value.position : undefined;
};

/** A worker that polls for questions every five seconds, and answers them with `answer`. */
export const worker =
  (answer: (host: SimulatedHost, id: string) => Promise<unknown> | ResultAsync<unknown, unknown>) =>
  async (host: SimulatedHost): Promise<void> => {
    const { sessions, signal } = host;
    while (!signal.aborted) {
      for await (const session of sessions.each({ historyLimit: 0 })) {
        if (session.isOk()) await answer(host, session.value.id);
      }
      await wait(host, 5);
    }
  };

const reply = [{ role: 'assistant', content: 'an answer' }];

/** Answers the open question of a session under a lease. */
const leased = (
  answer: (host: SimulatedHost, sessions: SessionService, id: string) => PromiseLike<unknown>,
) =>
  worker((host, id) =>
    host.sessions.withLease(
      id,
      { holder: `host ${host.host}`, seconds: 10 },
      async ({ sessions }) => {
        if ((await openQuestion(sessions, id)) !== undefined) await answer(host, sessions, id);
      },
    ),
  );

/** Answers without checking whether another worker does. */
export const careless = worker(async (host, id) => {
  if ((await openQuestion(host.sessions, id)) === undefined) return;
  await wait(host, 1);
  await host.sessions.append(id, reply);
});

/** Repeats an append after a lost answer, without an operation id. */
export const repeating = worker(async ({ sessions }, id) => {
  if ((await openQuestion(sessions, id)) === undefined) return;
  const appended = await sessions.append(id, reply);
  if (appended.isErr() && appended.error.type === 'store_unavailable')
    await sessions.append(id, reply);
});

/** Repeats an append under a lease after a lost answer, without an operation id. */
export const repeatingUnderLease = leased(async (_, sessions, id) => {
  const appended = await sessions.append(id, reply);
  if (appended.isErr() && appended.error.type === 'store_unavailable')
    await sessions.append(id, reply);
});

/** Marks a question as answered before the answer is stored. */
export const hasty = leased(async (_, sessions, id) => {
  const { labels } = unwrap(await sessions.get(id));
  if (labels['answered'] !== undefined) return;
  unwrap(await sessions.update(id, { labels: { answered: 'yes' } }));
  await sessions.append(id, reply, { operationId: 'answer' });
});

/** Repeats an append until it is stored, with a new operation id each time. */
export const forgetful = leased(async (host, sessions, id) => {
  for (;;) {
    const appended = await sessions.append(id, reply, { operationId: `${host.random()}` });
    if (appended.isOk() || appended.error.type !== 'store_unavailable') return;
    await wait(host, 1);
  }
});

/** Holds a lease, but writes without its fencing token. */
export const unfenced = worker((host, id) =>
  host.sessions.withLease(id, { holder: `host ${host.host}`, seconds: 10 }, async () => {
    if ((await openQuestion(host.sessions, id)) === undefined) return;
    await wait(host, 1);
    await host.sessions.append(id, reply);
  }),
);

/** Answers the question that it has read, with its fencing token. */
export const careful = worker((host, id) =>
  host.sessions.withLease(
    id,
    { holder: `host ${host.host}`, seconds: 10 },
    async ({ sessions }) => {
      const position = await openQuestion(sessions, id);
      if (position === undefined) return;
      await wait(host, 1);
      await sessions.append(id, reply, { ifPosition: position });
    },
  ),
);
