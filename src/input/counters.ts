import { fieldsIn } from '../schema/object.js';
import { about, like, named, nullish, optional, type Schema, schema } from '../schema/schema.js';
import { list, matching, whole } from '../schema/values.js';
import { byName } from '../session/canonical-json.js';
import { MAX_COUNTERS } from '../session/limits.js';
import type { Counters } from '../session/session.js';
import { labelNameForm, NAME_RULE } from './labels.js';

/** Numbers from `least` by counter, sorted by name; at least one. */
/* @__NO_SIDE_EFFECTS__ */
const counters = (least: 0 | 1): Schema<Counters> => {
  const value = whole(least);
  return schema(
    (issues, path, given) => {
      const earlier = issues.found.length;
      const entries = Object.entries(fieldsIn(issues, path, given));
      if (issues.found.length > earlier) return {};
      const fits = entries.length >= 1 && entries.length <= MAX_COUNTERS;
      issues.check(fits, path, `must have 1 to ${MAX_COUNTERS} counters, such as { tokens: 900 }`);
      // The error does not repeat a wrong name, which may contain anything.
      const areNames = entries.every(([name]) => labelNameForm.test(name));
      issues.check(areNames, path, NAME_RULE);
      if (!fits || !areNames) return {};
      const read = entries.map(
        ([name, number]) => [name, value.read(issues, `${path}.${name}`, number)] as const,
      );
      return Object.freeze(Object.fromEntries(read.sort(byName)));
    },
    () => ({
      type: 'object',
      minProperties: 1,
      maxProperties: MAX_COUNTERS,
      propertyNames: { type: 'string', pattern: labelNameForm.source },
      additionalProperties: value.json(),
    }),
  );
};

/** Sums that end a session. */
export const budget = named(
  'Budget',
  about(
    'Sums of counters that end the session, such as tokens or micro-dollars.',
    like({ tokens: 100_000 }, counters(1)),
  ),
);

/** What is added to counters. */
export const usage = named(
  'Usage',
  about('What is added to the counters of the session.', like({ tokens: 900 }, counters(0))),
);

/** The usage of a write; undefined if it has none. */
export const usageField = nullish(usage);

const noNames: readonly string[] = [];

/** The names of counters that every session of a host has. */
export const counterNames = optional(
  list(matching(labelNameForm, NAME_RULE), { most: MAX_COUNTERS, of: 'names of counters' }),
  noNames,
);
