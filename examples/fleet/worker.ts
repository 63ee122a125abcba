// Runs conversations. Any number of workers can run: each claims the sessions that want a worker, as many as it has room
// for, and no two get the same one. If a worker is killed, its leases run out, and others claim its sessions.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSweeper, type Result, type ResultAsync, type SessionError, type SessionService } from 'colloquy';
import { openSessions } from './sessions.js';

const MAX_SESSIONS = 200;
/** How long the sessions of a killed worker wait for another one. */
const LEASE_SECONDS = Number(process.env['LEASE_SECONDS'] ?? 15);
/** How often a worker asks for sessions. */
const CLAIM_EVERY_MS = 250;

const { sessions, close } = openSessions();
const stopping = new AbortController();
const driven = new Set<Promise<void>>();
/** No other process has this name, not even this one after a restart. */
const holder = `worker ${process.pid} ${randomUUID()}`;

/** Replace this with your model. */
const answerTo = async (question: string): Promise<string> => `You said: ${question}`;

const wait = (ms: number) => pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

/** Retries while the store is unavailable. Safe for operations with an operation id, even if they were applied. */
const insist = async <T, E extends SessionError>(operation: () => ResultAsync<T, E>): Promise<Result<T, E>> => {
  for (let ms = 100; ; ms = Math.min(2 * ms, 5000)) {
    const result = await operation();
    const mayPass = result.isErr() && ['store_unavailable', 'conflict'].includes(result.error.type);
    if (!mayPass || stopping.signal.aborted) return result;
    await wait(ms);
  }
};

/** Makes the session ACTIVE, if it is not: it is, if its worker was killed. */
const begin = async (held: SessionService, id: string): Promise<boolean> => {
  const found = await insist(() => held.get(id, { historyLimit: 0 }));
  if (found.isErr() || found.value.status === 'ACTIVE') return found.isOk();
  const command = found.value.status === 'IDLE' ? 'start' : 'resume';
  const operationId = `${command}-${randomUUID()}`;
  return (await insist(() => held[command](id, { operationId }))).isOk();
};

/** Answers the user until the session has ended, another worker has it, or this process stops. */
const converse = async (held: SessionService, id: string, signal: AbortSignal): Promise<'over' | 'broken'> => {
  // At first the last entry alone: if it is the user's, the worker before did not answer it.
  for await (const item of held.watch(id, { signal, historyLimit: 1 })) {
    if (item.isErr()) return item.error.type === 'not_found' ? 'over' : 'broken';
    const change = item.value;
    if (change.type !== 'session.snapshot' && change.type !== 'session.changed') continue;
    const { session, position } = change;
    if (session.endReason !== undefined) console.log(`${id} has ended: ${session.endReason}`);
    const entries = change.type === 'session.snapshot' ? change.session.history : change.entries;
    const questions = entries.filter(({ role }) => role === 'user');
    if (questions.length === 0) continue;
    const content = await answerTo(questions.map((question) => question.content).join(' '));
    // The operation id is that of the question: a second answer after a crash or a lost reply adds nothing.
    const operationId = `answer-to-${position}`;
    const said = await insist(() => held.append(id, [{ role: 'assistant', content }], { operationId }));
    if (said.isErr() && said.error.type === 'lease_lost') return 'over';
    if (said.isErr()) console.error(`${id}: ${said.error.message}`); // the user has hung up, or this was answered
  }
  return 'over';
};

/** Drives a session that was claimed, under the same name. */
const drive = async (id: string): Promise<void> => {
  const done = await sessions.withLease(
    id,
    { holder, seconds: LEASE_SECONDS },
    async ({ sessions: held, signal: lost }) => {
      const signal = AbortSignal.any([stopping.signal, lost]);
      if (!(await begin(held, id))) return;
      console.log(`${id} is leased by worker ${process.pid}`);
      while ((await converse(held, id, signal)) === 'broken' && !signal.aborted) await wait(1000);
      // Until another worker claims it, the time limit does not run. An ended session stays unchanged.
      if (stopping.signal.aborted) await held.pause(id);
    },
  );
  if (done.isErr() && done.error.type === 'lease_lost') console.log(`${id} was lost: its lease ran out`);
};

/** Claims as many sessions as there is room for: new ones, and those of workers that were stopped or killed. */
const claim = async (): Promise<void> => {
  const limit = Math.min(MAX_SESSIONS - driven.size, 100);
  if (limit === 0) return;
  const claims = await sessions.claim({ holder, seconds: LEASE_SECONDS, limit });
  if (claims.isErr()) return console.error(claims.error.message);
  for (const id of claims.value.unreadable) console.error(`${id} cannot be read`);
  for (const { session } of claims.value.claimed) {
    const work = drive(session.id).finally(() => driven.delete(work));
    driven.add(work);
  }
};

const sweeper = createSweeper(sessions, { onError: (error) => console.error(error.message) });
const stop = () => stopping.abort();
process.once('SIGINT', stop).once('SIGTERM', stop);

sweeper.start();
console.log(`worker ${process.pid} is up`);
for (; !stopping.signal.aborted; await wait(CLAIM_EVERY_MS)) await claim();
await sweeper.stop();
await Promise.all(driven);
await close();
console.log('stopped');
