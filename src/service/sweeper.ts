import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { SweepError, SweepFailure } from '../errors.js';
import { readOptions } from '../input/read-options.js';
import { checkFunction, hasMethods, readListener, readNumber, readUpTo } from '../input/values.js';
import { SWEEP_LIMIT } from '../session/session-limits.js';
import type { SessionService } from './session-service.js';
import type { SweptSession } from './sweep-sessions.js';

export interface SweeperOptions {
  /** Seconds between the end of one sweep and the beginning of the next, 0.01 to 86400. Default: 1. */
  readonly interval?: number;
  /** Sessions that are seen to at a time, 1 to 10000. Default: 500. */
  readonly batch?: number;
  /**
   * Told of every session that the clock has ended, at least once, by one of the processes that sweep, and up to 64
   * sessions at a time. It may be asynchronous. Where it throws, rejects or takes longer than a minute, or its process
   * dies, the end is told again, a minute later or more, by any process that sweeps. All sweepers of a store need it: an
   * end that one without it has seen to is told to nobody.
   */
  readonly onEnded?: (session: SweptSession) => unknown;
  /** Told of what went wrong. What could not be seen to is due still, and comes up again. */
  readonly onError?: (error: SweepError | SweepFailure) => unknown;
}

/** How many sessions were seen to. */
export interface SweepReport {
  readonly ended: number;
  /** Sessions whose retention was over. */
  readonly deleted: number;
  /** What could not be seen to. */
  readonly failed: number;
}

/** Writes down the ends that the clock makes, tells of them, and deletes what is to be kept no longer. */
export interface Sweeper {
  /**
   * Sweeps until stopped. In a store with many partitions a sweep looks at some of them, and in ten seconds at all. A
   * process that does nothing else may still end.
   */
  start(): void;
  /** Stops; settles when the batch that is under way is done. */
  stop(): Promise<void>;
  /** Sees to all that is due now, batch by batch: for hosts that have a scheduler. */
  sweepOnce(): ResultAsync<SweepReport, SweepError>;
}

/** Where nothing is due a store has looked at all of itself within so many steps (`SessionStore.due`) ... */
const STEPS = 10;

/** ... which a sweeper takes within so many milliseconds. */
const ROUND_MS = 10_000;

const MOST_SECONDS = 24 * 60 * 60;

/** Where a sweep goes on. */
interface Cursor {
  after: string | undefined;
}

const optionNames = { interval: true, batch: true, onEnded: true, onError: true } as const;

const readSettings = (sessions: SessionService, options: SweeperOptions) =>
  readOptions('createSweeper', options, optionNames, (issues) => {
    const { interval = 1, batch = 500, onEnded, onError } = options;
    issues.check(hasMethods(sessions, 'sweep'), 'sessions', 'must be a SessionService');
    checkFunction(issues, 'onEnded', onEnded);
    return {
      intervalMs: 1000 * readNumber(issues, 'interval', interval, 0.01, MOST_SECONDS),
      batch: readUpTo(issues, 'batch', batch, SWEEP_LIMIT),
      onEnded,
      onError: readListener(issues, 'onError', onError),
    };
  });

/**
 * A sweeper over the sessions of all tenants in the store of `sessions`. Any number of processes may run one: each end
 * is written down and told by one of them. Reads need none of it: a session whose time is up is TERMINATED for all readers
 * at that very millisecond. Throws a `TypeError` that names every option that is wrong or unknown.
 */
export const createSweeper = (sessions: SessionService, options: SweeperOptions = {}): Sweeper => {
  const { intervalMs, batch, onEnded, onError } = readSettings(sessions, options);
  /** Another one with each start, so that a loop knows that its time is over. */
  let loop: object | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<unknown> = Promise.resolve();
  const place: Cursor = { after: undefined };
  const stepsEach = Math.ceil((STEPS * intervalMs) / ROUND_MS);

  /**
   * Goes on where the last sweep has stopped, for some steps. Where a step finds more to do than it can, it goes on to the
   * end of the round, and then round after round until in one of them no step does.
   */
  const sweep = async (
    cursor: Cursor,
    steps: number,
    goesOn: () => boolean,
  ): Promise<Result<SweepReport, SweepError>> => {
    const report = { ended: 0, deleted: 0, failed: 0 };
    let wasBusy = false;
    let isBusy = false;
    for (let step = 1; goesOn(); step += 1) {
      const swept = await sessions.sweep(batch, { onEnded, after: cursor.after });
      if (swept.isErr()) {
        onError(swept.error);
        return err(swept.error);
      }
      const { ended, deleted, failed, isFull, next } = swept.value;
      for (const error of failed) onError(error);
      report.ended += ended.length;
      report.deleted += deleted.length;
      report.failed += failed.length;
      cursor.after = next;
      isBusy ||= isFull;
      const isRoundOver = next === undefined;
      if (!isBusy && (isRoundOver || (!wasBusy && step >= steps))) break;
      if (!isRoundOver) continue;
      wasBusy = isBusy;
      isBusy = false;
    }
    return ok(report);
  };

  const run = (ours: object): void => {
    sweeping = sweep(place, stepsEach, () => loop === ours).then(() => {
      if (loop !== ours) return;
      timer = setTimeout(() => run(ours), intervalMs);
      timer.unref?.();
    });
  };

  return {
    start() {
      if (loop !== undefined) return;
      loop = {};
      run(loop);
    },
    async stop() {
      loop = undefined;
      clearTimeout(timer);
      await sweeping;
    },
    sweepOnce: () => new ResultAsync(sweep({ after: undefined }, Number.POSITIVE_INFINITY, () => true)),
  };
};
