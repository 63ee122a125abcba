import { err, ok, type Result } from 'neverthrow';
import type { GivenEntry } from '../input/entries-input.js';
import { type Described, fitSchemas } from '../input/fit-schemas.js';
import { type InvalidInput, invalidInput, type Misconfigured } from '../session/errors.js';
import type { Settings } from './settings.js';

type Fitted<V, E = never> = Promise<Result<V, E | InvalidInput | Misconfigured>>;

/** A checked input with the data that the host's schemas make of its own, if there are any. */
export const fitInput = async <V extends Described, E>(
  { policy: { schemas, limits } }: Settings,
  read: Result<V, E>,
): Fitted<V, E> =>
  read.isErr() || schemas === undefined ? read : fitSchemas(schemas, limits, read.value);

/** The same for entries whose paths in issues begin with `path` in place of `entries`. */
export const fitEntries = async (
  settings: Settings,
  path: string,
  given: readonly GivenEntry[],
  named = 'entries',
): Fitted<readonly GivenEntry[]> => {
  const fitted = await fitInput(settings, ok({ entries: given }));
  if (fitted.isOk()) return ok(fitted.value.entries);
  if (fitted.error.type !== 'invalid_input') return err(fitted.error);
  const issues = fitted.error.issues.map((issue) => ({
    ...issue,
    path: issue.path.replace(named, path),
  }));
  return err(invalidInput(issues));
};
