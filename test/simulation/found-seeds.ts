/** Seeds of `simulateTalks` that have found a bug, each with the bug. */
export const foundSeeds: readonly { readonly seed: number; readonly found: string }[] = [
  {
    seed: 39,
    found: 'after a failed read, a watch waited by the machine instead of the clock of its service',
  },
  {
    seed: 294,
    found: 'the labels of a reported end are those of the report, not those of the end',
  },
];
