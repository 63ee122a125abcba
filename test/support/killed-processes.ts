import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A line that a process prints: its caller does one thing at a time. */
interface Said {
  readonly by: string;
}

/** Interprets the lines of the processes. */
export interface Ears<Asked extends Said, Told extends Said> {
  /** Whether the line is a request, and not its result. */
  isAsked(said: Asked | Told): said is Asked;
  /** Records the result of a request. */
  hear(asked: Asked, told: Told): 'acknowledged' | 'refused' | 'in doubt';
}

/**
 * Processes that write until they are killed, and what all of them learned. Each runs `worker` with
 * `args`, a name and a seed, and prints a line of JSON for each request and each result.
 */
export class KilledProcesses<Asked extends Said, Told extends Said> {
  #acknowledged = 0;
  readonly #open = new Map<string, Asked>();
  readonly #inDoubt: Asked[] = [];
  readonly #children = new Map<ChildProcess, Promise<void>>();
  readonly #worker: string;
  readonly #args: readonly string[];
  readonly #seed: number;
  readonly #ears: Ears<Asked, Told>;
  #started = 0;
  #failure: unknown;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => undefined;

  constructor(worker: string, args: readonly string[], seed: number, ears: Ears<Asked, Told>) {
    this.#worker = worker;
    this.#args = args;
    this.#seed = seed;
    this.#ears = ears;
  }

  /** Requests with an unknown outcome: the answer was lost, or the process was killed. */
  get inDoubt(): readonly Asked[] {
    return [...this.#inDoubt, ...this.#open.values()];
  }

  start(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      this.#started += 1;
      const own = [`p${this.#started}`, String(this.#seed * 100 + this.#started)];
      const child = spawn(process.execPath, [this.#worker, ...this.#args, ...own], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      this.#children.set(child, this.#listen(child));
    }
  }

  /** Waits for this many further acknowledged writes. */
  async writes(count: number): Promise<void> {
    this.#wanted = this.#acknowledged + count;
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
      if (this.#failure !== undefined) resolve();
    });
    this.#expectNoFailure();
  }

  /** Kills the oldest process in the middle of its work. */
  async kill(): Promise<void> {
    const [oldest] = this.#children;
    if (oldest === undefined) return;
    const [child, done] = oldest;
    child.kill('SIGKILL');
    await done;
  }

  /** Lets every process finish its work. */
  async end(): Promise<void> {
    for (const child of this.#children.keys()) child.stdin?.end();
    await Promise.all(this.#children.values());
    this.#expectNoFailure();
  }

  /** Cleans up after a failed test. */
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
    // An incomplete line does not count.
    for await (const line of createInterface({ input: child.stdout }))
      if (line.endsWith('}')) this.#hear(JSON.parse(line));
    await gone;
    this.#children.delete(child);
    if (child.signalCode !== null || child.exitCode === 0) return;
    this.#failure ??= child.exitCode;
    this.#reached();
  }

  #hear(said: Asked | Told): void {
    if (this.#ears.isAsked(said)) {
      this.#open.set(said.by, said);
      return;
    }
    const asked = this.#open.get(said.by);
    if (asked === undefined) throw new Error(`${said.by} was told and had not asked`);
    this.#open.delete(said.by);
    const outcome = this.#ears.hear(asked, said);
    if (outcome === 'in doubt') this.#inDoubt.push(asked);
    if (outcome !== 'acknowledged') return;
    this.#acknowledged += 1;
    if (this.#acknowledged >= this.#wanted) this.#reached();
  }
}
