import { fieldsIn } from '../schema/object.js';
import { type Schema, schema } from '../schema/schema.js';
import { byName } from '../session/json.js';

export const nameForm = /^[A-Za-z0-9_.-]{1,64}$/;

export const NAME_RULE = 'must have names of 1 to 64 of the characters A-Z a-z 0-9 _ . -';

/** How many values there may be, and the rule that other numbers break. */
interface Size {
  readonly least: number;
  readonly most: number;
  /** A function, because a bundler does not drop a template that nobody uses. */
  readonly rule: (most: number) => string;
}

/** Values by name, sorted by name, in a frozen object. */
export const namedValues = <T>(
  of: Schema<T>,
  { least, most, rule }: Size,
): Schema<Readonly<Record<string, T>>> =>
  schema(
    (issues, path, given) => {
      const earlier = issues.found.length;
      const all = Object.entries(fieldsIn(issues, path, given));
      if (issues.found.length > earlier) return {};
      const named = all.filter(([name]) => nameForm.test(name));
      issues.check(all.length >= least && all.length <= most, path, rule(most));
      // The error does not repeat an invalid name, which may contain anything.
      issues.check(named.length === all.length, path, NAME_RULE);
      const read = named
        .slice(0, most)
        .map(([name, value]) => [name, of.read(issues, `${path}.${name}`, value)] as const);
      return Object.freeze(Object.fromEntries(read.sort(byName)));
    },
    () => ({
      type: 'object',
      maxProperties: most,
      propertyNames: { type: 'string', pattern: nameForm.source },
      additionalProperties: of.json(),
    }),
  );
