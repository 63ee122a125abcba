import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { IssueList } from './issue-list.js';
import { parseFields } from './parse-fields.js';
import { parseOrThrow } from './parse-options.js';
import { parseSafely } from './parse-safely.js';
import { checkKnown } from './unknown-fields.js';

/** Reads a value. If it breaks a rule, reports that, and returns another value of the type. */
export type Parser<T> = (issues: IssueList, path: string, value: unknown) => T;

/** The parsers of an object, by the names of its fields. */
type Parsers = Readonly<Record<string, Parser<unknown>>>;

/** What the parsers of an object return. */
type Parsed<P extends Parsers> = { readonly [F in keyof P]: ReturnType<P[F]> };

/** A parser with its rules, such as a maximum. */
export const by =
  <R extends readonly unknown[], T>(
    parse: (issues: IssueList, path: string, value: unknown, ...rules: R) => T,
    ...rules: R
  ): Parser<T> =>
  (issues, path, value) =>
    parse(issues, path, value, ...rules);

/** The field may be missing. */
export const optional =
  <T>(parse: Parser<T>): Parser<T | undefined> =>
  (issues, path, value) =>
    value === undefined ? undefined : parse(issues, path, value);

/** The field counts as `absent` if it is missing. */
export const withDefault =
  <T>(absent: unknown, parse: Parser<T>): Parser<T> =>
  (issues, path, value = absent) =>
    parse(issues, path, value);

/** `null` counts as missing. */
export const nullable =
  <T>(parse: Parser<T>): Parser<T> =>
  (issues, path, value) =>
    parse(issues, path, value ?? undefined);

/** A field that is read later, with others. */
export const asGiven: Parser<unknown> = (_issues, _path, value) => value;

/** The parser of an object, which has no other fields. `prefix` is that of their paths. */
export function fieldsOf<P extends Parsers>(
  parsers: P,
): (issues: IssueList, path: string, value: unknown, prefix?: string) => Parsed<P>;
export function fieldsOf(parsers: Parsers) {
  const all = Object.entries(parsers);
  const names = Object.keys(parsers);
  return (issues: IssueList, path: string, value: unknown, prefix = '') => {
    const fields = parseFields(issues, path, value);
    checkKnown(issues, fields, names, prefix);
    const parsed: Record<string, unknown> = {};
    for (const [name, parse] of all) parsed[name] = parse(issues, prefix + name, fields[name]);
    return parsed;
  };
}

/** What the parser of an argument returns. */
export type InputOf<F> = F extends (value: unknown) => Result<infer T, InvalidInput> ? T : never;

/** The parser of an argument of an operation: an object of these fields. */
export const inputOf = <P extends Parsers>(path: string, parsers: P) => {
  const parse = fieldsOf(parsers);
  return (value: unknown): Result<Parsed<P>, InvalidInput> =>
    parseSafely(path, (issues) => parse(issues, path, value));
};

/** Parses the options of `maker`. Throws a `TypeError` that names all that is wrong with them. */
export const optionsOf = <P extends Parsers>(maker: string, parsers: P) => {
  const parse = fieldsOf(parsers);
  return (options: object): Parsed<P> =>
    parseOrThrow(maker, 'options', (issues) => parse(issues, 'options', options));
};
