import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { built } from '../../support/built.js';
import type { Database } from '../databases/database.js';

/** Where the session is, so that another process can open it too. */
export type Shared = Database | { readonly kind: 'redis'; readonly port: number };

/** What a process asks for. */
export interface Asked {
  readonly by: string;
  readonly operationId: string;
  readonly contents: readonly string[];
  readonly ifPosition?: number;
  /**
   * For a rewind, which has an `ifPosition`: the position that the contents follow, and what is
   * said there; nothing at the beginning.
   */
  readonly to?: number;
  readonly following?: string;
}

/** What it was answered. Without any of these, nobody knows what has become of it. */
interface Answered {
  readonly by: string;
  readonly position?: number;
  readonly refused?: true;
  readonly inDoubt?: true;
}

const worker = await built('rewinder');

/** Processes that append to one session and rewind it, and what all of them know of it. */
export class Rewinders {
  readonly acknowledged = new Map<number, Asked>();
  readonly refused: Asked[] = [];
  readonly #open = new Map<string, Asked>();
  readonly #inDoubt: Asked[] = [];
  readonly #children = new Map<ChildProcess, Promise<void>>();
  readonly #args: readonly string[];
  readonly #seed: number;
  #started = 0;
  #failure: unknown;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => undefined;

  constructor(shared: Shared, id: string, seed: number) {
    this.#args = [JSON.stringify(shared), id];
    this.#seed = seed;
  }

  /** What was asked and has an unknown outcome: the answer was lost, or who asked was killed. */
  get inDoubt(): readonly Asked[] {
    return [...this.#inDoubt, ...this.#open.values()];
  }

  start(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      this.#started += 1;
      const args = [...this.#args, `w${this.#started}`, String(this.#seed * 100 + this.#started)];
      const child = spawn(process.execPath, [worker, ...args], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      this.#children.set(child, this.#listen(child));
    }
  }

  /** Waits for so many more changes that were acknowledged. */
  async changes(count: number): Promise<void> {
    this.#wanted = this.acknowledged.size + count;
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
      if (this.#failure !== undefined) resolve();
    });
    if (this.#failure !== undefined)
      throw new Error('a process has failed', { cause: this.#failure });
  }

  /** Kills the process that has been there longest, in the middle of whatever it does. */
  async kill(): Promise<void> {
    const [oldest] = this.#children;
    if (oldest === undefined) return;
    const [child, done] = oldest;
    child.kill('SIGKILL');
    await done;
  }

  /** Lets every process come to the end of what it does. */
  async end(): Promise<void> {
    for (const child of this.#children.keys()) child.stdin?.end();
    await Promise.all(this.#children.values());
    if (this.#failure !== undefined)
      throw new Error('a process has failed', { cause: this.#failure });
  }

  /** For a test that has failed. */
  async killAll(): Promise<void> {
    while (this.#children.size > 0) await this.kill();
  }

  async #listen(child: ChildProcess): Promise<void> {
    const gone = once(child, 'exit');
    child.stdin?.on('error', () => undefined);
    if (child.stdout === null) throw new Error('the process has no output');
    // A line that the kill has torn was never said.
    for await (const line of createInterface({ input: child.stdout }))
      if (line.endsWith('}')) this.#hear(JSON.parse(line));
    await gone;
    this.#children.delete(child);
    if (child.signalCode === null && child.exitCode !== 0) {
      this.#failure ??= child.exitCode;
      this.#reached();
    }
  }

  #hear(said: Asked | Answered): void {
    if ('operationId' in said) {
      this.#open.set(said.by, said);
      return;
    }
    const asked = this.#open.get(said.by);
    if (asked === undefined) throw new Error(`${said.by} was answered and had not asked`);
    this.#open.delete(said.by);
    if (said.position !== undefined) this.acknowledged.set(said.position, asked);
    else if (said.refused) this.refused.push(asked);
    else this.#inDoubt.push(asked);
    if (this.acknowledged.size >= this.#wanted) this.#reached();
  }
}
