/**
 * A number from 0 up to 1 that depends only on a seed and a name. If one fault is left out of a
 * run, all other decisions stay the same, so that a failure can be reduced to fewer faults.
 */
export const chanceOf = (seed: number, name: string): number => {
  let hash = seed ^ 0x9e3779b9;
  for (let at = 0; at < name.length; at += 1)
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x5bd1e995) ^ (hash >>> 13);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};

/** One of a list, by a number from 0 up to 1. */
export const pick = <T>(list: readonly T[], chance: number): T | undefined =>
  list[Math.floor(chance * list.length)];
