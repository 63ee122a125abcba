import { about, like, type Schema } from '../schema/schema.js';
import { number } from '../schema/values.js';
import type { InputPolicy } from './input-policy.js';

const MEANS = 'Seconds that the session may be ACTIVE, across pauses, with fractions.';

/** A time limit of a policy. */
export const timeLimit = ({ limits, hasTimeLimit }: InputPolicy): Schema<number> => {
  const of = number(0, limits.timeLimit);
  const description = hasTimeLimit ? '0 counts as the maximum.' : '0 is no limit.';
  const example = Math.min(600, limits.timeLimit);
  return like(example, about(MEANS, { ...of, json: () => ({ ...of.json(), description }) }));
};
