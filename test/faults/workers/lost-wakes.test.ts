import { expect, test } from 'vitest';
import type { SessionService } from '../../../src/index.js';
import { describeStores } from '../../support/describe-stores.js';
import { randomFrom } from '../../support/random.js';
import { ada, okOf, openSessions } from '../../support/sessions.js';
import { effort, seeds } from '../support/effort.js';

const ROUNDS = effort(40, 1000);
const WAVES = 4;
const CALLERS = 5;
const CALLS = 3;
const worker = { holder: 'worker', seconds: 10 };

/** A call, by the numbers of its begin and of its end among all begins and ends. */
interface Span {
  readonly begun: number;
  readonly ended: number;
}

/** Work that was done, and the messages of its turn. */
interface Done extends Span {
  readonly read: ReadonlySet<string>;
}

/** One session, and all that is done to it at the same time. */
class Round {
  readonly #sessions: SessionService;
  readonly #id: string;
  readonly #random: () => number;
  readonly #wakes: Span[] = [];
  readonly #messages: (Span & { readonly message: string })[] = [];
  readonly #cancels: Span[] = [];
  /** The claims and the messages of their turns, whether or not these were done. */
  readonly #claims: Done[] = [];
  readonly #done: Done[] = [];
  #count = 0;

  constructor(sessions: SessionService, id: string, random: () => number) {
    this.#sessions = sessions;
    this.#id = id;
    this.#random = random;
  }

  async wave(): Promise<void> {
    await Promise.all(Array.from({ length: CALLERS }, () => this.#caller()));
  }

  /** What the calls say against a session that waits at the end, or that does not. */
  faults(isWaiting: boolean): readonly string[] {
    const cancelledAfter = ({ begun }: Span) => this.#cancels.some(({ ended }) => ended > begun);
    if (!isWaiting) {
      const wakes = this.#wakes.filter(
        (wake) => !this.#done.some(({ ended }) => ended > wake.begun),
      );
      const unread = this.#messages.filter(
        ({ message }) => !this.#done.some(({ read }) => read.has(message)),
      );
      const isLost = (wake: Span) => !cancelledAfter(wake);
      const untaken = this.#messages.filter(
        ({ message }) => !this.#claims.some(({ read }) => read.has(message)),
      );
      return [
        ...untaken.map(() => 'a message was never taken'),
        ...wakes.filter(isLost).map(() => 'a wake was lost'),
        ...unread.filter(isLost).map(() => 'a message was never read'),
      ];
    }
    // A cancel leaves the messages that no claim has taken.
    const isOver = ({ begun }: Span) =>
      this.#wakes.every(({ ended }) => ended < begun) &&
      this.#messages.every(({ message }) =>
        this.#claims.some(({ ended, read }) => ended < begun && read.has(message)),
      );
    return this.#cancels.filter(isOver).map(() => 'a cancel has left work');
  }

  async #timed<T>(call: () => Promise<T>): Promise<Span & { readonly value: T }> {
    for (let turns = Math.floor(this.#random() * 4); turns > 0; turns -= 1)
      await new Promise(setImmediate);
    this.#count += 1;
    const begun = this.#count;
    const value = await call();
    this.#count += 1;
    return { begun, ended: this.#count, value };
  }

  /** Several calls, so that others' come between the claim of a session and its release. */
  async #caller(): Promise<void> {
    for (let each = 0; each < CALLS; each += 1) await this.#call();
  }

  async #call(): Promise<void> {
    const kind = this.#random();
    if (kind < 0.2) this.#wakes.push(await this.#timed(() => okOf(this.#sessions.wake(this.#id))));
    else if (kind < 0.45) await this.#say();
    else if (kind < 0.55)
      this.#cancels.push(await this.#timed(() => okOf(this.#sessions.cancel(this.#id))));
    else await this.#work();
  }

  async #say(): Promise<void> {
    const send = () => okOf(this.#sessions.send(this.#id, 'Hello!'));
    const { value, ...span } = await this.#timed(send);
    this.#messages.push({ ...span, message: value.id });
  }

  async #work(): Promise<void> {
    const { value, ...span } = await this.#timed(() => okOf(this.#sessions.claim(worker)));
    const [claimed] = value.claimed;
    // One of three crashes: its lease runs out.
    const end = this.#random();
    if (claimed === undefined) return;
    const read = new Set(claimed.messages.map((message) => message.id));
    this.#claims.push({ ...span, read });
    if (end < 0.3) return;
    const { fencingToken } = claimed.lease;
    const isDone = end < 0.8;
    const released = await this.#timed(async () =>
      this.#sessions.release(this.#id, { fencingToken, done: isDone }),
    );
    if (isDone && released.value.isOk()) this.#done.push({ ...span, read });
  }
}

describeStores('a wake that races with workers and cancels', (open) => {
  test('is claimed by a worker, or cleared by a later cancel', async () => {
    const [seed = 1] = seeds(1);
    const random = randomFrom(seed);
    const { sessions: all, clock } = openSessions({ store: await open() });
    const counts = { waiting: 0, idle: 0 };
    for (let each = 0; each < ROUNDS; each += 1) {
      const sessions = all.forTenant(`tenant-${each}`);
      const { id } = await okOf(sessions.create({ ...ada, start: true }));
      const round = new Round(sessions, id, random);
      for (let wave = 0; wave < WAVES; wave += 1) {
        await round.wave();
        clock.pass([1, 1500, 11_000][Math.floor(random() * 3)] ?? 1);
      }
      // After the lease of a crashed worker, and after every pause between attempts.
      clock.pass(600_000);
      const { claimed } = await okOf(sessions.claim(worker));
      counts[claimed.length > 0 ? 'waiting' : 'idle'] += 1;
      expect(round.faults(claimed.length > 0)).toEqual([]);
    }
    expect(Math.min(counts.waiting, counts.idle)).toBeGreaterThan(0);
  });
});
