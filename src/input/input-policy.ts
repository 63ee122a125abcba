import { defaultLimits, limitMsOf, type SessionLimits, type SizeLimit } from '../session/limits.js';
import type { Optional } from '../session/optional.js';
import type { IssueList } from './issue-list.js';
import { parseFields, parseNumber } from './parse-fields.js';

/** The input that a host allows. */
export interface InputPolicy {
  /** Limits on sizes and numbers. */
  readonly limits: SessionLimits;
  /** Whether the host has set `limits.timeLimit`, so that every session has a time limit. */
  readonly hasTimeLimit: boolean;
  /** Allowed faces; `undefined` for any. */
  readonly faces: ReadonlySet<string> | undefined;
  /** Allowed profiles; `undefined` for any. */
  readonly profiles: ReadonlySet<string> | undefined;
}

/** A policy from the options of the host; everything has a default. */
export interface GivenPolicy {
  readonly limits?: Optional<SessionLimits> | undefined;
  readonly faces?: readonly string[] | undefined;
  readonly profiles?: readonly string[] | undefined;
}

const MAX = Number.MAX_SAFE_INTEGER;

const isTenantLimit = (value: unknown): value is (tenant: string) => number =>
  typeof value === 'function';

const parseActiveSessions = (
  issues: IssueList,
  path: string,
  value: unknown,
): SessionLimits['activeSessions'] => {
  if (isTenantLimit(value)) return value;
  return parseNumber(issues, path, value, 0, MAX);
};

const parseLimits = (issues: IssueList, limits: unknown): SessionLimits => {
  const given = parseFields(issues, 'limits', limits);
  const limitOf = (name: keyof SessionLimits): unknown => given[name] ?? defaultLimits[name];
  const parse = (name: SizeLimit): number =>
    parseNumber(issues, `limits.${name}`, limitOf(name), 1, MAX);
  return {
    timeLimit: parse('timeLimit'),
    textBytes: parse('textBytes'),
    contentBytes: parse('contentBytes'),
    metadataBytes: parse('metadataBytes'),
    entriesPerAppend: parse('entriesPerAppend'),
    historyEntries: parse('historyEntries'),
    activeSessions: parseActiveSessions(issues, 'limits.activeSessions', limitOf('activeSessions')),
    pageBytes: parse('pageBytes'),
    forkBytes: parse('forkBytes'),
  };
};

/** Maximum milliseconds ACTIVE of a session that asks for `timeLimit` seconds. */
export const allowedMsOf = ({ limits, hasTimeLimit }: InputPolicy, timeLimit: number): number =>
  limitMsOf(timeLimit === 0 && hasTimeLimit ? limits.timeLimit : timeLimit);

const parseNames = (issues: IssueList, path: string, names: readonly string[] | undefined) => {
  if (names === undefined) return undefined;
  const fits = Array.isArray(names) && names.every((name) => typeof name === 'string');
  issues.check(fits, path, 'must be an array of strings');
  return new Set(fits ? names : []);
};

export const parsePolicy = (
  issues: IssueList,
  { limits = {}, faces, profiles }: GivenPolicy,
): InputPolicy => ({
  limits: parseLimits(issues, limits),
  hasTimeLimit: limits?.timeLimit !== undefined,
  faces: parseNames(issues, 'faces', faces),
  profiles: parseNames(issues, 'profiles', profiles),
});
