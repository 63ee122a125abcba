import { setImmediate as turn } from 'node:timers/promises';

/** Picks an item by any number. */
export const pick = <T>(several: readonly T[], at: number): T | undefined =>
  several[at % Math.max(1, several.length)];

export const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1) await turn();
};
