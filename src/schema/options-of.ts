import { isFields } from '../session/fields.js';
import { IssueList, readArguments } from './issue-list.js';
import { object } from './object.js';
import type { FieldSchemas, OutOf, Read, Schema } from './schema.js';
import { type FindMeant, nearest } from './unknown-fields.js';

/**
 * Reads the arguments of a constructor or factory. Throws one `TypeError` that names every issue.
 * `maker` is the function or class.
 */
const readOrThrow = <T>(maker: string, read: (issues: IssueList) => T): T => {
  const answer = readArguments(new IssueList(Number.POSITIVE_INFINITY), read);
  if ('value' in answer) return answer.value;
  const { message, cause } = answer;
  throw new TypeError(`${maker}: ${message}`, cause === undefined ? undefined : { cause });
};

/** Reads an argument of `maker`, which `root` names. Throws a `TypeError` if it breaks a rule. */
export const readArgument = <T>(maker: string, root: string, of: Schema<T>, value: unknown): T =>
  readOrThrow(maker, (issues) => issues.read(root, of, value));

/**
 * Suggests the path of an option that another option contains, for example `limits.timeLimit`. Apart
 * from `optionsOf`, so that a bundle of the client omits it.
 */
export const meantWithin =
  (fields: FieldSchemas): FindMeant =>
  (name, names) => {
    const outer = Object.keys(fields).find((each) =>
      Object.hasOwn(fields[each]?.fields ?? {}, name),
    );
    return outer === undefined ? nearest(name, names) : `${outer}.${name}`;
  };

/**
 * The reader of the options of `maker`. It throws a `TypeError` that names all that is wrong.
 * `check` reports the rules of several options together.
 */
export const optionsOf = <F extends FieldSchemas>(
  maker: string,
  fields: F,
  check?: (issues: IssueList, read: OutOf<F>) => void,
  meant?: FindMeant,
) => {
  const options = object(fields, meant);
  const read: Read<OutOf<F>> = (issues, path, given) => {
    issues.check(isFields(given), path, 'must be an object');
    // Any value but an object gets a single issue, without the fields that it lacks.
    const told = isFields(given) ? issues : new IssueList(0);
    const found = options.read(told, path, given);
    check?.(told, found);
    return found;
  };
  return (given: unknown): OutOf<F> => readArgument(maker, 'options', { ...options, read }, given);
};
