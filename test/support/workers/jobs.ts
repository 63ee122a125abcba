import type { Call } from '../../faults/races/linear.js';

/** Jobs of processes and their reports, which travel as JSON. */

/** Writers that append concurrently, each sequentially until it is refused. */
export interface AppendJob {
  readonly job: 'append';
  readonly id: string;
  readonly writers: readonly string[];
  /** Maximum appends of a writer; the entries of the nth are `<writer> <n> <k>`. */
  readonly appends: number;
  readonly entries: number;
}

export interface RaceJob {
  readonly job: 'start' | 'terminate' | 'create';
  /** A session's id; the idempotency key of a `create`. */
  readonly id: string;
  readonly times: number;
}

/** Ends a session to which others append, and reads its history immediately. */
export interface EndJob {
  readonly job: 'end';
  readonly id: string;
  /** Length of the history at which it ends the session. */
  readonly after: number;
}

/** A sweep of all that is due. */
export interface SweepJob {
  readonly job: 'sweep';
  readonly batch: number;
}

/** Clients that append, read, pause and resume at random. */
export interface WitnessJob {
  readonly job: 'witness';
  readonly id: string;
  readonly clients: number;
  /** Number of calls of each client. */
  readonly calls: number;
  readonly seed: number;
}

/** Callers that start and end sessions under a limit of live sessions. */
export interface OccupyJob {
  readonly job: 'occupy';
  readonly callers: number;
  /** Number of calls of `start` of each caller. */
  readonly times: number;
  readonly limit: number;
}

export type Job = AppendJob | RaceJob | EndJob | SweepJob | WitnessJob | OccupyJob;

/** The result of a call: `ok` or the type of the error, and the id or the history. */
export interface Answered {
  readonly outcome: string;
  readonly value: string;
}

/** Progress of a writer. */
export interface Written {
  readonly writer: string;
  readonly acknowledged: number;
  readonly outcome: string;
}

export interface Report {
  readonly answers: readonly Answered[];
  readonly written: readonly Written[];
  readonly seen: readonly Call[];
}
