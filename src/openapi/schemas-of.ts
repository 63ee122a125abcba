import { problemCodes } from '../http/handler-error.js';
import { titles } from '../http/problem.js';
import type { InputPolicy } from '../input/input-policy.js';
import { labelNameForm } from '../input/parse-labels.js';
import { entryRules, type Rule } from '../input/rule.js';
import type { AnyOperation, Body, BodyField } from '../operations/operation.js';
import { nameSchema } from '../operations/parameters.js';
import { particulars } from '../operations/particulars.js';
import { named, oneOf, ref, type Schema, text, wireName } from '../operations/shape.js';
import { KEY_LENGTH, LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/session-limits.js';
import { descriptions } from './descriptions.js';

type Schemas = Readonly<Record<string, Schema>>;

/** JSON Schema allows no empty `enum`. */
const among = (names: ReadonlySet<string>): Schema =>
  names.size === 0 ? { not: {} } : { enum: [...names] };

/**
 * The JSON Schema of a rule. A limit in bytes cannot be expressed, so the description states it.
 */
const ruleSchema = (rule: Rule, { limits, hasTimeLimit, ...lists }: InputPolicy): Schema => {
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
      return {
        type: 'number',
        minimum: rule.least,
        maximum: typeof rule.most === 'number' ? rule.most : limits[rule.most],
        ...(rule.most === 'timeLimit' && {
          description: hasTimeLimit ? '0 counts as the maximum.' : '0 is no limit.',
        }),
      };
    case 'whole':
      return {
        type: 'integer',
        minimum: rule.least,
        maximum: rule.most ?? Number.MAX_SAFE_INTEGER,
      };
    case 'labels':
      return {
        type: 'object',
        maxProperties: MAX_LABELS,
        propertyNames: { type: 'string', pattern: labelNameForm.source },
        additionalProperties: nameSchema(LABEL_VALUE_LENGTH),
      };
    case 'positions':
      return {
        type: 'array',
        minItems: 1,
        maxItems: rule.most,
        items: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      };
    case 'flag':
      return { type: 'boolean' };
    case 'origin':
      return {
        type: 'object',
        properties: {
          id: nameSchema(KEY_LENGTH),
          position: nullable({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        },
        required: ['id'],
        additionalProperties: false,
      };
    case 'label_changes': {
      const { type, ...value } = nameSchema(LABEL_VALUE_LENGTH);
      return {
        type: 'object',
        maxProperties: 2 * MAX_LABELS,
        propertyNames: { type: 'string', pattern: labelNameForm.source },
        additionalProperties: { ...value, type: ['string', 'null'] },
      };
    }
    case 'metadata': {
      const bytes = Math.floor(limits[rule.mostBytes]);
      return { type: 'object', description: `At most ${bytes} bytes of UTF-8 as JSON.` };
    }
    case 'json':
      return {};
    case 'timestamp':
      return { type: 'string', format: 'date-time', pattern: rule.form.source };
  }
};

/** Adds a description before the existing one. */
const described = (schema: Schema, text = ''): Schema => {
  const description = [text, schema.description].filter(Boolean).join(' ');
  return description === '' ? schema : { ...schema, description };
};

/** The same schema that also accepts `null`; one without a type does so already. */
const nullable = (schema: Schema): Schema =>
  schema.type === undefined ? schema : { ...schema, type: [schema.type, 'null' as const].flat() };

const isRequired = (field: BodyField): boolean =>
  'items' in field ? field.least > 0 : field.absent === undefined && field.isOptional !== true;

/** The default as text, because some generators make a field with a `default` required. */
const defaultInWords = ({ absent }: Rule): string =>
  absent === undefined ? '' : `Default: ${absent === '' ? 'empty' : absent}.`;

const fieldSchema = (field: BodyField, policy: InputPolicy): Schema => {
  if ('items' in field) {
    const { items, least, most } = field;
    const list: Schema = {
      type: 'array',
      ...(least > 0 && { minItems: least }),
      maxItems: Math.floor(policy.limits[most]),
      items: ref(items.name),
    };
    return isRequired(field) ? list : nullable(list);
  }
  const schema = described(ruleSchema(field, policy), defaultInWords(field));
  return isRequired(field) ? schema : nullable(schema);
};

/** An object that has this field, and not `null` in it. */
const present = (field: string): Schema => ({
  required: [field],
  properties: { [field]: { not: { type: 'null' } } },
});

/** The schemas of a request body. `null` in an optional field counts as absent. */
const bodySchemas = (
  { name, fields, anyOf }: Body,
  policy: InputPolicy,
  own: Schema = {},
): Schemas => {
  const all = Object.entries(fields);
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(
      all.map(([field, rule]) => [wireName(field), fieldSchema(rule, policy)]),
    ),
    required: all.filter(([, field]) => isRequired(field)).map(([field]) => wireName(field)),
    ...(anyOf && { anyOf: anyOf.map((field) => present(wireName(field))) }),
    ...own,
  };
  const items = all.map(([, field]) =>
    'items' in field ? bodySchemas(field.items, policy, { additionalProperties: false }) : {},
  );
  return Object.assign({ [name]: schema }, ...items);
};

/**
 * One of our schemas with its description and those of its properties. A host describes its own.
 */
const withTexts = (name: string, schema: Schema): Schema => {
  if (!Object.hasOwn(descriptions.schemas, name)) return schema;
  const propertiesOf = ({ properties }: Schema): Schema =>
    properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, each]) => [key, withText(key, each)]),
          ),
        };
  const withText = (property: string, each: Schema): Schema => {
    const text =
      descriptions.properties[`${name}.${property}`] ?? descriptions.properties[property];
    return each.$ref === undefined ? described(each, text) : each;
  };
  const { oneOf: alternatives } = schema;
  return described(
    {
      ...schema,
      ...propertiesOf(schema),
      ...(alternatives && {
        oneOf: alternatives.map((each) => ({ ...each, ...propertiesOf(each) })),
      }),
    },
    descriptions.schemas[name],
  );
};

const problemCode = named('ProblemCode', oneOf(problemCodes));

const problem: Schema = {
  type: 'object',
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: text.schema,
    status: { type: 'integer', enum: Object.keys(titles).map(Number) },
    detail: text.schema,
    code: problemCode.schema,
    ...particulars.schema.properties,
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};

/** All schemas that these operations use. */
export const schemasOf = (operations: readonly AnyOperation[], policy: InputPolicy): Schemas => {
  const all: Schemas = Object.assign(
    { Timestamp: ruleSchema(entryRules.timestamp, policy) },
    ...operations.flatMap(({ body, output: { shape, events = {} } }) => [
      body === undefined ? {} : bodySchemas(body, policy),
      ...[...(shape === undefined ? [] : [shape]), ...Object.values(events)].map(
        ({ components }) => components,
      ),
    ]),
    problemCode.components,
    { Problem: problem },
  );
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [name, withTexts(name, schema)]),
  );
};
