import { NAME_LENGTH, ROLE_LENGTH, type SessionLimits } from '../limits.js';
import { rfc3339 } from './timestamp.js';
import type { ReadAs } from './values.js';

/*
 * What is asked of the fields that callers give, as data. The document of the HTTP interface is made from it, and the
 * compiler holds the readers to it: a field that is read by another rule than the one that stands here does not compile.
 * Readers that follow the data at run time were measured, and so were schema libraries: they are slower and larger.
 */

type FieldRule =
  /** A string of 1 to `most` characters (UTF-16 code units); `allowed` is the host's list that it must be on. */
  | { readonly kind: 'name'; readonly most: number; readonly allowed?: 'faces' | 'profiles' }
  /** A string that may be empty, of at most so many bytes in UTF-8 as this limit says. */
  | { readonly kind: 'text'; readonly mostBytes: keyof SessionLimits }
  /** A number from `least` to what this limit says. */
  | { readonly kind: 'number'; readonly least: number; readonly most: keyof SessionLimits }
  | { readonly kind: 'timestamp'; readonly form: RegExp };

/** A field may be left out, or be `null`, if there is something to stand for it, or if it is optional. */
export type Rule = FieldRule & { readonly absent?: string | number; readonly isOptional?: boolean };

type MarkOf<R> = R extends { kind: 'name'; most: infer M }
  ? ['name', M]
  : R extends { kind: 'number'; least: infer L }
    ? ['number', L]
    : R extends { kind: infer K }
      ? [K]
      : never;

/** What the readers must give that keep to these rules. */
export type ReadBy<Rules> = {
  readonly [F in keyof Rules]:
    | ReadAs<Rules[F] extends { kind: 'number' } ? number : string, MarkOf<Rules[F]>>
    | (Rules[F] extends { isOptional: true } ? undefined : never);
};

export const createRules = {
  face: { kind: 'name', most: NAME_LENGTH, allowed: 'faces' },
  profile: { kind: 'name', most: NAME_LENGTH, allowed: 'profiles' },
  context: { kind: 'text', mostBytes: 'textBytes', absent: '' },
  behavior: { kind: 'text', mostBytes: 'textBytes', absent: '' },
  timeLimit: { kind: 'number', least: 0, most: 'timeLimit', absent: 0 },
} as const satisfies Readonly<Record<string, Rule>>;

export const entryRules = {
  role: { kind: 'name', most: ROLE_LENGTH },
  content: { kind: 'text', mostBytes: 'contentBytes' },
  timestamp: { kind: 'timestamp', form: rfc3339, isOptional: true },
} as const satisfies Readonly<Record<string, Rule>>;

/** How many entries an append takes. */
export const entriesRange = { least: 1, most: 'entriesPerAppend' } as const;
