import type { ResultAsync } from 'neverthrow';
import { type LeaseLost, leaseLost } from './errors.js';

export interface TakenAt {
  readonly fencingToken: number;
  /** When the call that took it began, on the clock of the renewal. */
  readonly begunAt: number;
  readonly seconds: number;
}

/** A clock to measure how long a lease has lasted, counted from before it was requested. */
export interface LeaseClock {
  /** Milliseconds since any time in the past. */
  now(): number;
  /**
   * Calls `done` after `ms` milliseconds, or earlier; returns a function that prevents the call.
   */
  after(ms: number, done: () => void): () => void;
}

/** Maximum number of retries of a failed renewal during one length of the lease. */
const TRIES_IN_A_LEASE = 10;

/** After these errors no renewal can succeed. */
const isFinal = (type: string): boolean =>
  ['lease_lost', 'cancelled', 'invalid_transition', 'not_found'].includes(type);

/** Renews a lease at a third of its length, until it is stopped or lost. */
export class LeaseRenewal<R extends { readonly type: string }> {
  readonly #gone = new AbortController();
  readonly #renew: () => ResultAsync<unknown, R>;
  readonly #clock: LeaseClock;
  readonly #fencingToken: number;
  readonly #lengthMs: number;
  #endsAt: number;
  /** When to renew; `Infinity` while a renewal is pending. */
  #renewsAt: number;
  #cancel = (): void => undefined;
  #hasRunOut = false;
  #isRefused = false;
  #isOver = false;

  constructor(
    renew: () => ResultAsync<unknown, R>,
    clock: LeaseClock,
    { begunAt, seconds, fencingToken }: TakenAt,
  ) {
    const lengthMs = seconds * 1000;
    this.#renew = renew;
    this.#clock = clock;
    this.#fencingToken = fencingToken;
    this.#lengthMs = lengthMs;
    this.#endsAt = begunAt + lengthMs;
    this.#renewsAt = begunAt + lengthMs / 3;
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Whether the lease has expired: another holder may have had the session while `use`
   * was running.
   */
  get hasRunOut(): boolean {
    return this.#hasRunOut;
  }

  /**
   * Whether a renewal failed with `lease_lost`: another holder has the session, or `use` has
   * released it.
   */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Renews immediately, because the lease may be over. */
  check(): void {
    if (this.#isOver || this.#renewsAt === Number.POSITIVE_INFINITY) return;
    this.#renewsAt = Number.NEGATIVE_INFINITY;
    this.#wait();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  #wait(): void {
    this.#cancel();
    const now = this.#clock.now();
    if (now >= this.#endsAt) {
      this.#hasRunOut = true;
      this.#end(leaseLost(this.#fencingToken));
      return;
    }
    if (now >= this.#renewsAt) this.#renewNow(now).catch(() => undefined);
    this.#cancel = this.#clock.after(
      Math.max(1, Math.min(this.#endsAt, this.#renewsAt) - now),
      () => this.#wait(),
    );
  }

  async #renewNow(begunAt: number): Promise<void> {
    this.#renewsAt = Number.POSITIVE_INFINITY;
    const renewed = await this.#renew();
    if (this.#isOver) return;
    if (renewed.isErr() && isFinal(renewed.error.type)) {
      this.#isRefused = renewed.error.type === 'lease_lost';
      this.#end(renewed.error);
      return;
    }
    if (renewed.isOk()) {
      this.#endsAt = begunAt + this.#lengthMs;
      this.#renewsAt = begunAt + this.#lengthMs / 3;
    } else {
      this.#renewsAt = this.#clock.now() + this.#lengthMs / TRIES_IN_A_LEASE;
    }
    this.#wait();
  }

  #end(reason: LeaseLost | R): void {
    this.stop();
    this.#gone.abort(reason);
  }
}
