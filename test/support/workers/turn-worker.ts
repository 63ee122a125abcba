import { openSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createWorker, SessionService, type Turn } from '../../../src/index.js';
import { openStoreAt } from '../store-address.js';

/**
 * `turn-worker.ts JOB`: answers each turn of the sessions that wait for a worker, until it is killed.
 * It marks in the file `marks`, which all such processes share, when it has a session and when it
 * lets it go: see `Mark`.
 */
const { address, marks, concurrency, seconds } = JSON.parse(process.argv[2] ?? '{}');

const { store } = openStoreAt(address);
const file = openSync(marks, 'a');

const mark = (what: object): void => {
  writeSync(file, `${JSON.stringify({ ...what, at: Date.now() })}\n`);
};

/** Answers the turns that have no answer yet, each under its own operation. */
const answer = async ({ session: { id }, sessions, signal, fencingToken }: Turn): Promise<void> => {
  const { entries } = await sessions.orThrow.history(id, { last: 1000 });
  const answered = new Set(
    entries.flatMap(({ data }) => (data === undefined ? [] : [Object(data).answerTo])),
  );
  for (const { role, position } of entries) {
    if (role !== 'user' || answered.has(position)) continue;
    signal.throwIfAborted();
    await wait(Math.random() * 10);
    const reply = {
      role: 'assistant',
      content: 'Hello!',
      data: { answerTo: position, fencingToken },
    };
    await sessions.orThrow.append(id, [reply], { operationId: `answer-to-${position}` });
  }
};

const run = async (work: Turn): Promise<void> => {
  const { session, fencingToken, signal } = work;
  const { id, lease } = session;
  mark({ did: 'begin', id, fencingToken, until: Date.parse(lease?.until ?? '') });
  try {
    await answer(work);
  } finally {
    if (!signal.aborted) mark({ did: 'end', id, fencingToken });
  }
};

createWorker(new SessionService({ store }), { run, concurrency, seconds, attempts: 1000 }).start();
