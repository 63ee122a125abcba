import { type ChildProcess, fork } from 'node:child_process';
import { upTo } from '../../../src/testing/samples.js';
import { clientVersions } from '../../support/redis-clients.js';
import type { Worker } from '../../support/worker-pool.js';
import type { WritersReport, WrittenLedger } from '../../support/workers/blunt-writers.js';
import type { Answers } from './blunt-writer.js';

const sumOf = (answers: readonly Answers[]): Answers => {
  const sum = (name: keyof Answers) => answers.reduce((all, each) => all + each[name], 0);
  return {
    acknowledged: sum('acknowledged'),
    notApplied: sum('notApplied'),
    unknown: sum('unknown'),
  };
};

/** Several processes that write, each with a client of its own. */
export class Writing {
  readonly #children: readonly ChildProcess[];
  readonly #answered: Answers[];
  readonly #reports: Promise<readonly WritersReport[]>;
  #isReached: () => boolean = () => false;
  #reached: () => void = () => undefined;

  constructor(
    worker: Worker,
    processes: number,
    writers: number,
    port: number,
    prefix: string,
    events: boolean,
  ) {
    this.#children = upTo(processes).map((at) => {
      const version = clientVersions[at % clientVersions.length] ?? 'ioredis 5';
      const args = [
        version,
        String(port),
        prefix,
        events ? 'events' : '',
        String(writers),
        String(at + 1),
      ];
      return fork(worker.file, args);
    });
    this.#answered = this.#children.map(() => ({ acknowledged: 0, notApplied: 0, unknown: 0 }));
    this.#reports = Promise.all(this.#children.map((child, at) => this.#listen(child, at)));
    // Whoever waits for calls would not hear of a process that has failed.
    this.#reports.catch(() => this.#reached());
  }

  /** Waits until so many more calls have been answered, whatever the answer. */
  calls(count: number): Promise<void> {
    return this.#wait(
      count,
      ({ acknowledged, notApplied, unknown }) => acknowledged + notApplied + unknown,
    );
  }

  /**
   * Waits until so many more calls have been refused. What was answered before an outage may be
   * told after its beginning, and is no sign that anything was tried in it.
   */
  refusals(count: number): Promise<void> {
    return this.#wait(count, ({ notApplied, unknown }) => notApplied + unknown);
  }

  /** Ends the writing. */
  async end(): Promise<{ readonly answers: Answers; readonly ledgers: readonly WrittenLedger[] }> {
    for (const child of this.#children) if (child.connected) child.send('stop');
    const reports = await this.#reports;
    return {
      answers: sumOf(reports.map(({ answers }) => answers)),
      ledgers: reports.flatMap(({ ledgers }) => ledgers),
    };
  }

  /** For a test that has failed. */
  kill(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #wait(count: number, numberOf: (answers: Answers) => number): Promise<void> {
    const wanted = numberOf(sumOf(this.#answered)) + count;
    this.#isReached = () => numberOf(sumOf(this.#answered)) >= wanted;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  #listen(child: ChildProcess, at: number): Promise<WritersReport> {
    return new Promise((resolve, reject) => {
      child.on('message', (text) => {
        const message: Answers | WritersReport = JSON.parse(String(text));
        if ('ledgers' in message) {
          resolve(message);
          return;
        }
        this.#answered[at] = message;
        if (this.#isReached()) this.#reached();
      });
      // A process may have exited while its report is still in the channel.
      child.once('disconnect', () => reject(new Error('a writing process told no report')));
    });
  }
}
