import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { SessionError, SweepError } from './errors.js';
import { readOptions } from './input/read-options.js';
import { hasMethods, readListener, readNumber, readUpTo } from './input/values.js';
import { SWEEP_LIMIT } from './limits.js';
import type { SessionService } from './service/session-service.js';
import type { SweptSession } from './service/sweep-sessions.js';

export interface SweeperOptions {
  /** Seconds between the end of one sweep and the beginning of the next, 0.01 to 86400. Default: 1. */
  readonly interval?: number;
  /** Sessions that are seen to at a time, 1 to 10000. Default: 500. */
  readonly batch?: number;
  /** Told of every session that this process has ended by the clock, once, when that is written down. */
  readonly onEnded?: (session: SweptSession) => void;
  /** Told of what went wrong. What could not be seen to is due still, and comes up again with the next sweep. */
  readonly onError?: (error: SessionError) => void;
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
  /** Sweeps until stopped. A process that does nothing else may still end. */
  start(): void;
  /** Stops; settles when the batch that is under way is done. */
  stop(): Promise<void>;
  /** Sees to all that is due now, batch by batch: for hosts that have a scheduler. */
  sweepOnce(): ResultAsync<SweepReport, SweepError>;
}

/** After so many batches in a row in which others were faster, or nothing could be done, the rest waits. */
const IDLE_BATCHES = 3;

const MOST_SECONDS = 24 * 60 * 60;

const optionNames = { interval: true, batch: true, onEnded: true, onError: true } as const;

const readSettings = (sessions: SessionService, options: SweeperOptions) =>
  readOptions('createSweeper', options, optionNames, (issues) => {
    const { interval = 1, batch = 500, onEnded, onError } = options;
    issues.check(hasMethods(sessions, 'sweep'), 'sessions', 'must be a SessionService');
    return {
      intervalMs: 1000 * readNumber(issues, 'interval', interval, 0.01, MOST_SECONDS),
      batch: readUpTo(issues, 'batch', batch, SWEEP_LIMIT),
      onEnded: readListener(issues, 'onEnded', onEnded),
      onError: readListener(issues, 'onError', onError),
    };
  });

/**
 * A sweeper over the sessions of all tenants in the store of `sessions`. Any number of processes may run one: each end
 * is written down by one of them, and told by that one. Reads need none of it: a session whose time is up is
 * TERMINATED for all readers at that very millisecond. Throws a `TypeError` that names every option that is wrong or
 * unknown.
 */
export const createSweeper = (sessions: SessionService, options: SweeperOptions = {}): Sweeper => {
  const { intervalMs, batch, onEnded, onError } = readSettings(sessions, options);
  /** Another one with each start, so that a loop knows that its time is over. */
  let loop: object | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<unknown> = Promise.resolve();

  const sweep = async (goesOn: () => boolean): Promise<Result<SweepReport, SweepError>> => {
    const report = { ended: 0, deleted: 0, failed: 0 };
    for (let idle = 0; idle < IDLE_BATCHES && goesOn(); ) {
      const swept = await sessions.sweep(batch);
      if (swept.isErr()) {
        onError(swept.error);
        return err(swept.error);
      }
      const { ended, deleted, failed, purged, isFull } = swept.value;
      for (const session of ended) onEnded(session);
      for (const error of failed) onError(error);
      report.ended += ended.length;
      report.deleted += deleted.length;
      report.failed += failed.length;
      if (!isFull) break;
      idle = ended.length + deleted.length + purged > 0 ? 0 : idle + 1;
    }
    return ok(report);
  };

  const run = (ours: object): void => {
    sweeping = sweep(() => loop === ours).then(() => {
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
    sweepOnce: () => new ResultAsync(sweep(() => true)),
  };
};
