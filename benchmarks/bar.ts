import type { Ratio } from './harness/measure.js';
import type { Spread } from './harness/statistics.js';
import type { Results } from './results.js';

/** A figure in some results: of rounds, or counted. */
type Figure = Spread | number;

/** What a figure must reach. */
export interface Bar {
  readonly figure: string;
  readonly least?: number;
  readonly most?: number;
  /** The figure in some results, if they have it. */
  readonly read: (results: Results) => Figure | undefined;
}

export interface Place {
  readonly group: string;
  readonly subject: string;
  readonly limit: string;
  /** Default: whatever the group has. */
  readonly callers?: number;
  /** Default: by the clock. */
  readonly by?: 'wall' | 'cpu';
}

const ratioAt = (
  { group, subject, limit, callers }: Omit<Place, 'by'>,
  { groups }: Results,
): Ratio | undefined =>
  groups
    .find((found) => found.group === group && (callers === undefined || found.callers === callers))
    ?.measurements.find((measurement) => measurement.subject === subject)?.ratios[limit];

/** How much of the limit's rate. */
export const ratio =
  ({ by = 'wall', ...place }: Place) =>
  (results: Results): Spread | undefined =>
    ratioAt(place, results)?.[by];

/** The limit's CPU time, with the database's, divided by the subject's. */
export const leastCpu =
  (place: Omit<Place, 'by'>) =>
  (results: Results): number | undefined =>
    ratioAt(place, results)?.least;

/** How many times the limit's time. */
export const times =
  (place: Place) =>
  (results: Results): Spread | undefined => {
    const found = ratio(place)(results);
    return found && { median: 1 / found.median, lower: 1 / found.upper, upper: 1 / found.lower };
  };

export const count =
  (figure: string) =>
  ({ counts }: Results): number | undefined =>
    counts.find((found) => found.figure === figure)?.value;
