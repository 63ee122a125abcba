import { problemCodes } from '../http/handler-error.js';
import { titles } from '../http/problem.js';
import type { InputPolicy } from '../input/input-policy.js';
import type { AnyOperation, Body } from '../operations/operation.js';
import { particulars } from '../operations/particulars.js';
import type { JsonSchema, JsonSchemas } from '../schema/json-schema.js';
import { about, named, plain, type Schema } from '../schema/schema.js';
import { anyText } from '../schema/values.js';
import { wireName } from '../schema/wire-name.js';
import { wireObject } from '../schema/wire-object.js';

/** An object that has this field, and not `null` in it. */
const present = (field: string): JsonSchema => ({
  required: [field],
  properties: { [field]: { not: { type: 'null' } } },
});

const bodySchema = ({ name, of, anyOf }: Body, policy: InputPolicy): Schema<unknown> => {
  const body = of(policy);
  const some = anyOf && { anyOf: anyOf.map((field) => present(wireName(field))) };
  return named(name, { ...body, json: () => ({ ...body.json(), ...some }) });
};

const problemFields = {
  type: plain({ type: 'string', const: 'about:blank' }),
  title: anyText,
  status: plain({ type: 'integer', enum: Object.keys(titles).map(Number) }),
  detail: about('What is wrong, for people.', anyText),
  code: named(
    'ProblemCode',
    about('The error code, for programs.', plain({ type: 'string', enum: problemCodes })),
  ),
  ...particulars,
};

/** A problem may have more members (RFC 9457, 3.2). */
const problem = (): Schema<unknown> => {
  const { json, fields } = wireObject(problemFields);
  const { additionalProperties: _, ...open } = json();
  const means = 'An error: the members of RFC 9457, and what else the code tells.';
  return named('Problem', about(means, { ...plain(open), fields }));
};

/** The named schemas within a schema. */
const namedIn = ({ fields = {}, items, named }: Schema<unknown>): JsonSchemas => ({
  ...(named && { [named.name]: named.json() }),
  ...(items && namedIn(items)),
  ...Object.assign({}, ...Object.values(fields).map(namedIn)),
});

/** All named schemas that these operations use. */
export const schemasOf = (
  operations: readonly AnyOperation[],
  policy: InputPolicy,
): JsonSchemas => {
  const inputs = operations.flatMap(({ body, query = {} }) => [
    ...(body ? [bodySchema(body, policy)] : []),
    ...Object.values(query),
  ]);
  const answers = operations.flatMap(({ output: { body, events = {} } }) => [
    ...(body ? [body] : []),
    ...Object.values(events),
  ]);
  return Object.assign({}, ...[...inputs, ...answers, problem()].map(namedIn));
};
