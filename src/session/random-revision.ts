/** The revision of a new state; see `StateRecord`. `random` returns a number from 0 up to 1. */
export const randomRevision = (random: () => number): number => 1 + Math.floor(random() * 2 ** 52);
