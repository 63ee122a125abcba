import { openSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createWorker, type Run, SessionService } from '../../../src/index.js';
import { openStoreAt } from '../store-address.js';

/**
 * `turn-worker.ts JOB`: answers the messages of the sessions that wait for a worker, and until
 * `talksUntil` sends messages itself, until it is killed or kills itself at one of its steps. It
 * marks in the file `marks`, which all such processes share, what it has done: see `Mark`.
 */
const job = JSON.parse(process.argv[2] ?? '{}');
const { address, marks, concurrency, seconds, ids, talksUntil, dies } = job;

const file = openSync(marks, 'a');

const mark = (what: object): void => {
  writeSync(file, `${JSON.stringify({ ...what, at: Date.now() })}\n`);
};

/** A step, at each of which the process may be killed. */
const step = (): void => {
  if (Date.now() < talksUntil && Math.random() < dies) process.kill(process.pid, 'SIGKILL');
};

const { store: inner } = openStoreAt(address);

/** The store, with a step before and after each write. */
const store = new Proxy(inner, {
  get: (target, name) => {
    const value: unknown = Reflect.get(target, name, target);
    if (typeof value !== 'function') return value;
    if (name !== 'change') return value.bind(target);
    return (...args: readonly unknown[]) => {
      step();
      const answer = Reflect.apply(value, target, args);
      answer.then(step, step);
      return answer;
    };
  },
});

const sessions = new SessionService({ store });

/** Answers all messages of a turn with one entry. */
const run: Run = async ({ session, messages, take, fencingToken, signal }) => {
  const { id, lease } = session;
  mark({ did: 'begin', id, fencingToken, until: Date.parse(lease?.until ?? '') });
  try {
    await wait(Math.random() * 10);
    step();
    const more = Math.random() < 0.3 ? await take() : [];
    const answers = [...messages, ...more].map((message) => message.id);
    return { role: 'assistant', content: 'Hello!', data: { answers, fencingToken } };
  } finally {
    if (!signal.aborted) mark({ did: 'end', id, fencingToken });
  }
};

const options = { seconds, attempts: 1000 };
let said = 0;

/** Sends a message, twice at the same time, or waits for the answer, until it is stored. */
const say = async (id: string): Promise<void> => {
  said += 1;
  const name = `${process.pid}-${said}`;
  const message = { id: name, content: name };
  const begun = Date.now();
  const isReply = Math.random() < 0.3;
  for (;;) {
    const stored = isReply
      ? await sessions.reply(id, message, run, { ...options, timeoutMs: 500 })
      : (await Promise.all([sessions.send(id, message), sessions.send(id, message)]))[0];
    if (stored.isOk() || stored.error.type === 'not_answered') break;
    await wait(20);
  }
  mark({ did: 'sent', id, name, begun });
};

const talk = async (): Promise<void> => {
  while (Date.now() < talksUntil) {
    await say(ids[Math.floor(Math.random() * ids.length)] ?? '');
    await wait(Math.random() * 20);
  }
};

createWorker(sessions, { ...options, run, concurrency }).start();
talk().catch(() => process.exit(1));
