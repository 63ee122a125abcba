import { openSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createWorker, type Run, SessionService } from '../../../src/index.js';
import { openStoreAt } from '../store-address.js';
import { type Marking, talk } from './turn-users.js';

/**
 * `turn-worker.ts JOB`: answers the messages of waiting sessions, and until `talksUntil` runs users
 * in the same sessions, until it is killed or kills itself at a step. Records what it does in the
 * file `marks`, which all such processes share: see `Mark`.
 */
const job = JSON.parse(process.argv[2] ?? '{}');
const { address, marks, who, works, concurrency, seconds, ids, talksUntil, livesMs } = job;

const file = openSync(marks, 'a');

const mark: Marking = (what) => {
  writeSync(file, `${JSON.stringify({ ...what, who, at: Date.now() })}\n`);
};

/** A commit is named after the first of these effects. */
const COMMITS = ['truncate', 'withdraw', 'send', 'take', 'entries', 'put'];
const STEPS = [
  ...COMMITS.flatMap((effect) => [`before ${effect}`, `after ${effect}`]),
  'in a run',
  'after a take',
];

/** It kills itself at the first step of a random kind, after a random time. */
const doomedAt = STEPS[Math.floor(Math.random() * STEPS.length)];
const doomedFrom = Date.now() + 2 * livesMs * Math.random();

const step = (name: string): void => {
  const now = Date.now();
  if (name !== doomedAt || now < doomedFrom || now > talksUntil) return;
  mark({ did: 'died', step: name });
  process.kill(process.pid, 'SIGKILL');
};

/** Records the answers in a stored commit. */
const noteStored = (entries: readonly { readonly data?: unknown }[] = []): void => {
  for (const { data } of entries) {
    const { run } = Object(data);
    if (run !== undefined) mark({ did: 'stored', run });
  }
};

const { store: inner } = openStoreAt(address);

const change: typeof inner.change = async (commit) => {
  const { effects } = commit;
  const kind = COMMITS.find((effect) => Reflect.get(effects, effect) !== undefined);
  step(`before ${kind}`);
  const changed = await inner.change(commit);
  step(`after ${kind}`);
  const isMade = changed.isOk() && changed.value.outcome !== 'refused';
  if (isMade && 'entries' in effects) noteStored(effects.entries);
  return changed;
};

/** Adds a step before and after each change. */
const store = new Proxy(inner, {
  get: (target, name) => {
    if (name === 'change') return change;
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

const sessions = new SessionService({ store });
let runs = 0;

/** Answers all messages of a turn with one entry. */
const run: Run = async ({ session: { id, lease }, messages, take, fencingToken, signal }) => {
  runs += 1;
  const name = `run ${runs} of ${who}`;
  const until = Date.parse(lease?.until ?? '');
  const names = messages.map((message) => message.id);
  const since = until - 1000 * seconds;
  mark({ did: 'begin', id, run: name, fencingToken, since, until, names });
  try {
    await wait(Math.random() * 30);
    step('in a run');
    if (Math.random() < 0.4) {
      const after = Math.random() < 0.5 ? ['One moment.'] : [];
      const more = (await take({ after })).map((message) => message.id);
      names.push(...more);
      mark({ did: 'given', names: more });
      step('after a take');
    }
    mark({ did: 'ran', run: name });
    return { content: 'Hello!', data: { run: name, answers: names, fencingToken } };
  } finally {
    if (!signal.aborted) mark({ did: 'end', id, fencingToken });
  }
};

const options = { seconds, attempts: 1000 };
if (works) createWorker(sessions, { ...options, run, concurrency }).start();
// Keeps a host without a worker alive until it is killed.
setInterval(() => undefined, 1000);
talk({ sessions, run, options, who, ids, talksUntil, mark }).catch(() => process.exit(1));
