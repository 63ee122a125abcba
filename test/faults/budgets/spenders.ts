import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { built } from '../../support/built.js';
import type { Asked, Shared, Told } from './spending.js';

const worker = await built('spender');

/** Processes whose writers spend, and what all of them know of it. */
export class Spenders {
  readonly acknowledged: Asked[] = [];
  /** How often something was sent again. */
  again = 0;
  readonly #open = new Map<string, Asked>();
  readonly #inDoubt: Asked[] = [];
  readonly #children = new Map<ChildProcess, Promise<void>>();
  readonly #args: readonly string[];
  readonly #seed: number;
  #started = 0;
  #failure: unknown;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => undefined;

  constructor(shared: Shared, ids: readonly string[], writers: number, seed: number) {
    this.#args = [JSON.stringify(shared), JSON.stringify(ids), String(writers)];
    this.#seed = seed;
  }

  /** What has an unknown outcome: the answer was lost, or who asked was killed. */
  get inDoubt(): readonly Asked[] {
    return [...this.#inDoubt, ...this.#open.values()];
  }

  start(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      this.#started += 1;
      const args = [...this.#args, `p${this.#started}`, String(this.#seed * 100 + this.#started)];
      const child = spawn(process.execPath, [worker, ...args], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      this.#children.set(child, this.#listen(child));
    }
  }

  /** Waits for so many more writes that were acknowledged. */
  async writes(count: number): Promise<void> {
    this.#wanted = this.acknowledged.length + count;
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
      if (this.#failure !== undefined) resolve();
    });
    this.#expectNoFailure();
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
    this.#expectNoFailure();
  }

  /** For a test that has failed. */
  async killAll(): Promise<void> {
    while (this.#children.size > 0) await this.kill();
  }

  #expectNoFailure(): void {
    if (this.#failure !== undefined)
      throw new Error('a process has failed', { cause: this.#failure });
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
    if (child.signalCode !== null || child.exitCode === 0) return;
    this.#failure ??= child.exitCode;
    this.#reached();
  }

  #hear(said: Asked | Told): void {
    if ('usage' in said) {
      this.#open.set(said.by, said);
      return;
    }
    const asked = this.#open.get(said.by);
    if (asked === undefined) throw new Error(`${said.by} was told and had not asked`);
    this.#open.delete(said.by);
    this.again += said.again;
    if (said.outcome === 'ok') this.acknowledged.push(asked);
    else if (said.outcome === 'unknown') this.#inDoubt.push(asked);
    if (this.acknowledged.length >= this.#wanted) this.#reached();
  }
}
