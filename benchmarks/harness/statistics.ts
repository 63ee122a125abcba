/**
 * The value below which the given part of the sorted values lies, between two of them by
 * proportion.
 */
const quantile = (sorted: readonly number[], part: number): number => {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
};

/** The value that a part of the values does not exceed: 0.99 for the slowest of a hundred. */
export const quantileOf = (values: readonly number[], part: number): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    part,
  );

/** The middle of some measurements and the quartiles around it: how far apart the rounds were. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
  };
};
