export interface Failure {
  readonly difference: string;
  readonly steps: readonly number[];
  readonly calls: readonly string[];
}

/**
 * Leaves out steps while the rest still fails: halves first, then smaller parts. Makes at most
 * `runs` runs.
 */
export const shrink = async (
  failure: Failure,
  rerun: (steps: readonly number[]) => Promise<Failure | undefined>,
  mayGoOn: () => boolean,
): Promise<Failure> => {
  let smallest = failure;
  for (let size = Math.ceil(failure.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = smallest.steps.length - 1; from >= 0 && mayGoOn(); from -= size) {
      const { steps } = smallest;
      const rest = [...steps.slice(0, Math.max(0, from + 1 - size)), ...steps.slice(from + 1)];
      const again = rest.length < steps.length ? await rerun(rest) : undefined;
      if (again !== undefined) smallest = again;
      from = Math.min(from, smallest.steps.length);
    }
  }
  return smallest;
};
