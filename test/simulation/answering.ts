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

/** A worker that looks for questions every five seconds, and answers in its own way. */
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

/** Answers the open question of a session under a lease, in its own way. */
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

/** Answers, whoever else does. */
export const careless = worker(async (host, id) => {
  if ((await openQuestion(host.sessions, id)) === undefined) return;
  await wait(host, 1);
  await host.sessions.append(id, reply);
});

/** Sends an append again whose answer was lost, without a name for it. */
export const repeating = worker(async ({ sessions }, id) => {
  if ((await openQuestion(sessions, id)) === undefined) return;
  const appended = await sessions.append(id, reply);
  if (appended.isErr() && appended.error.type === 'store_unavailable')
    await sessions.append(id, reply);
});

/** Holds a lease, and sends an append again whose answer was lost, without a name for it. */
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

/** Sends an append until it is stored, each time under another operation id. */
export const forgetful = leased(async (host, sessions, id) => {
  for (;;) {
    const appended = await sessions.append(id, reply, { operationId: `${host.random()}` });
    if (appended.isOk() || appended.error.type !== 'store_unavailable') return;
    await wait(host, 1);
  }
});

/** Holds a lease, but writes with the sessions outside of it. */
export const unfenced = worker((host, id) =>
  host.sessions.withLease(id, { holder: `host ${host.host}`, seconds: 10 }, async () => {
    if ((await openQuestion(host.sessions, id)) === undefined) return;
    await wait(host, 1);
    await host.sessions.append(id, reply);
  }),
);

/** Answers with the sessions of its lease the question that it has read. */
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
