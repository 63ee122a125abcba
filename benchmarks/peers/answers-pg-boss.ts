import { Client } from 'pg';
import { type Db, type Job, PgBoss } from 'pg-boss';
import { ANSWER, type Answering, CALLERS, nextOf, SAID_BY_USER } from './answering.js';

const QUEUE = 'messages';
const CHANNEL = 'answered';
const TABLE = `CREATE TABLE answers (
  talk text NOT NULL, message text NOT NULL, content text NOT NULL, answer text NOT NULL,
  PRIMARY KEY (talk, message)
)`;
const STORE = 'INSERT INTO answers VALUES ($1, $2, $3, $4)';

interface Asked {
  readonly talk: string;
  readonly message: string;
  readonly content: string;
}

/**
 * The answer, the end of the job and the notice of it are one transaction, which pg-boss calls
 * `transactional`. It has no call that waits for the end of a job outside of tests.
 */
export const pgBossAnswers = async (url: string): Promise<Answering> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(TABLE);
  await client.query(`LISTEN ${CHANNEL}`);
  const waiting = new Map<string, (answer: string) => void>();
  client.on('notification', ({ payload = '' }) => {
    waiting.get(payload)?.(ANSWER);
    waiting.delete(payload);
  });
  const boss = new PgBoss({ connectionString: url, useListenNotify: true });
  boss.on('error', ({ message }) => console.error(message));
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  const options = { localConcurrency: CALLERS, transactional: true } as const;
  await boss.work(QUEUE, options, async ([job]: readonly Job<Asked>[], db: Db) => {
    if (job === undefined) return;
    const { talk, message, content } = job.data;
    await db.executeSql(STORE, [talk, message, content, ANSWER]);
    await db.executeSql('SELECT pg_notify($1, $2)', [CHANNEL, message]);
  });
  const next = nextOf();
  return {
    subjects: [
      {
        name: 'pg-boss send, work, LISTEN',
        note: 'a job and a row by hand with the answer, in one transaction; a notice by hand; no history, no order within a conversation',
        call: async () => {
          const { talk, message } = next();
          const answered = new Promise<string>((resolve) => waiting.set(message, resolve));
          await boss.send(QUEUE, { talk, message, content: SAID_BY_USER });
          return answered;
        },
      },
    ],
    close: async () => {
      await boss.stop();
      await client.end();
    },
  };
};
