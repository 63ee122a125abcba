// Answers the messages of users. Any number of workers can run: each claims the sessions that want
// one, as many as it has room for, and no two get the same one. Between two messages no worker has
// the session. If a worker is killed, its leases run out, and others answer.
import { setTimeout as pause } from 'node:timers/promises';
import { createSweeper, createWorker, type HistoryEntry } from 'colloquy';
import { openSessions } from './sessions.js';

/**
 * Replace this with your model. Pass it the signal: nobody waits for an answer that was cancelled.
 */
const answerTo = async (history: readonly HistoryEntry[], signal: AbortSignal): Promise<string> => {
  await pause(Number(process.env['THINK_MS'] ?? 0), undefined, { signal });
  const saidLast = history.slice(history.findLastIndex(({ role }) => role === 'assistant') + 1);
  return `You said: ${saidLast.map(({ content }) => content).join(' ')}`;
};

const { sessions, close } = openSessions();

const worker = createWorker(sessions, {
  concurrency: 100,
  /** How long the sessions of a killed worker wait for another one. */
  seconds: Number(process.env['LEASE_SECONDS'] ?? 15),
  run: async ({ session: { id }, sessions: held, signal, attempt }) => {
    for (;;) {
      const { entries, position: ifPosition } = await held.orThrow.history(id, { last: 100 });
      const last = (author: string) => entries.findLastIndex(({ role }) => role === author);
      if (last('user') <= last('assistant')) return; // an attempt before this one has answered
      console.log(`answers ${id}, attempt ${attempt}`);
      const content = await answerTo(entries, signal);
      const said = await held.append(id, [{ role: 'assistant', content }], { ifPosition });
      // The user has said more meanwhile: answer all of it.
      if (said.isOk() || said.error.type !== 'history_moved') return said;
    }
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
