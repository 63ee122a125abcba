import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { ANSWER, type Answering, nextOf, SAID_BY_USER } from './answering.js';

const QUEUE = 'messages';
/** Less than its own second, in favour of DBOS: the queue and results are polled. */
const POLLING = 10;

const answer = async (_message: string): Promise<string> => ANSWER;

/** A workflow without steps: a worker that dies in it runs it again, as Colloquy does. */
export const dbosAnswers = async (url: string): Promise<Answering> => {
  DBOS.setConfig({ name: 'peers', systemDatabaseUrl: url, logLevel: 'error' });
  const workflow = DBOS.registerWorkflow(answer, { name: 'answer' });
  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, { minPollingIntervalMs: POLLING });
  const client = await DBOSClient.create({ systemDatabaseUrl: url });
  const next = nextOf();
  const idOf = ({ talk, message }: ReturnType<typeof next>) => `${talk}:${message}`;
  return {
    subjects: [
      {
        name: 'DBOS startWorkflow, getResult',
        note: 'in the process of the caller, without a queue; message and answer are input and output of a workflow, no history',
        call: async () => {
          const workflowID = `started:${idOf(next())}`;
          const handle = await DBOS.startWorkflow(workflow, { workflowID })(SAID_BY_USER);
          return handle.getResult();
        },
      },
      {
        name: 'DBOSClient enqueue, getResult',
        note: `by a queue; the queue and the result are polled every ${POLLING} ms, where DBOS waits a second by default`,
        call: async () => {
          const options = { queueName: QUEUE, workflowName: 'answer', workflowID: idOf(next()) };
          const handle = await client.enqueue<typeof answer>(options, SAID_BY_USER);
          return handle.getResult({ pollingIntervalMs: POLLING });
        },
      },
    ],
    close: async () => {
      await client.destroy();
      await DBOS.shutdown();
    },
  };
};
