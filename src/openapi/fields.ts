import type { InputPolicy } from '../input/policy.js';
import type { Rule } from '../input/rules.js';
import type { Schema } from './types.js';

const nameSchema = (most: number): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength: most,
  description: `1 to ${most} characters, where one outside of the Basic Multilingual Plane counts as two.`,
});

/** JSON Schema has no empty enum. */
const among = (names: ReadonlySet<string>): Schema => (names.size === 0 ? { not: {} } : { enum: [...names] });

/** What a rule says, in JSON Schema; bounds in bytes, which that does not know, in words besides. */
export const fieldSchema = (rule: Rule, { limits, ...lists }: InputPolicy): Schema => {
  switch (rule.kind) {
    case 'name': {
      const allowed = rule.allowed === undefined ? undefined : lists[rule.allowed];
      return { ...nameSchema(rule.most), ...(allowed && among(allowed)) };
    }
    case 'text': {
      const bytes = Math.floor(limits[rule.mostBytes]);
      return { type: 'string', maxLength: bytes, description: `At most ${bytes} bytes of UTF-8.` };
    }
    case 'number':
      return { type: 'number', minimum: rule.least, maximum: limits[rule.most] };
    case 'form':
      return {
        type: 'string',
        minLength: 1,
        ...(rule.most === undefined ? {} : { maxLength: rule.most }),
        pattern: rule.form.source,
      };
    case 'timestamp':
      return { type: 'string', format: 'date-time', pattern: rule.form.source };
  }
};

/** A schema that takes `null` besides. */
export const nullable = ({ type = [], ...schema }: Schema): Schema => ({
  type: typeof type === 'string' ? [type, 'null'] : [...type, 'null'],
  ...schema,
});

/** A schema with words in front of those that it has. */
export const described = (schema: Schema, description: string): Schema => ({
  ...schema,
  description: schema.description === undefined ? description : `${description} ${schema.description}`,
});

/** In words, for there are generators that make a field with a `default` one that must be given. */
export const defaultInWords = ({ absent }: Rule): string =>
  absent === undefined ? '' : ` Default: ${absent === '' ? 'empty' : absent}.`;

export const isRequired = ({ absent, isOptional }: Rule): boolean => absent === undefined && isOptional !== true;
