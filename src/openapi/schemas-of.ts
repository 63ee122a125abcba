import { problemCodes } from '../http/handler-error.js';
import { titles } from '../http/problem.js';
import type { InputPolicy } from '../input/input-policy.js';
import { labelNameForm } from '../input/parse-labels.js';
import { entryRules, type Rule } from '../input/rule.js';
import type { AnyOperation, Body, BodyField, ItemsField } from '../operations/operation.js';
import { nameSchema } from '../operations/parameters.js';
import { particulars } from '../operations/particulars.js';
import { named, oneOf, ref, type Schema, text, wireName } from '../operations/shape.js';
import { KEY_LENGTH, LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/limits.js';
import { descriptions } from './descriptions.js';
import { mapValues } from './map-values.js';

type Schemas = Readonly<Record<string, Schema>>;

/** JSON Schema allows no empty `enum`. */
const among = (names: ReadonlySet<string>): Schema =>
  names.size === 0 ? { not: {} } : { enum: [...names] };

const wholeNumber = (minimum: number): Schema => ({
  type: 'integer',
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
});

const labelsSchema = (maxProperties: number, value: Schema): Schema => ({
  type: 'object',
  maxProperties,
  propertyNames: { type: 'string', pattern: labelNameForm.source },
  additionalProperties: value,
});

const labelValue = nameSchema(LABEL_VALUE_LENGTH);

const originSchema = (): Schema => ({
  type: 'object',
  properties: { id: nameSchema(KEY_LENGTH), position: nullable(wholeNumber(0)) },
  required: ['id'],
});

const nameRuleSchema = ({ most, allowed }: RuleOf<'name'>, policy: InputPolicy): Schema => {
  const names = allowed && policy[allowed];
  return { ...nameSchema(most), ...(names && among(names)) };
};

const numberSchema = (
  { least: minimum, most }: RuleOf<'number'>,
  { limits, hasTimeLimit }: InputPolicy,
): Schema => {
  const maximum = typeof most === 'number' ? most : limits[most];
  if (most !== 'timeLimit') return { type: 'number', minimum, maximum };
  const description = hasTimeLimit ? '0 counts as the maximum.' : '0 is no limit.';
  return { type: 'number', minimum, maximum, description };
};

type RuleOf<K extends Rule['kind']> = Extract<Rule, { readonly kind: K }>;

/**
 * The JSON Schema of a rule. A limit in bytes cannot be expressed, so the description states it.
 */
const ruleSchema = (rule: Rule, policy: InputPolicy): Schema => {
  switch (rule.kind) {
    case 'name':
      return nameRuleSchema(rule, policy);
    case 'text': {
      const bytes = Math.floor(policy.limits[rule.mostBytes]);
      return { type: 'string', maxLength: bytes, description: `At most ${bytes} bytes of UTF-8.` };
    }
    case 'number':
      return numberSchema(rule, policy);
    case 'whole':
      return { ...wholeNumber(rule.least), maximum: rule.most ?? Number.MAX_SAFE_INTEGER };
    case 'labels':
      return labelsSchema(MAX_LABELS, labelValue);
    case 'label_changes':
      return labelsSchema(2 * MAX_LABELS, nullable(labelValue));
    case 'positions':
      return { type: 'array', minItems: 1, maxItems: rule.most, items: wholeNumber(1) };
    case 'flag':
      return { type: 'boolean' };
    case 'origin':
      return originSchema();
    case 'metadata': {
      const bytes = Math.floor(policy.limits[rule.mostBytes]);
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
  return { ...schema, ...(description && { description }) };
};

/** The same schema that also accepts `null`; one without a type does so already. */
const nullable = (schema: Schema): Schema =>
  schema.type === undefined ? schema : { ...schema, type: [schema.type, 'null' as const].flat() };

const isRequired = (field: BodyField): boolean =>
  'items' in field ? field.least > 0 : field.absent === undefined && field.isOptional !== true;

/** The default as text, because some generators make a field with a `default` required. */
const defaultInWords = ({ absent }: Rule): string =>
  absent === undefined ? '' : `Default: ${absent === '' ? 'empty' : absent}.`;

const itemsSchema = ({ items, least, most }: ItemsField, { limits }: InputPolicy): Schema => ({
  type: 'array',
  ...(least > 0 && { minItems: least }),
  maxItems: Math.floor(limits[most]),
  items: ref(items.name),
});

const fieldSchema = (field: BodyField, policy: InputPolicy): Schema => {
  const schema =
    'items' in field
      ? itemsSchema(field, policy)
      : described(ruleSchema(field, policy), defaultInWords(field));
  return isRequired(field) ? schema : nullable(schema);
};

/** An object that has this field, and not `null` in it. */
const present = (field: string): Schema => ({
  required: [field],
  properties: { [field]: { not: { type: 'null' } } },
});

/** The schemas of a request body. `null` in an optional field counts as absent. */
const bodySchemas = ({ name, fields, anyOf }: Body, policy: InputPolicy): Schemas => {
  const all = Object.entries(fields);
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(
      all.map(([field, rule]) => [wireName(field), fieldSchema(rule, policy)]),
    ),
    required: all.filter(([, field]) => isRequired(field)).map(([field]) => wireName(field)),
    ...(anyOf && { anyOf: anyOf.map((field) => present(wireName(field))) }),
  };
  const items = all.flatMap(([, field]) => ('items' in field ? field.items : []));
  return Object.assign({ [name]: schema }, ...items.map((item) => bodySchemas(item, policy)));
};

/**
 * One of our schemas with its description and those of its properties. A host describes its own.
 */
const withTexts = (schema: Schema, name: string): Schema => {
  if (!Object.hasOwn(descriptions.schemas, name)) return schema;
  const texts = descriptions.properties;
  const withText = (each: Schema, property: string): Schema => {
    if (each.$ref !== undefined) return each;
    return described(each, texts[`${name}.${property}`] ?? texts[property]);
  };
  const withProperties = ({ properties, ...each }: Schema): Schema => ({
    ...each,
    ...(properties && { properties: mapValues(properties, withText) }),
  });
  const oneOf = schema.oneOf?.map(withProperties);
  const told = { ...withProperties(schema), ...(oneOf && { oneOf }) };
  return described(told, descriptions.schemas[name]);
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
      body && bodySchemas(body, policy),
      shape?.components,
      ...Object.values(events).map(({ components }) => components),
    ]),
    problemCode.components,
    { Problem: problem },
  );
  return mapValues(all, withTexts);
};
