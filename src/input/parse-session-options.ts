import type { SessionOptions } from '../session/session.js';
import type { InputPolicy } from './input-policy.js';
import { type Fields, isFields, parseName, parseNumber, parseText } from './parse-fields.js';
import type { IssueList } from './parse-safely.js';
import { createRules, type OptionRule } from './rule.js';

const parseOption = (
  issues: IssueList,
  name: string,
  given: unknown,
  rule: OptionRule,
  policy: InputPolicy,
): string | number => {
  const value = given ?? rule.absent;
  if (rule.kind === 'text') return parseText(issues, name, value, policy.limits[rule.mostBytes]);
  if (rule.kind === 'number')
    return parseNumber(issues, name, value, rule.least, policy.limits[rule.most]);
  const isAbsent = given === undefined || given === null;
  const parsed = isAbsent ? '' : parseName(issues, name, given, rule.most);
  const isAllowed = rule.allowed === undefined || (policy[rule.allowed]?.has(parsed) ?? true);
  issues.check(isAllowed, name, 'is not one of the names that this host allows');
  return parsed;
};

const optionRules: readonly (readonly [name: string, rule: OptionRule])[] =
  Object.entries(createRules);

type ReadOptions = {
  readonly [F in keyof typeof createRules]: (typeof createRules)[F] extends { kind: 'number' }
    ? number
    : string;
};

/** The options of a session, each by its rule. */
export function parseSessionOptions(
  issues: IssueList,
  fields: Fields,
  policy: InputPolicy,
): ReadOptions;
export function parseSessionOptions(
  issues: IssueList,
  fields: Fields,
  policy: InputPolicy,
): Record<string, string | number> {
  const options: Record<string, string | number> = {};
  for (const [name, rule] of optionRules)
    options[name] = parseOption(issues, name, fields[name], rule, policy);
  return Object.freeze(options);
}

/** Whether a stored value has all options of a session. */
export const isSessionOptions = (value: unknown): value is SessionOptions =>
  isFields(value) &&
  optionRules.every(
    ([name, { kind }]) => typeof value[name] === (kind === 'number' ? 'number' : 'string'),
  );
