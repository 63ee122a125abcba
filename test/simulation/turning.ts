import { createWorker, type NewMessage, type Run, unwrap } from '../../src/index.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SimulatedHost, SimulatedSessions } from '../../src/simulation/index.js';
import type { Asks, Mark, Unstamped } from '../faults/workers/marks.js';
import { aborted, wait } from './steps.js';

const ids = ['s1', 's2'] as const;
/** Seconds of a lease. */
const LEASE = 10;

/** A message and what its sender heard, numbered in the order of all begins and ends. */
export interface Spoken {
  readonly id: string;
  readonly begun: number;
  /** Undefined until its sender knows that it is stored. */
  heard?: number;
}

/** A process of a host, until it crashes. */
interface Life {
  readonly who: number;
  /** The last time that it was known to be alive. */
  seen: number;
}

/** Everything that the users and the runs of all hosts know. */
export class Told {
  count = 0;
  readonly spoken = new Map<string, Spoken>();
  readonly withdrawn = new Set<string>();
  /** The messages that a run was given. */
  readonly given = new Set<string>();
  readonly marks: Mark[] = [];
  readonly #lives = new Map<number, Life>();

  next(): number {
    this.count += 1;
    return this.count;
  }

  /** Records that a process begins, so an earlier one of the host has crashed. */
  begin({ host, clock }: SimulatedHost): void {
    const before = this.#lives.get(host);
    if (before !== undefined)
      this.marks.push({ did: 'died', who: before.who, step: 'anywhere', at: before.seen });
    this.#lives.set(host, { who: this.next(), seen: clock.now() });
  }

  stored(entries: readonly HistoryEntry[]): void {
    for (const { data } of entries)
      if (data !== undefined)
        this.marks.push({ did: 'stored', run: Object(data).run, who: 0, at: 0 });
  }

  /** Records that the process of a host is alive, and what it does. */
  mark({ host, clock }: SimulatedHost, what?: Unstamped<Mark>): void {
    const life = this.#lives.get(host);
    if (life === undefined) return;
    life.seen = clock.now();
    if (what !== undefined) this.marks.push({ ...what, who: life.who, at: life.seen });
  }
}

/** What users and runs do in addition to messages and answers. */
export interface Manners {
  /** Runs that never end, which the worker gives up. */
  readonly hangs: boolean;
  /** Users who cancel, rewind and withdraw. */
  readonly changes: boolean;
}

type Act = (host: SimulatedHost, told: Told, id: string, manners: Manners) => Promise<void>;

const messageOf = (name: string): NewMessage & { readonly id: string } => ({
  id: name,
  content: name,
});

/** Answers all messages of the turn, and sometimes those that arrive during the run. */
const answering =
  (host: SimulatedHost, told: Told, { hangs }: Manners): Run =>
  async ({ session: { id, lease }, messages, take, fencingToken }) => {
    for (const message of messages) told.given.add(message.id);
    const run = `run ${told.next()}`;
    const until = Date.parse(lease?.until ?? '');
    const since = until - 1000 * LEASE;
    told.mark(host, { did: 'begin', id, run, fencingToken, since, until, names: [] });
    if (hangs && host.random() < 0.1) return new Promise<never>(() => {});
    await wait(host, 3 * host.random());
    const more = host.random() < 0.3 ? await take() : [];
    for (const message of more) told.given.add(message.id);
    told.mark(host, { did: 'ran', run });
    const answers = [...messages, ...more].map((message) => message.id);
    return { role: 'assistant', content: 'Yes.', data: { run, answers } };
  };

const newMessage = (host: SimulatedHost, told: Told, id: string): Spoken & { name: string } => {
  const begun = told.next();
  const name = `m${begun}-${host.host}`;
  const spoken = { id, begun, name };
  told.spoken.set(name, spoken);
  return spoken;
};

/** Repeats a message until it is known to be stored. */
const chat: Act = async (host, told, id) => {
  const spoken = newMessage(host, told, id);
  for (;;) {
    const sent = await host.sessions.send(id, messageOf(spoken.name));
    if (sent.isOk()) break;
    await wait(host, 1);
  }
  spoken.heard = told.next();
};

