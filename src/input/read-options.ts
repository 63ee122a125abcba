import { IssueList, readArguments } from './issue-list.js';
import { didYouMean, nearest } from './nearest.js';
import { type Fields, isFields } from './values.js';

type NestedNames<V> = V extends (...args: never) => unknown ? never : V extends object ? OptionNames<V> : never;

/** The names of all options of `O`: `true`, or where an option is itself an object of options, the names in that. */
export type OptionNames<O> = { readonly [K in keyof O]-?: true | NestedNames<NonNullable<O[K]>> };

/** An unknown name is told with the known one that was probably meant. */
const checkNames = (issues: IssueList, options: object, names: Fields, prefix = ''): void => {
  for (const [name, value] of Object.entries(options)) {
    const path = `${prefix}${name}`;
    const nested = names[name];
    if (!Object.hasOwn(names, name)) {
      issues.check(false, path, `is unknown${didYouMean(nearest(name, Object.keys(names)))}`);
    } else if (isFields(nested) && isFields(value)) {
      checkNames(issues, value, nested, `${path}.`);
    }
  }
};

/**
 * Reads what a host wires up, and throws one TypeError that names everything that is wrong with it. `maker` is the
 * function or class that the host has called. `path` stands for an argument that cannot be read at all.
 */
export const readOrThrow = <T>(maker: string, path: string, read: (issues: IssueList) => T): T => {
  const reading = readArguments(path, read, new IssueList(Number.POSITIVE_INFINITY));
  if ('value' in reading) return reading.value;
  throw new TypeError(`${maker}: ${reading.broken.message}`);
};

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
    checkNames(issues, options, { ...names });
    return read(issues);
  });
};
