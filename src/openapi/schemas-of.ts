import type { AnyOperation, Body } from '../endpoints/endpoint.js';
import { problem } from '../http/problem-body.js';
import type { InputPolicy } from '../input/input-policy.js';
import { described } from '../schema/json-of.js';
import { type JsonSchema, type JsonSchemas, ref } from '../schema/json-schema.js';
import { named, type Schema } from '../schema/schema.js';
import { wireName } from '../schema/wire.js';
import { mapValues } from '../session/fields.js';

const present = (field: string): JsonSchema => ({
  required: [field],
  properties: { [field]: { not: { type: 'null' } } },
});

const bodySchema = ({ name, of, anyOf }: Body, policy: InputPolicy): Schema<unknown> => {
  const body = of(policy);
  const some = anyOf && { anyOf: anyOf.map((field) => present(wireName(field))) };
  return named(name, { ...body, json: () => ({ ...body.json(), ...some }) });
};

/** A JSON Schema as a component: what referred to other parts of it still does. */
const asComponent = (name: string, json: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === '$schema' && typeof value === 'string') return undefined;
    const isOwn = key === '$ref' && /^#(?!\/components\/)/.test(value);
    return isOwn ? ref(name).$ref + value.slice(1) : value;
  });

/** The JSON Schemas of the host for what a service sends, by the names of those they replace. */
const sentByHost = ({
  schemas,
}: InputPolicy): Readonly<Record<string, JsonSchema | undefined>> => ({
  SessionMetadata: schemas?.metadata?.jsonSchema('output'),
  EntryData: schemas?.data?.jsonSchema('output'),
});

const namedIn = ({ fields = {}, items, named }: Schema<unknown>): JsonSchemas => ({
  ...(named && { [named.name]: described(named.of) }),
  ...(items && namedIn(items)),
  ...Object.assign({}, ...Object.values(fields).map(namedIn)),
});

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
  const all: JsonSchemas = Object.assign({}, ...[...used, problem()].map(namedIn));
  const replaced = sentByHost(policy);
  return mapValues(all, ({ description, ...json }, name) =>
    asComponent(name, { ...(description && { description }), ...(replaced[name] ?? json) }),
  );
};