/** Sends the same message twice at the same time. */
const clickTwice: Act = async (host, told, id) => {
  const spoken = newMessage(host, told, id);
  const click = () => host.sessions.send(id, messageOf(spoken.name));
  const clicks = await Promise.all([click(), click()]);
  if (clicks.some((sent) => sent.isOk())) spoken.heard = told.next();
};

/** Waits for an answer, and repeats the message with the same id if none comes. */
const insist: Act = async (host, told, id, manners) => {
  const spoken = newMessage(host, told, id);
  const run = answering(host, told, manners);
  for (let tries = 0; tries < 5; tries += 1) {
    const options = { seconds: LEASE, maxSeconds: 6, attempts: 1000, timeoutMs: 2000 };
    const reply = await host.sessions.reply(id, messageOf(spoken.name), run, options);
    if (reply.isOk() || reply.error.type === 'not_answered') spoken.heard ??= told.next();
    if (reply.isOk()) return;
    await wait(host, 1);
  }
};

const someOf = (host: SimulatedHost, told: Told, id: string): string | undefined => {
  const names = [...told.spoken].filter(([, spoken]) => spoken.id === id).map(([name]) => name);
  return names.at(-1 - Math.floor(3 * host.random()));
};

/** Calls an operation that may end a turn. */
const stop = async <T>(
  host: SimulatedHost,
  told: Told,
  asks: Pick<Asks, 'id' | 'what'>,
  call: () => PromiseLike<T>,
): Promise<T> => {
  const name = `call ${told.next()}`;
  told.mark(host, { did: 'asks', call: name, ...asks });
  const answer = await call();
  told.mark(host, { did: 'heard', call: name, withdrawn: [] });
  return answer;
};

const cancel: Act = async (host, told, id) => {
  await stop(host, told, { id, what: 'cancel' }, () => host.sessions.cancel(id));
};

const withdraw: Act = async (host, told, id) => {
  const name = someOf(host, told, id);
  if (name === undefined) return;
  const answer = await host.sessions.withdraw(id, [name]);
  if (answer.isErr()) return;
  for (const message of answer.value.withdrawn) told.withdrawn.add(message.id);
};

const edit: Act = async (host, told, id) => {
  const before = someOf(host, told, id);
  if (before === undefined) return;
  const spoken = newMessage(host, told, id);
  const done = await stop(host, told, { id, what: 'rewind' }, () =>
    host.sessions.rewind(id, { before, send: messageOf(spoken.name) }),
  );
  if (done.isOk()) spoken.heard = told.next();
};

const askAgain: Act = async (host, told, id) => {
  const after = someOf(host, told, id);
  if (after === undefined) return;
  await stop(host, told, { id, what: 'rewind' }, () =>
    host.sessions.rewind(id, { after, wake: true }),
  );
};

const talking: readonly Act[] = [chat, chat, clickTwice, insist, insist];
const changing: readonly Act[] = [...talking, cancel, withdraw, edit, askAgain];

const pick = <T>(host: SimulatedHost, values: readonly T[]): T | undefined =>
  values[Math.floor(host.random() * values.length)];

/** A host with a worker and two users, who act for a minute. */
export const turning =
  (told: () => Told, manners: Manners) =>
  async (host: SimulatedHost): Promise<void> => {
    const { sessions, clock, signal } = host;
    told().begin(host);
    const run = answering(host, told(), manners);
    await using worker = createWorker(sessions, {
      run,
      seconds: LEASE,
      maxSeconds: 6,
      attempts: 1000,
      interval: 2,
    });
    worker.start();
    const ends = clock.now() + 30_000;
    const user = async (): Promise<void> => {
      while (clock.now() < ends && !signal.aborted) {
        const act: Act = pick(host, manners.changes ? changing : talking) ?? chat;
        await act(host, told(), pick(host, ids) ?? '', manners);
        await wait(host, 3 * host.random());
      }
    };
    const beat = async (): Promise<void> => {
      // Nothing crashes later.
      while (clock.now() < ends + 60_000 && !signal.aborted) {
        told().mark(host);
        await wait(host, 2);
      }
    };
    await Promise.all([user(), user(), beat()]);
    await aborted(signal);
  };

export const openChats = async ({ sessions }: SimulatedSessions): Promise<void> => {
  for (const _ of ids)
    unwrap(await sessions.create({ face: 'ada', profile: 'tutor', start: true }));
};
