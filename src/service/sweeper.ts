import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { callback, having, listener } from '../schema/host-values.js';
import { optionsOf, readArgument } from '../schema/options-of.js';
import { optional, type Schema } from '../schema/schema.js';
import { number, upTo } from '../schema/values.js';
import { disposable } from '../session/async-dispose.js';
import { afterLong, timerOf } from '../session/clock.js';
import type { SweepFailure } from '../session/errors.js';
import { SWEEP_LIMIT } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { EndedSession } from '../session/session-at.js';
import type { SessionService } from './session-service.js';
import { checkOutside, settingsOf } from './settings.js';

/**
 * Options of `createSweeper`.
 *
 * @example
 * ```ts
 * const store = new MemorySessionStore({ reportEnds: true });
 * const sweeper = createSweeper(new SessionService({ store }), {
 *   interval: 5,
 *   batch: 100,
 *   onEnded: ({ id, endReason, duration }) => console.info(id, endReason, duration),
 *   onError: (error) => console.error(error),
 * });
 * ```
 */
export interface SweeperOptions {
  /**
   * Seconds between the end of one sweep and the beginning of the next, 0.01 to 86400. Default: 1.
   */
  readonly interval?: number | undefined;
  /** Maximum number of sessions in one batch, 1 to 10000. Default: 500. */
  readonly batch?: number | undefined;
  /**
   * Called for each session that has ended for any reason: at least once, by one of the sweeping
   * processes, and for at most 64 sessions at the same time. May be asynchronous. If it throws,
   * rejects or takes longer than a minute, or if its process dies, some sweeping process calls its
   * own `onEnded` again, a minute later or more. Required if the store has `reportEnds`; otherwise
   * every sweep fails with `misconfigured` and does nothing.
   */
  readonly onEnded?: ((session: EndedSession) => unknown) | undefined;
  /**
   * Called for each error. A session that could not be processed stays due and is retried. Default:
   * errors are ignored.
   */
  readonly onError?: ((error: OperationErrors['sweep'] | SweepFailure) => unknown) | undefined;
}

/** Numbers of processed sessions. */
export interface SweepReport {
  /** Sessions that had expired, and whose end was stored. */
  readonly ended: number;
  /** Ends for which `onEnded` has returned. */
  readonly reported: number;
  /** Sessions that were deleted because their retention was over. */
  readonly deleted: number;
  /** Errors; the sessions stay due. */
  readonly failed: number;
}

/**
 * Stores the end of sessions that have expired, reports ended sessions to `onEnded`, and deletes
 * sessions after their retention. `await using` stops it at the end of the block, and waits for the
 * current batch.
 *
 * @example
 * ```ts
 * await using sweeper = createSweeper(sessions);
 * const { ended, deleted } = await unwrap(sweeper.sweepOnce()); // for example in a cron job
 * console.log(ended, deleted); // 0 0
 * ```
 */
export interface Sweeper extends AsyncDisposable {
  /**
   * Sweeps repeatedly until `stop`. In a store with many partitions, one sweep covers some of them,
   * and all are covered every ten seconds. Like a timer, a running sweeper keeps the process alive.
   */
  start(): void;
  /** Stops the sweeper. Settles when the current batch is done. */
  stop(): Promise<void>;
  /** Processes everything that is due now, batch by batch, for hosts with their own scheduler. */
  sweepOnce(): ResultAsync<SweepReport, OperationErrors['sweep']>;
}

/**
 * Maximum number of sweeps that cover a whole store when nothing is due; see `SessionStore.due`.
 */
const STEPS = 10;

/** Milliseconds in which a sweeper covers the whole store. */
const ROUND_MS = 10_000;

const MAX_INTERVAL_SECONDS = 24 * 60 * 60;

const parseSweeper = optionsOf('createSweeper', {
  interval: optional(number(0.01, MAX_INTERVAL_SECONDS), 1),
  batch: optional(upTo(SWEEP_LIMIT), 500),
  onEnded: optional(callback),
  onError: listener,
} satisfies Readonly<Record<keyof SweeperOptions, Schema<unknown>>>);

const service = having('must be a SessionService', 'sweep');

type SweeperSettings = ReturnType<typeof parseSweeper>;

interface Course {
  cursor: string | undefined;
  /** Number of its steps, if nothing is due. */
  readonly steps: number;
}

/**
 * Sweeps for some steps. If a step leaves work, it continues to the end of the round, and then for
 * whole rounds until no step of a round leaves work.
 */
const sweepAlong = async (
  sessions: SessionService,
  { batch, onEnded, onError }: SweeperSettings,
  course: Course,
  goesOn: () => boolean,
): Promise<Result<SweepReport, OperationErrors['sweep']>> => {
  const report = { ended: 0, reported: 0, deleted: 0, failed: 0 };
  let wasBusy = false;
  let isBusy = false;
  for (let step = 1; goesOn(); step += 1) {
    const swept = await sessions.sweep(batch, { onEnded, cursor: course.cursor });
    if (swept.isErr()) {
      onError(swept.error);
      return err(swept.error);
    }
    const { ended, reported, deleted, failed, isFull, nextCursor } = swept.value;
    for (const error of failed) onError(error);
    report.ended += ended.length;
    report.reported += reported.length;
    report.deleted += deleted.length;
    report.failed += failed.length;
    course.cursor = nextCursor;
    isBusy ||= isFull;
    const isRoundOver = nextCursor === undefined;
    if (!isBusy && (isRoundOver || (!wasBusy && step >= course.steps))) break;
    if (!isRoundOver) continue;
    wasBusy = isBusy;
    isBusy = false;
  }
  return ok(report);
};

/**
 * Creates a sweeper for the sessions of all tenants in the store of `sessions`. Any number of
 * processes may run one; each end is stored and reported by one of them. Reads do not need it: they
 * return a session as TERMINATED from the millisecond of its deadline. Throws a `TypeError` that
 * names every invalid or unknown option.
 *
 * @example
 * ```ts
 * const sweeper = createSweeper(sessions, { onError: (error) => console.error(error) });
 * sweeper.start();
 * await sweeper.stop(); // when the process ends
 * ```
 */
export const createSweeper = (sessions: SessionService, options: SweeperOptions = {}): Sweeper => {
  readArgument('createSweeper', 'sessions', service, sessions);
  checkOutside('createSweeper', settingsOf(sessions));
  const settings = parseSweeper(options);
  const intervalMs = 1000 * settings.interval;
  /** A new object for each start, so that a loop detects that it was stopped. */
  let loop: object | undefined;
  const after = timerOf(sessions.clock);
  let cancel = (): void => undefined;
  let sweeping: Promise<unknown> = Promise.resolve();
  const course: Course = {
    cursor: undefined,
    steps: Math.ceil((STEPS * intervalMs) / ROUND_MS),
  };
  const whole = { cursor: undefined, steps: Number.POSITIVE_INFINITY };

  const run = (ours: object): void => {
    sweeping = sweepAlong(sessions, settings, course, () => loop === ours).then(() => {
      if (loop !== ours) return;
      cancel = afterLong(after, intervalMs, () => run(ours));
    });
  };

  const stop = async (): Promise<void> => {
    loop = undefined;
    cancel();
    await sweeping;
  };

  const sweeper = {
    start() {
      if (loop !== undefined) return;
      loop = {};
      run(loop);
    },
    stop,
    sweepOnce: () => new ResultAsync(sweepAlong(sessions, settings, { ...whole }, () => true)),
  };
  return disposable(sweeper, stop);
};
