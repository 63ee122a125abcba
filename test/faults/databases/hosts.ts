import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { built } from '../../support/built.js';
import type { Database } from './database.js';
import { type Answered, type Asked, Book } from './ledger.js';

const worker = await built('database-host');

interface Host {
  readonly child: ChildProcess;
  /** Settles when everything that the host has written is in the ledger and the host has exited. */
  readonly done: Promise<void>;
  isKilled: boolean;
}

export interface HostsOptions {
  readonly writers: number;
  readonly seed: number;
  /** Further environment variables of the hosts. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The tenants that the hosts write for. */
export const tenants = ['tenant 0', 'tenant 1'] as const;

/** Processes that write to one database, and what all of them know of it. */
export class Hosts {
  readonly book = new Book();
  readonly #database: Database;
  readonly #options: HostsOptions;
  readonly #hosts = new Set<Host>();
  #started = 0;
  /** What somebody waits for. */
  #isReached: () => boolean = () => false;
  #reached: () => void = () => undefined;
  #failure: Error | undefined;

  constructor(database: Database, options: HostsOptions) {
    this.#database = database;
    this.#options = options;
  }

  start(count = 1): void {
    for (let left = count; left > 0; left -= 1) this.#hosts.add(this.#startOne());
  }

  /** Waits until so many more calls have been answered, whatever the answer. */
  calls(count: number): Promise<void> {
    return this.#wait(count, ({ ok, not_applied, unknown }) => ok + not_applied + unknown);
  }

  /** Waits until so many more calls have been refused. */
  refusals(count: number): Promise<void> {
    return this.#wait(count, ({ not_applied, unknown }) => not_applied + unknown);
  }

  /**
   * Kills the host that has been there longest, in the middle of whatever it does, and waits until
   * it has gone.
   */
  async kill(): Promise<void> {
    const [oldest] = this.#hosts;
    if (oldest === undefined) return;
    oldest.isKilled = true;
    oldest.child.kill('SIGKILL');
    await oldest.done;
  }

  /** Lets every call come to its end. */
  async end(): Promise<Book> {
    const ending = [...this.#hosts].map(({ child, done }) => {
      child.stdin?.end();
      return done;
    });
    await Promise.all(ending);
    if (this.#failure !== undefined) throw this.#failure;
    return this.book;
  }

  /** For a test that has failed. */
  async killAll(): Promise<void> {
    while (this.#hosts.size > 0) await this.kill();
  }

  #startOne(): Host {
    this.#started += 1;
    const { writers, seed, env } = this.#options;
    const name = `h${this.#started}`;
    const args = [
      JSON.stringify(this.#database),
      String(writers),
      name,
      String(seed * 100 + this.#started),
    ];
    const child = spawn(process.execPath, [worker, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const listened = this.#listen(child, name, () => host.isKilled).catch((error: unknown) =>
      this.#fail(error),
    );
    const done = listened.then(() => {
      this.#hosts.delete(host);
    });
    const host: Host = { child, done, isKilled: false };
    return host;
  }

  async #listen(child: ChildProcess, name: string, isKilled: () => boolean): Promise<void> {
    const gone = once(child, 'exit');
    // A kill can break the pipe below what is being ended.
    child.stdin?.on('error', () => undefined);
    if (child.stdout === null) throw new Error('the host has no output');
    for await (const line of createInterface({ input: child.stdout })) {
      // A kill can tear the last line, which then was not written.
      if (line.endsWith('}')) this.#hear(JSON.parse(line));
    }
    await gone;
    if (!isKilled() && child.exitCode !== 0)
      throw new Error(`${name} has ended with ${child.exitCode ?? child.signalCode}`);
  }

  #fail(cause: unknown): void {
    this.#failure ??= new Error('a host has failed', { cause });
    this.#reached();
  }

  #hear(said: Asked | Answered): void {
    this.book.note(said);
    if (this.#isReached()) this.#reached();
  }

  async #wait(count: number, numberOf: (answers: Book['answers']) => number): Promise<void> {
    const wanted = numberOf(this.book.answers) + count;
    this.#isReached = () => numberOf(this.book.answers) >= wanted;
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
      if (this.#failure !== undefined) resolve();
    });
    if (this.#failure !== undefined) throw this.#failure;
  }
}
