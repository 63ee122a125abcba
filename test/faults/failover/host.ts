import { type RedisClient, RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { begin, said } from '../../../src/testing/commits.js';
import { keyOf } from '../../../src/testing/samples.js';
import { inTime } from '../../support/in-time.js';
import { openAppendOf } from '../../support/redis-commits.js';
import { methods, reads, storeCalls } from '../../support/store-calls.js';
import { effort } from '../support/effort.js';

/**
 * In milliseconds: what stores are given, what a process may add to it, and how soon a server that
 * is back serves.
 */
const TIMEOUT = 150;
export const GRACE = 50;
/** A short run shares the machine with other tests, which may delay the server. */
export const BACK_WITHIN = effort(5000, 1000);

/** For calls that are not timed, so that a slow machine does not decide. */
const PATIENT_MS = 30_000;

/** One host: a client of its own, and what its calls have come to. */
export class Host {
  readonly name: string;
  readonly #store: SessionStore;
  readonly #patient: SessionStore;
  readonly #key = keyOf('kept');
  readonly #acknowledged: string[] = [];
  readonly late: string[] = [];
  readonly wrong: unknown[] = [];
  failures = 0;
  longestOverMs = -TIMEOUT;
  slowestReturnMs = 0;
  #said = 0;

  constructor(name: string, client: RedisClient) {
    this.name = name;
    this.#store = new RedisSessionStore({ client, prefix: name, timeoutMs: TIMEOUT });
    this.#patient = new RedisSessionStore({ client, prefix: name, timeoutMs: PATIENT_MS });
  }

  async begin(): Promise<void> {
    await begin(this.#patient, keyOf('kept'));
  }

  /** Calls all methods concurrently. */
  async callAll(): Promise<void> {
    const calls = methods.map((method) =>
      this.#timed(method, async () => {
        const answer = await storeCalls[method](this.#store);
        if (answer.isOk()) return;
        this.failures += 1;
        const { type, ...rest } = answer.error;
        const isKnown = 'outcome' in rest && rest.outcome === 'not_applied';
        if (type !== 'store_unavailable' || (reads.has(method) && !isKnown))
          this.wrong.push({ method, type, ...rest });
      }),
    );
    await Promise.all([...calls, this.append()]);
  }

  /** Appends a new text once. Returns whether that was acknowledged. */
  async append(): Promise<boolean> {
    this.#said += 1;
    const content = `${this.#said}`;
    return this.#timed('append', async () => {
      const answer = await this.#store.change(openAppendOf(this.#key, [content]));
      if (answer.isOk()) this.#acknowledged.push(content);
      return answer.isOk();
    });
  }

  /** Appends until that succeeds. */
  async returns(): Promise<void> {
    const began = performance.now();
    const { late } = await inTime(BACK_WITHIN, async () => {
      while (!(await this.append()));
    });
    if (late) this.late.push('the first success after the silence');
    this.slowestReturnMs = Math.max(this.slowestReturnMs, performance.now() - began);
  }

  /** Acknowledged appends that are missing or stored twice. */
  async audit(): Promise<readonly string[]> {
    const kept = (await said(this.#patient, this.#key)) ?? [];
    const doubled = kept.filter((content, at) => kept.indexOf(content) !== at);
    return [...this.#acknowledged.filter((content) => !kept.includes(content)), ...doubled];
  }

  async #timed<T>(method: string, operation: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const { late, value } = await inTime(TIMEOUT + GRACE, operation);
    this.longestOverMs = Math.max(this.longestOverMs, performance.now() - began - TIMEOUT);
    if (late) this.late.push(method);
    return value;
  }
}
