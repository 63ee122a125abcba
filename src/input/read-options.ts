import { IssueList, readArguments } from './issue-list.js';
import { type Fields, isFields } from './values.js';

/** How many letters to insert, delete or replace to turn one text into the other (Levenshtein distance). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The name that was probably meant by `text`: one that begins with it, or the one most like it. Case does not count. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const wanted = text.slice(0, 64).toLowerCase();
  const most = Math.min(3, Math.max(1, Math.floor(wanted.length / 2)));
  const near = names
    .map((name) => {
      const known = name.toLowerCase();
      return { name, far: wanted.length > 1 && known.startsWith(wanted) ? 0 : distance(wanted, known) };
    })
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return near[0]?.name;
};

/** The hint for a message; empty where no name is near. */
export const didYouMean = (name: string | undefined): string => (name === undefined ? '' : ` (did you mean ${name}?)`);

type NestedNames<V> = V extends (...args: never) => unknown ? never : V extends object ? OptionNames<V> : never;

/** The names of all options of `O`: `true` or a default, or where an option is itself an object of options, the names in that. */
export type OptionNames<O> = { readonly [K in keyof O]-?: true | number | NestedNames<NonNullable<O[K]>> };

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
  throw new TypeError(`${maker}: ${reading.message}`);
};

/** Reads the options of a constructor or factory. Those that break a rule or that nobody knows are named together. */
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
