import { about, like, named, nullish, optional, type Schema } from '../schema/schema.js';
import { list, matching, whole } from '../schema/values.js';
import { MAX_COUNTERS } from '../session/limits.js';
import type { Counters } from '../session/session.js';
import { NAME_RULE, namedValues, nameForm } from './named-values.js';

/* @__NO_SIDE_EFFECTS__ */
const counters = (least: 0 | 1): Schema<Counters> => {
  const rule = (most: number) => `must have 1 to ${most} counters, such as { tokens: 900 }`;
  const of = namedValues(whole(least), { least: 1, most: MAX_COUNTERS, rule });
  return { ...of, json: () => ({ ...of.json(), minProperties: 1 }) };
};

export const budget = named(
  'Budget',
  about(
    'Sums of counters that end the session, such as tokens or micro-dollars.',
    like({ tokens: 100_000 }, counters(1)),
  ),
);

export const usage = named(
  'Usage',
  about('What is added to the counters of the session.', like({ tokens: 900 }, counters(0))),
);

/** The usage of a write; undefined if it has none. */
export const usageField = nullish(usage);

const noNames: readonly string[] = [];

export const counterNames = optional(
  list(matching(nameForm, NAME_RULE), { most: MAX_COUNTERS, of: 'names of counters' }),
  noNames,
);
