import type { Call } from '../../faults/races/linear.js';

/** What a test asks of a process, and what comes back. Both travel as JSON. */

/**
 * Writers that append at the same time, each of them one append after another until it is refused.
 */
export interface AppendJob {
  readonly job: 'append';
  readonly id: string;
  readonly writers: readonly string[];
  /** Maximum number of appends of a writer; the entries of the nth are `<writer> <n> <k>`. */
  readonly appends: number;
  readonly entries: number;
}

/** The same call many times concurrently. */
export interface RaceJob {
  readonly job: 'start' | 'terminate' | 'create';
  /** A session's id; the idempotency key of a `create`. */
  readonly id: string;
  readonly times: number;
}

/** Ends a session that others append to, and looks at its history immediately. */
export interface EndJob {
  readonly job: 'end';
  readonly id: string;
  /** The history's length to wait for. */
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

/** Callers that start and end sessions, under a limit of live sessions. */
export interface OccupyJob {
  readonly job: 'occupy';
  readonly callers: number;
  /** Number of calls of `start` of each caller. */
  readonly times: number;
  readonly limit: number;
}

export type Job = AppendJob | RaceJob | EndJob | SweepJob | WitnessJob | OccupyJob;

/** How a call ended: `ok` or the error's type, and the id or the history that it gave. */
export interface Answered {
  readonly outcome: string;
  readonly value: string;
}

/** How far a writer came. */
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
