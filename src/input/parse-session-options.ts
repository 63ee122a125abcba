import type { SessionOptions } from '../session/session.js';
import { by, nullable, withDefault } from './fields-of.js';
import type { InputPolicy } from './input-policy.js';
import type { IssueList } from './issue-list.js';
import { isFields, parseName, parseNumber, parseText } from './parse-fields.js';
import { createRules } from './rule.js';

/** A name of those that the host allows; empty if it is missing. */
const parseAllowed = (
  issues: IssueList,
  path: string,
  value: unknown,
  { most, allowed }: typeof createRules.face | typeof createRules.profile,
  policy: InputPolicy,
): string => {
  const name = value === undefined ? '' : parseName(issues, path, value, most);
  const isAllowed = policy[allowed]?.has(name) ?? true;
  issues.check(isAllowed, path, 'is not one of the names that this host allows');
  return name;
};

/** The parsers of the options of a session. */
export const optionParsers = (policy: InputPolicy) => {
  const { face, profile, context, behavior, timeLimit } = createRules;
  const { limits } = policy;
  const parseLimited = by(parseNumber, timeLimit.least, limits[timeLimit.most]);
  return {
    face: nullable(by(parseAllowed, face, policy)),
    profile: nullable(by(parseAllowed, profile, policy)),
    context: nullable(withDefault(context.absent, by(parseText, limits[context.mostBytes]))),
    behavior: nullable(withDefault(behavior.absent, by(parseText, limits[behavior.mostBytes]))),
    timeLimit: nullable(withDefault(timeLimit.absent, parseLimited)),
  };
};

/**
 * The options among parsed fields. Written by hand, because every create needs them, and a loop
 * takes many times as long.
 */
export const optionsIn = ({
  face,
  profile,
  context,
  behavior,
  timeLimit,
}: SessionOptions): SessionOptions =>
  Object.freeze({ face, profile, context, behavior, timeLimit });

/** The options of a session that has none of its own. */
export const noOptions: SessionOptions = optionsIn({
  face: createRules.face.absent,
  profile: createRules.profile.absent,
  context: createRules.context.absent,
  behavior: createRules.behavior.absent,
  timeLimit: createRules.timeLimit.absent,
});

const optionTypes = Object.entries(createRules).map(
  ([name, { absent }]) => [name, typeof absent] as const,
);

/** Whether a stored value has all options of a session. */
export const isSessionOptions = (value: unknown): value is SessionOptions =>
  isFields(value) && optionTypes.every(([name, type]) => typeof value[name] === type);
