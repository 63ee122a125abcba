import { IssueList, readSafely } from './issues.js';
import { didYouMean, nearest } from './nearest.js';
import { type Fields, isFields } from './values.js';

type NestedNames<V> = V extends (...args: never) => unknown ? never : V extends object ? OptionNames<V> : never;

/** The names of all options of `O`: `true`, or where an option is itself an object of options, the names in that. */
export type OptionNames<O> = { readonly [K in keyof O]-?: true | NestedNames<NonNullable<O[K]>> };

const checkNames = (issues: IssueList, options: Fields, names: Fields, prefix: string): void => {
  for (const name of Object.keys(options)) {
    const path = `${prefix}${name}`;
    if (!Object.hasOwn(names, name)) {
      issues.check(false, path, `is unknown${didYouMean(nearest(name, Object.keys(names)))}`);
      continue;
    }
    const value = options[name];
    const nested = names[name];
    if (isFields(nested) && isFields(value)) checkNames(issues, value, nested, `${path}.`);
  }
};

/** Checks that an object has none but known options. An unknown one is told with the name that was probably meant. */
export const checkOptionNames = <O>(
  issues: IssueList,
  options: unknown,
  names: OptionNames<NoInfer<O>>,
  path?: string,
): void => {
  if (isFields(options)) checkNames(issues, options, { ...names }, path === undefined ? '' : `${path}.`);
};

/**
 * Reads what a host wires up, and throws one TypeError that names everything that is wrong with it. `maker` is the
 * function or class that the host has called. `path` stands for an argument that cannot be read at all.
 */
export const readOrThrow = <T>(maker: string, path: string, read: (issues: IssueList) => T): T =>
  readSafely(path, read, new IssueList(Number.POSITIVE_INFINITY)).match(
    (value) => value,
    ({ message }) => {
      throw new TypeError(`${maker}: ${message}`);
    },
  );

/**
 * Reads the options of a constructor or factory. Options that break a rule, and options that nobody knows, are a
 * programmer's mistake: one TypeError names all of them.
 *
 *     const settings = readOptions('createSweeper', options, { interval: true, batch: true }, (issues) => ({
 *       intervalMs: 1000 * readNumber(issues, 'interval', options.interval ?? 1, 0.01, 86_400),
 *       batch: readWhole(issues, 'batch', options.batch ?? 500, 1),
 *     }));
 */
export const readOptions = <O, T>(
  maker: string,
  options: O,
  names: OptionNames<NoInfer<O>>,
  read: (issues: IssueList) => T,
): T => {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${maker}: options must be an object`);
  return readOrThrow(maker, 'options', (issues) => {
    checkOptionNames<O>(issues, options, names);
    return read(issues);
  });
};
