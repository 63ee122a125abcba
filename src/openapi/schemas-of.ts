import { problem } from '../http/problem-body.js';
import type { InputPolicy } from '../input/input-policy.js';
import type { AnyOperation, Body } from '../operations/operation.js';
import { described } from '../schema/json-of.js';
import type { JsonSchema, JsonSchemas } from '../schema/json-schema.js';
import { named, type Schema } from '../schema/schema.js';
import { wireName } from '../schema/wire-name.js';

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

/** The named schemas within a schema. */
const namedIn = ({ fields = {}, items, named }: Schema<unknown>): JsonSchemas => ({
  ...(named && { [named.name]: described(named.of) }),
  ...(items && namedIn(items)),
  ...Object.assign({}, ...Object.values(fields).map(namedIn)),
});

/** All named schemas that these operations use. */
export const schemasOf = (
  operations: readonly AnyOperation[],
  policy: InputPolicy,
): JsonSchemas => {
  const used = operations.flatMap(({ body, query = {}, output }) => [
    ...(body ? [bodySchema(body, policy)] : []),
    ...Object.values(query),
    ...(output.body ? [output.body] : []),
    ...Object.values(output.events ?? {}),
  ]);
  return Object.assign({}, ...[...used, problem()].map(namedIn));
};
