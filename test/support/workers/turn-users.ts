import { setTimeout as wait } from 'node:timers/promises';
import type { Run, SessionService } from '../../../src/index.js';
import type { Asks, Mark, Unstamped } from '../../faults/workers/marks.js';

/** Records what a process does. */
export type Marking = (what: Unstamped<Mark>) => void;

/** The users of one process. */
export interface Talk {
  readonly sessions: SessionService;
  /** The `run` of `reply`. */
  readonly run: Run;
  readonly options: { readonly seconds: number; readonly attempts: number };
  readonly who: number;
  /** Session ids. In every second session, users also cancel and rewind. */
  readonly ids: readonly string[];
  readonly talksUntil: number;
  readonly mark: Marking;
}

const USERS = 3;
/** Number of sessions in which all users of all processes talk concurrently. */
const CROWDED = 10;
const CROWDED_MS = 300;

class Users {
  readonly #talk: Talk;
  /** The latest messages that this process has sent, by session. */
  readonly #said = new Map<string, string[]>();
  #count = 0;

  constructor(talk: Talk) {
    this.#talk = talk;
  }

  async user(): Promise<void> {
    const { ids, talksUntil } = this.#talk;
    while (Date.now() < talksUntil) {
      const first = Math.floor(Date.now() / CROWDED_MS) * CROWDED;
      const at = (first + Math.floor(Math.random() * CROWDED)) % ids.length;
      await this.#act(ids[at] ?? '', at % 2 === 1);
      await wait(Math.random() * 20);
    }
  }

  async #act(id: string, isHasty: boolean): Promise<void> {
    const chance = Math.random();
    if (chance < 0.4) return this.#chat(id);
    if (chance < 0.7) return this.#insist(id);
    if (chance < 0.8 || !isHasty) return this.#withdraw(id);
    if (chance < 0.87) return this.#cancel(id);
    return chance < 0.94 ? this.#edit(id) : this.#askAgain(id);
  }

  #next(): string {
    this.#count += 1;
    return `${this.#count} of ${this.#talk.who}`;
  }

  #newMessage(id: string) {
    const name = this.#next();
    this.#said.set(id, [...(this.#said.get(id) ?? []).slice(-3), name]);
    return { id: name, content: name };
  }

  #saidIn(id: string): string | undefined {
    const said = this.#said.get(id) ?? [];
    return said[Math.floor(Math.random() * said.length)];
  }

  /** Sends a message twice concurrently until it is stored. */
  async #chat(id: string): Promise<void> {
    const { sessions, mark } = this.#talk;
    const message = this.#newMessage(id);
    const begun = Date.now();
    const send = () => sessions.send(id, message);
    while ((await Promise.all([send(), send()])).every((sent) => sent.isErr())) await wait(20);
    mark({ did: 'sent', id, name: message.id, begun });
  }

  /** Repeats `reply` until the message is stored. */
  async #insist(id: string): Promise<void> {
    const { sessions, run, options, mark } = this.#talk;
    const message = this.#newMessage(id);
    const begun = Date.now();
    const known = ['not_answered', 'cancelled', 'withdrawn', 'superseded'];
    for (;;) {
      const reply = await sessions.reply(id, message, run, { ...options, timeoutMs: 500 });
      if (reply.isOk() || known.includes(reply.error.type)) break;
      await wait(20);
    }
    mark({ did: 'sent', id, name: message.id, begun });
  }

  #ask(asks: Omit<Asks, 'did' | 'call' | 'who' | 'at'>) {
    const { mark } = this.#talk;
    const call = this.#next();
    mark({ did: 'asks', call, ...asks });
    return (withdrawn: readonly string[]) => mark({ did: 'heard', call, withdrawn });
  }

  /** Withdraws one message, or all that wait. */
  async #withdraw(id: string): Promise<void> {
    const name = this.#saidIn(id);
    if (name === undefined) return;
    const isOne = Math.random() < 0.7;
    const heard = this.#ask({ what: 'withdraw', id, ...(isOne && { name }) });
    const answer = await this.#talk.sessions.withdraw(id, isOne ? [name] : undefined);
    heard(answer.isOk() ? answer.value.withdrawn.map((message) => message.id) : []);
  }

  async #cancel(id: string): Promise<void> {
    const heard = this.#ask({ what: 'cancel', id });
    await this.#talk.sessions.cancel(id);
    heard([]);
  }

  async #edit(id: string): Promise<void> {
    const before = this.#saidIn(id);
    if (before === undefined) return;
    const send = this.#newMessage(id);
    const begun = Date.now();
    const heard = this.#ask({ what: 'rewind', id, name: before });
    const edited = await this.#talk.sessions.rewind(id, { before, send });
    heard([]);
    if (edited.isOk()) this.#talk.mark({ did: 'sent', id, name: send.id, begun });
  }

  async #askAgain(id: string): Promise<void> {
    const after = this.#saidIn(id);
    if (after === undefined) return;
    const heard = this.#ask({ what: 'rewind', id, name: after });
    await this.#talk.sessions.rewind(id, { after, wake: true });
    heard([]);
  }
}

/** Runs the users of a process for the given time. */
export const talk = async (given: Talk): Promise<void> => {
  const users = new Users(given);
  await Promise.all(Array.from({ length: USERS }, () => users.user()));
};
