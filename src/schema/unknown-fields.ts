import { cutText } from '../session/cut-text.js';
import type { Fields } from '../session/fields.js';
import { plainText } from '../session/plain-text.js';
import type { IssueList } from './issue-list.js';

/** Levenshtein distance of two texts. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + Number(letter !== other[column - 1]);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/**
 * The known name nearest to `text`: one that begins with it, or the one with the smallest distance.
 * Ignores case.
 */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const wanted = text.slice(0, 64).toLowerCase();
  const most = Math.min(3, Math.max(1, Math.floor(wanted.length / 2)));
  const farOf = (name: string): number => {
    const known = name.toLowerCase();
    if (wanted.length > 1 && known.startsWith(wanted)) return 0;
    return distance(wanted, known);
  };
  const [near] = names
    .map((name) => ({ name, far: farOf(name) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return near?.name;
};

const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

const sorted = (text: string): string => [...text].sort().join('');

/**
 * The known name that a parameter seems to be meant for, as a client library or a slip of the pen
 * changes it: with brackets (`labels[]`, `labels[0]`), in other letters (`createdAfter`), in the
 * other number (`label`), or with one letter wrong, missing, added or swapped. Stricter than
 * `nearest`, because other names are ignored and may belong to a proxy.
 */
export const nearMiss = (text: string, names: readonly string[]): string | undefined => {
  const [base = ''] = text.split(/[[.]/, 1);
  const given = letters(base);
  return names.find((name) => {
    const known = letters(name);
    if (given === known || given === `${known}es`) return true;
    if (given.length < 4 || Math.abs(given.length - known.length) > 1) return false;
    return sorted(given) === sorted(known) || distance(given, known) <= 1;
  });
};

export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` (did you mean ${name}?)`;

const TOLD_CHARACTERS = 64;

/** Reports an unknown name with the known one that was probably meant. */
export const reportUnknown = (
  issues: IssueList,
  name: string,
  meant: string | undefined,
  prefix = '',
): void =>
  issues.check(
    false,
    `${prefix}${plainText(cutText(name, TOLD_CHARACTERS))}`,
    `is unknown${didYouMean(meant)}`,
  );

/** Finds the known name that was probably meant. */
export type FindMeant = (name: string, names: readonly string[]) => string | undefined;

/** Reports the fields of an operation's input that are not in `names`. */
export const checkKnown = (
  issues: IssueList,
  fields: Fields,
  names: readonly string[],
  prefix = '',
  meant: FindMeant = nearest,
): void => {
  for (const name of Object.keys(fields)) {
    if (names.includes(name)) continue;
    // To find the nearest name takes time, and a hostile input has many names.
    if (issues.isFull) return;
    reportUnknown(issues, name, meant(name, names), prefix);
  }
};
