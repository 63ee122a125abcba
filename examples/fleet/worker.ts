// Answers the messages of users. Any number of workers can run: each claims the sessions with
// messages, as many as it has room for, and no two get the same one. What `run` returns is stored
// as the answer. If a worker is killed, its leases run out, and others answer.
import { setTimeout as pause } from 'node:timers/promises';
import { createSweeper, createWorker, type HistoryEntry } from 'colloquy';
import { openSessions } from './sessions.js';

/** Replace this with your model. Pass it the signal: it is aborted when nobody is waiting. */
const answerTo = async (history: readonly HistoryEntry[], signal: AbortSignal): Promise<string> => {
  await pause(Number(process.env['THINK_MS'] ?? 0), undefined, { signal });
  const saidLast = history.slice(history.findLastIndex(({ role }) => role === 'assistant') + 1);
  return `You said: ${saidLast.map(({ content }) => content).join(' ')}`;
};

const { sessions, close } = openSessions();

const worker = createWorker(sessions, {
  concurrency: 100,
  seconds: Number(process.env['LEASE_SECONDS'] ?? 15), // how long a crashed worker's sessions wait
  run: ({ session: { id }, history, signal, attempt }) => {
    console.log(`answers ${id}, attempt ${attempt}`);
    return answerTo(history, signal);
  },
  onError: (error) => console.error('cause' in error ? error.cause : error.message),
});

const sweeper = createSweeper(sessions, { onError: (error) => console.error(error.message) });

const stop = async () => {
  await Promise.all([sweeper.stop(), worker.stop()]); // when its answers are given
  await close();
  console.log('stopped');
};
process.once('SIGINT', stop).once('SIGTERM', stop);

sweeper.start();
worker.start();
console.log('up');
