// Runs conversations. Any number of workers can run: the worker whose `start` succeeds has the session, which Redis
// decides. A worker reacts to events, and also lists sessions from time to time in case it missed one.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSweeper, type SessionError } from 'colloquy';
import type { Result, ResultAsync } from 'neverthrow';
import { openSessions } from './sessions.js';

const MAX_HELD = 200;
const LOOK_AROUND_MS = 5000;

const { sessions, close } = openSessions();
const stopping = new AbortController();
const held = new Map<string, Promise<void>>();

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

/** Answers the user until the session has ended or this process stops. */
const converse = async (id: string): Promise<'over' | 'broken'> => {
  let position: number | undefined;
  for await (const item of sessions.watch(id, { signal: stopping.signal })) {
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
    const said = await insist(() => sessions.append(id, [{ role: 'assistant', content }], { operationId }));
    if (said.isErr()) console.error(`${id}: ${said.error.message}`); // the user was faster and has hung up
  }
  return 'over';
};

const hold = async (id: string): Promise<void> => {
  while ((await converse(id)) === 'broken' && !stopping.signal.aborted) await wait(1000);
  // Paused, so that another worker can take it. An ended session stays unchanged.
  if (stopping.signal.aborted) await sessions.pause(id);
};

/** Takes a session, if no other worker does. The sessions of a killed worker are not paused: they reach their time limit. */
const claim = async (id: string, how: 'start' | 'resume'): Promise<void> => {
  if (held.has(id) || held.size >= MAX_HELD || stopping.signal.aborted) return;
  const operationId = `${how}-${randomUUID()}`;
  const claimed = await insist(() => sessions[how](id, { operationId }));
  if (claimed.isErr()) return; // another was faster, or it has ended
  console.log(`${id} is held by worker ${process.pid}`);
  held.set(
    id,
    hold(id).finally(() => held.delete(id)),
  );
};

/** Sessions that wait for a worker: new ones, and paused ones. */
const lookAround = async (): Promise<void> => {
  for await (const found of sessions.each({ status: 'IDLE' })) if (found.isOk()) await claim(found.value.id, 'start');
  for await (const found of sessions.each({ status: 'PAUSED' }))
    if (found.isOk()) await claim(found.value.id, 'resume');
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
    else if (item.value.type === 'session.created') void claim(item.value.sessionId, 'start');
  }
  await wait(1000);
}
clearInterval(looking);
await sweeper.stop();
await Promise.all(held.values());
await close();
console.log('stopped');
