import { type Fields, isFields } from '../session/fields.js';
import { IssueList, parseArguments } from './issue-list.js';
import { nearest, reportUnknown } from './unknown-fields.js';

type NestedNames<V> = V extends (...args: never) => unknown
  ? never
  : V extends object
    ? OptionNames<V>
    : never;

/**
 * All option names of `O`. A value is `true`, a default, or the names of a nested options object.
 */
export type OptionNames<O> = {
  readonly [K in keyof O]-?: true | number | NestedNames<NonNullable<O[K]>>;
};

/** Reports each unknown option with the nearest known name. */
const checkNames = (issues: IssueList, options: object, names: Fields, prefix = ''): void => {
  for (const [name, value] of Object.entries(options)) {
    const nested = names[name];
    if (!Object.hasOwn(names, name)) {
      reportUnknown(issues, name, nearest(name, Object.keys(names)), prefix);
    } else if (isFields(nested) && isFields(value)) {
      checkNames(issues, value, nested, `${prefix}${name}.`);
    }
  }
};

/**
 * Parses the arguments of a constructor or factory. Throws one `TypeError` that names every issue.
 * `maker` is the function or class; `path` names an argument that cannot be read at all.
 */
export const parseOrThrow = <T>(
  callee: string,
  path: string,
  parse: (issues: IssueList) => T,
): T => {
  const parsed = parseArguments(path, parse, new IssueList(Number.POSITIVE_INFINITY));
  if ('value' in parsed) return parsed.value;
  const { message, cause } = parsed;
  throw new TypeError(`${callee}: ${message}`, cause === undefined ? undefined : { cause });
};

/**
 * Parses the options of a constructor or factory. Throws one `TypeError` for all invalid and
 * unknown options.
 */
export const parseOptions = <O, T>(
  maker: string,
  options: O,
  names: OptionNames<NoInfer<O>>,
  parse: (issues: IssueList) => T,
): T => {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${maker}: options must be an object`);
  return parseOrThrow(maker, 'options', (issues) => {
    checkNames(issues, options, { ...names });
    return parse(issues);
  });
};
