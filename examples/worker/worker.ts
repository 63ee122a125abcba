// Runs conversations. Any number of workers can run: a worker holds the session that it drives, and Redis decides who
// does. The hold of a killed worker runs out, and another takes the session up. A worker reacts to events, and also lists
// sessions from time to time for those that it missed and those that were left.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSweeper, type SessionError } from 'colloquy';
import type { Result, ResultAsync } from 'neverthrow';
import { openSessions } from './sessions.js';

const MAX_HELD = 200;
/** How long the sessions of a killed worker wait for another one. */
const HOLD_SECONDS = Number(process.env['HOLD_SECONDS'] ?? 15);
const EXTEND_MS = (HOLD_SECONDS * 1000) / 3;
const LOOK_AROUND_MS = EXTEND_MS;

const { sessions, close } = openSessions();
const stopping = new AbortController();
const held = new Map<string, Promise<void>>();
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

/** Takes a hold, or extends it. */
const hold = (id: string) => sessions.hold(id, { holder, seconds: HOLD_SECONDS });

/** Extends a hold until `end` is called. Aborts `signal` if it ran out: from then on another worker may have the session. */
const keepHold = (id: string, fence: number) => {
  const lost = new AbortController();
  const extend = async () => {
    const extended = await hold(id);
    if (extended.isErr()) return extended.error.type === 'held' ? lost.abort() : undefined;
    if (extended.value.fence === fence) return;
    lost.abort();
    await sessions.release(id, extended.value); // this is a new hold
  };
  const extending = setInterval(extend, EXTEND_MS);
  return { signal: lost.signal, end: () => clearInterval(extending) };
};

/** Makes the session ACTIVE, if it is not: it is, if its worker was killed. */
const begin = async (id: string, fence: number): Promise<boolean> => {
  const found = await insist(() => sessions.get(id, { historyLimit: 0 }));
  if (found.isErr() || found.value.status === 'ACTIVE') return found.isOk();
  const command = found.value.status === 'IDLE' ? 'start' : 'resume';
  const operationId = `${command}-${randomUUID()}`;
  return (await insist(() => sessions[command](id, { operationId, fence }))).isOk();
};

/** Answers the user until the session has ended, another worker has it, or this process stops. */
const converse = async (id: string, fence: number, signal: AbortSignal): Promise<'over' | 'broken'> => {
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
    const said = await insist(() => sessions.append(id, [{ role: 'assistant', content }], { operationId, fence }));
    if (said.isErr() && said.error.type === 'not_holder') return 'over';
    if (said.isErr()) console.error(`${id}: ${said.error.message}`); // the user has hung up, or this was answered
  }
  return 'over';
};

/** Drives a session, if no other worker does. */
const drive = async (id: string): Promise<void> => {
  const taken = await insist(() => hold(id));
  if (taken.isErr()) return; // another was faster, or it has ended
  const { fence } = taken.value;
  const kept = keepHold(id, fence);
  const signal = AbortSignal.any([stopping.signal, kept.signal]);
  if (await begin(id, fence)) {
    console.log(`${id} is held by worker ${process.pid}`);
    while ((await converse(id, fence, signal)) === 'broken' && !signal.aborted) await wait(1000);
  }
  kept.end();
  // Until another worker takes it, the time limit does not run. An ended session stays unchanged.
  if (stopping.signal.aborted) await sessions.pause(id, { fence });
  const released = await sessions.release(id, { fence });
  if (released.isErr() && released.error.type === 'not_holder') console.log(`${id} was lost: its hold ran out`);
};

const claim = (id: string): void => {
  if (held.has(id) || held.size >= MAX_HELD || stopping.signal.aborted) return;
  held.set(
    id,
    drive(id).finally(() => held.delete(id)),
  );
};

/** Sessions that wait for a worker: new ones, paused ones, and those of killed workers. */
const lookAround = async (): Promise<void> => {
  for (const status of ['IDLE', 'PAUSED', 'ACTIVE'] as const) {
    for await (const found of sessions.each({ status, historyLimit: 0 })) {
      if (found.isOk() && found.value.hold === undefined) claim(found.value.id);
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
await Promise.all(held.values());
await close();
console.log('stopped');
