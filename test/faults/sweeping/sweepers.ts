import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { upTo } from '../../../src/testing/samples.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions } from '../../support/redis-clients.js';
import type { Worker } from '../../support/worker-pool.js';

/** How fast the clock of the sweepers runs: a minute in a second. */
const SPEED = 60;

/** Several processes that sweep, each with a client of its own, and what they say. */
export class Sweepers {
  readonly #spawnOne: (at: number) => ChildProcess;
  readonly #children: ChildProcess[];
  /** How often each session was told. */
  readonly told = new Map<string, number>();
  /** How many errors of each type were reported. */
  readonly errors = new Map<string, number>();
  #waiting: { readonly holds: () => boolean; readonly resolve: () => void } | undefined;

  constructor(worker: Worker, processes: number, port: number, prefix: string) {
    const began = Date.now();
    this.#spawnOne = (at) => {
      const version = clientVersions[at % clientVersions.length] ?? 'ioredis 5';
      const args = [worker.file, version, String(port), prefix, String(began), String(SPEED)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
      return child;
    };
    this.#children = upTo(processes).map(this.#spawnOne);
  }

  /** Waits until so many different sessions were told, or too long. */
  tells(count: number): Promise<void> {
    return this.#until(() => this.told.size >= count);
  }

  /** Waits for another error, or too long. */
  fails(): Promise<void> {
    const before = this.#errorCount();
    return this.#until(() => this.#errorCount() > before);
  }

  /** Kills a sweeper, whatever it is doing, and starts a new one in its place. */
  replace(at: number): void {
    this.#children[at]?.kill('SIGKILL');
    this.#children[at] = this.#spawnOne(at);
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #errorCount(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  #hear(line: string): void {
    // A kill can tear the last line, which then was not written.
    if (!line.endsWith('}')) return;
    const { told, error }: { readonly told?: string; readonly error?: string } = JSON.parse(line);
    if (told !== undefined) this.told.set(told, (this.told.get(told) ?? 0) + 1);
    if (error !== undefined) this.errors.set(error, (this.errors.get(error) ?? 0) + 1);
    if (this.#waiting?.holds() !== true) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }

  #until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const patience = setTimeout(resolve, PATIENT_MS);
      this.#waiting = {
        holds,
        resolve: () => {
          clearTimeout(patience);
          resolve();
        },
      };
    });
  }
}
