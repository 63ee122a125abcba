import { about, like, named, nullish, optional, type Schema, schema } from '../schema/schema.js';
import { list, matching, whole } from '../schema/values.js';
import { byName } from '../session/json.js';
import { MAX_COUNTERS } from '../session/limits.js';
import type { Counters } from '../session/session.js';
import { NAME_RULE, namedValuesIn, namedValuesJson, nameForm } from './named-values.js';

/** Numbers from `least` by counter, sorted by name; at least one. */
/* @__NO_SIDE_EFFECTS__ */
const counters = (least: 0 | 1): Schema<Counters> => {
  const value = whole(least);
  const rule = `must have 1 to ${MAX_COUNTERS} counters, such as { tokens: 900 }`;
  return schema(
    (issues, path, given) => {
      const read = namedValuesIn(issues, path, given, { least: 1, most: MAX_COUNTERS, rule }).map(
        ([name, number]) => [name, value.read(issues, `${path}.${name}`, number)] as const,
      );
      return Object.freeze(Object.fromEntries(read.sort(byName)));
    },
    () => ({ ...namedValuesJson(value.json(), MAX_COUNTERS), minProperties: 1 }),
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
  list(matching(nameForm, NAME_RULE), { most: MAX_COUNTERS, of: 'names of counters' }),
  noNames,
);
