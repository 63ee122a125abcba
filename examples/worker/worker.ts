// Runs conversations. Any number of workers can run: a worker leases the session that it drives, and Redis decides who
// does. The lease of a killed worker runs out, and another takes the session up. A worker reacts to events, and also lists
// sessions from time to time for those that it missed and those that were left.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSweeper, type Result, type ResultAsync, type SessionError } from 'colloquy';
import { openSessions } from './sessions.js';

const MAX_SESSIONS = 200;
/** How long the sessions of a killed worker wait for another one. */
const LEASE_SECONDS = Number(process.env['LEASE_SECONDS'] ?? 15);
const RENEW_MS = (LEASE_SECONDS * 1000) / 3;
const LOOK_AROUND_MS = RENEW_MS;

const { sessions, close } = openSessions();
const stopping = new AbortController();
const leased = new Map<string, Promise<void>>();
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

/** Renews a lease until `end` is called. Aborts `signal` if it is lost: from then on another worker may have the session. */
const keepLease = (id: string, fencingToken: number) => {
  const lost = new AbortController();
  const renew = async () => {
    const renewed = await sessions.renew(id, { fencingToken, seconds: LEASE_SECONDS });
    if (renewed.isErr() && renewed.error.type === 'lease_lost') lost.abort();
  };
  const renewing = setInterval(renew, RENEW_MS);
  return { signal: lost.signal, end: () => clearInterval(renewing) };
};

/** Makes the session ACTIVE, if it is not: it is, if its worker was killed. */
const begin = async (id: string, fencingToken: number): Promise<boolean> => {
  const found = await insist(() => sessions.get(id, { historyLimit: 0 }));
  if (found.isErr() || found.value.status === 'ACTIVE') return found.isOk();
  const command = found.value.status === 'IDLE' ? 'start' : 'resume';
  const operationId = `${command}-${randomUUID()}`;
  return (await insist(() => sessions[command](id, { operationId, fencingToken }))).isOk();
};

/** Answers the user until the session has ended, another worker has it, or this process stops. */
const converse = async (id: string, fencingToken: number, signal: AbortSignal): Promise<'over' | 'broken'> => {
  let position: number | undefined;
  for await (const item of sessions.watch(id, { signal })) {
    if (item.isErr()) return item.error.type === 'not_found' ? 'over' : 'broken';
    const change = item.value;
    if (change.type === 'session.terminated') console.log(`${id} has ended: ${change.endReason}`);
    if (change.type !== 'session.snapshot' && change.type !== 'session.appended') continue;
    // First the last entry alone: if it is the user's, the worker before did not answer it.
    const part = await insist(() => sessions.history(id, position === undefined ? { last: 1 } : { after: position }));
    if (part.isErr()) return 'broken';
    position = part.value.position;
    const questions = part.value.entries.filter(({ role }) => role === 'user');
    if (questions.length === 0) continue;
    const content = await answerTo(questions.map((question) => question.content).join(' '));
    // The operation id is that of the question: a second answer after a crash or a lost reply adds nothing.
    const operationId = `answer-to-${position}`;
    const said = await insist(() =>
      sessions.append(id, [{ role: 'assistant', content }], { operationId, fencingToken }),
    );
    if (said.isErr() && said.error.type === 'lease_lost') return 'over';
    if (said.isErr()) console.error(`${id}: ${said.error.message}`); // the user has hung up, or this was answered
  }
  return 'over';
};

/** Drives a session, if no other worker does. */
const drive = async (id: string): Promise<void> => {
  const taken = await insist(() => sessions.lease(id, { holder, seconds: LEASE_SECONDS }));
  if (taken.isErr()) return; // another was faster, or it has ended
  const { fencingToken } = taken.value;
  const kept = keepLease(id, fencingToken);
  const signal = AbortSignal.any([stopping.signal, kept.signal]);
  if (await begin(id, fencingToken)) {
    console.log(`${id} is leased by worker ${process.pid}`);
    while ((await converse(id, fencingToken, signal)) === 'broken' && !signal.aborted) await wait(1000);
  }
  kept.end();
  // Until another worker takes it, the time limit does not run. An ended session stays unchanged.
  if (stopping.signal.aborted) await sessions.pause(id, { fencingToken });
  const released = await sessions.release(id, { fencingToken });
  if (released.isErr() && released.error.type === 'lease_lost') console.log(`${id} was lost: its lease ran out`);
};

const claim = (id: string): void => {
  if (leased.has(id) || leased.size >= MAX_SESSIONS || stopping.signal.aborted) return;
  leased.set(
    id,
    drive(id).finally(() => leased.delete(id)),
  );
};

/** Sessions that wait for a worker: new ones, paused ones, and those of killed workers. */
const lookAround = async (): Promise<void> => {
  for (const status of ['IDLE', 'PAUSED', 'ACTIVE'] as const) {
    for await (const found of sessions.each({ status, historyLimit: 0 })) {
      if (found.isOk() && found.value.lease === undefined) claim(found.value.id);
    }
  }
};

const sweeper = createSweeper(sessions, { onError: (error) => console.error(error.message) });
const stop = () => stopping.abort();
process.once('SIGINT', stop).once('SIGTERM', stop);

sweeper.start();
const looking = setInterval(lookAround, LOOK_AROUND_MS);
void lookAround();
console.log(`worker ${process.pid} is up`);
while (!stopping.signal.aborted) {
  for await (const item of sessions.watchAll({ signal: stopping.signal })) {
    if (item.isErr()) console.error(item.error.message);
    else if (item.value.type === 'session.created') claim(item.value.sessionId);
  }
  await wait(1000);
}
clearInterval(looking);
await sweeper.stop();
await Promise.all(leased.values());
await close();
console.log('stopped');
