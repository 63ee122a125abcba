import { ok, type Result } from 'neverthrow';
import type { GivenEntry } from '../input/entries-input.js';
import { type Described, fitSchemas } from '../input/fit-schemas.js';
import { type InvalidInput, type Misconfigured, withPaths } from '../session/errors.js';
import type { Settings } from './settings.js';

type Fitted<V, E = never> = Promise<Result<V, E | InvalidInput | Misconfigured>>;

export const fitInput = async <V extends Described, E>(
  { policy: { schemas, limits } }: Settings,
  read: Result<V, E>,
): Fitted<V, E> =>
  read.isErr() || schemas === undefined ? read : fitSchemas(schemas, limits, read.value);

/** The paths of issues begin with `path` in place of `named`. */
export const fitEntries = async (
  settings: Settings,
  path: string,
  given: readonly GivenEntry[],
  named = 'entries',
): Fitted<readonly GivenEntry[]> => {
  const fitted = await fitInput(settings, ok({ entries: given }));
  return fitted
    .map(({ entries }) => entries)
    .mapErr((error) =>
      error.type === 'invalid_input'
        ? withPaths(error, (each) => each.replace(named, path))
        : error,
    );
};
