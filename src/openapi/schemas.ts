import { statuses } from '../http/problem.js';
import type { InputPolicy } from '../input/policy.js';
import { entryRules, type Rule } from '../input/rules.js';
import type { AnyOperation, Body, BodyField } from '../operations/operation.js';
import { nameSchema } from '../operations/parameters.js';
import { list, named, object, oneOf, ref, type Schema, text, wireName } from '../operations/shape.js';

type Schemas = Readonly<Record<string, Schema>>;

/** JSON Schema has no empty enum. */
const among = (names: ReadonlySet<string>): Schema => (names.size === 0 ? { not: {} } : { enum: [...names] });

/** What a rule says, in JSON Schema; bounds in bytes, which that does not know, in words besides. */
const ruleSchema = (rule: Rule, { limits, ...lists }: InputPolicy): Schema => {
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
      return { type: 'string', minLength: 1, ...(rule.most && { maxLength: rule.most }), pattern: rule.form.source };
    case 'timestamp':
      return { type: 'string', format: 'date-time', pattern: rule.form.source };
  }
};

/** A schema with words in front of those that it has. */
const described = (schema: Schema, description: string): Schema => ({
  ...schema,
  description: [description, schema.description].filter(Boolean).join(' '),
});

/** A schema that takes `null` besides. */
const nullable = ({ type = [], ...schema }: Schema): Schema => ({
  type: typeof type === 'string' ? [type, 'null'] : [...type, 'null'],
  ...schema,
});

const isRequired = (field: BodyField): boolean =>
  'items' in field || (field.rule.absent === undefined && field.rule.isOptional !== true);

/** A default stands in words, for there are generators that make a field with a `default` one that must be given. */
const defaultInWords = ({ absent }: Rule): string =>
  absent === undefined ? '' : ` Default: ${absent === '' ? 'empty' : absent}.`;

const fieldSchema = (field: BodyField, policy: InputPolicy): Schema => {
  if ('items' in field) {
    const { items, least, most, description } = field;
    const maxItems = Math.floor(policy.limits[most]);
    return { type: 'array', minItems: least, maxItems, items: ref(items.name), description };
  }
  const { rule, description } = field;
  const schema = described(ruleSchema(rule, policy), `${description}${defaultInWords(rule)}`);
  return isRequired(field) ? schema : nullable(schema);
};

/** What a caller may send; `null` in an optional field is as if it were not given. */
const bodySchemas = ({ name, description, fields }: Body, policy: InputPolicy): Schemas => {
  const all = Object.entries(fields);
  const lists = all.map(([, field]) => ('items' in field ? bodySchemas(field.items, policy) : {}));
  const schema: Schema = {
    type: 'object',
    description,
    properties: Object.fromEntries(all.map(([field, rule]) => [wireName(field), fieldSchema(rule, policy)])),
    required: all.filter(([, field]) => isRequired(field)).map(([field]) => wireName(field)),
  };
  return Object.assign({ [name]: schema }, ...lists);
};

const codes = Object.keys(statuses);

const problemCode = named('ProblemCode', oneOf(codes, 'What is wrong, for programs.'));

const issue = object('One of them.', {
  path: text('The place.'),
  message: text('The rule that it breaks.'),
});

const problem: Schema = {
  type: 'object',
  description: 'An error: the members of RFC 9457, a code, and for bad input what is wrong with it.',
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: text('The phrase of the status.').schema,
    status: { type: 'integer', enum: [...new Set(Object.values(statuses))] },
    detail: text('What is wrong, for people.').schema,
    code: problemCode.schema,
    errors: list(issue, 'With invalid_input alone: every place that breaks a rule, by the name that it was sent under.')
      .schema,
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};

/** The schemas that these operations speak of. */
export const schemasOf = (operations: readonly AnyOperation[], policy: InputPolicy): Schemas =>
  Object.assign(
    { Timestamp: described(ruleSchema(entryRules.timestamp, policy), 'RFC 3339.') },
    ...operations.flatMap(({ body, output: { shape, events = {} } }) => [
      body === undefined ? {} : bodySchemas(body, policy),
      ...[...(shape === undefined ? [] : [shape]), ...Object.values(events)].map(({ components }) => components),
    ]),
    problemCode.components,
    { Problem: problem },
  );
