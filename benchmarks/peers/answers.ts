import { Pool } from 'pg';
import { createWorker, SessionService, type SessionStore } from '../colloquy.js';
import type { Group, Subject } from '../harness/index.js';
import { postgres } from '../subjects/stores/postgres.js';
import { expect, must } from '../subjects/suite.js';
import { ANSWER, type Answering, CALLERS, nextOf, SAID_BY_USER, TALKS } from './answering.js';
import { adkAnswers } from './answers-adk.js';
import { dbosAnswers } from './answers-dbos.js';
import { pgBossAnswers } from './answers-pg-boss.js';

const NAME = 'colloquy send, createWorker, answer';

/** Each call sends a message to one of the sessions and waits for the answer that is stored. */
const colloquyAnswers = async (store: SessionStore): Promise<Answering> => {
  const sessions = new SessionService({ store });
  const worker = createWorker(sessions, {
    run: () => ANSWER,
    concurrency: CALLERS,
    onError: ({ message }) => console.error(message),
  });
  worker.start();
  const next = nextOf();
  const call = async (): Promise<string> => {
    const { talk, message } = next();
    await must(sessions.send(talk, { id: message, content: SAID_BY_USER }, { create: true }));
    return (await must(sessions.answer(talk, message, { timeoutMs: 30_000 }))).content;
  };
  // Creates the sessions, which the measured calls then find.
  for (let left = TALKS; left > 0; left -= 1) await call();
  return {
    subjects: [
      {
        name: NAME,
        call,
        note: 'the message is in the history with its answer, each once; a worker that dies is followed by another',
      },
    ],
    close: () => worker.stop(),
  };
};

const checked = (subject: Subject): Subject => ({
  ...subject,
  check: (answer) => expect(answer === ANSWER, `${subject.name} returns the answer`),
});

/** A message that a worker answers: the peers that do this on PostgreSQL, each in a database. */
export const openAnswers = async () => {
  const database = await postgres.open({ sync: 'always' });
  const admin = new Pool({ connectionString: database.address });
  const urlOf = async (name: string): Promise<string> => {
    await admin.query(`CREATE DATABASE ${name}`);
    return (database.address ?? '').replace(/[^/]*$/, name);
  };
  const all = [
    await colloquyAnswers(database.open(true)),
    await pgBossAnswers(await urlOf('pg_boss')),
    await dbosAnswers(await urlOf('dbos')),
    await adkAnswers(await urlOf('adk')),
  ];
  const groups = [1, CALLERS].map(
    (callers): Group => ({
      name: 'answer on PostgreSQL, by a worker in this process',
      callers,
      limits: [NAME],
      isTimedSingly: true,
      subjects: all.flatMap(({ subjects }) => subjects.map(checked)),
    }),
  );
  const close = async (): Promise<void> => {
    for (const peer of all) await peer.close();
    await admin.end();
    await database.close();
  };
  return { groups, close };
};
