import { type AnyOperation, hasId } from '../endpoints/endpoint.js';
import type { Route } from '../http/route.js';
import { nameForm } from '../input/named-values.js';
import { jsonOf } from '../schema/json-of.js';
import { type JsonSchema, ref } from '../schema/json-schema.js';
import type { Schema } from '../schema/schema.js';
import { name as nameOf } from '../schema/values.js';
import { wireName } from '../schema/wire.js';
import { KEY_LENGTH, MAX_LABELS } from '../session/limits.js';
import { descriptions } from './descriptions.js';
import { examplesOf } from './example-of.js';
import { capitalized, problemResponses, responsesOf, type Shared } from './responses-of.js';
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  RequestBody,
} from './types.js';

type Served = Pick<Route<never>, 'operation' | 'authenticate'>;

const labelPattern = nameForm.source.replace('$', ':');

/** The JSON Schema of a query parameter. A number above its maximum counts as that. */
const queryJson = (of: Schema<unknown>): JsonSchema => {
  const json = jsonOf(of);
  if (json.type === 'object') {
    const items = { type: 'string', pattern: labelPattern } as const;
    return { type: 'array', items, minItems: 1, maxItems: MAX_LABELS };
  }
  if (json.type !== 'integer') return json;
  const { maximum: _, ...number } = json;
  return { ...number, ...(typeof of.absent === 'number' && { default: of.absent }) };
};

/** Component names of parameters whose names in the service are too general. */
const componentNames: Readonly<Record<string, string>> = {
  id: 'sessionId',
  'watchSession.cursor': 'lastEventId',
};

type Sent = Pick<Parameter, 'in' | 'name' | 'required' | 'schema'>;

const parameterOf = (
  { parameters }: Shared,
  operationName: string,
  name: string,
  sent: Sent,
): Reference => {
  const ownName = `${operationName}.${name}`;
  const texts = descriptions.parameters;
  const { description, example } = texts[ownName] ?? texts[name] ?? { description: name };
  const parameter = {
    in: sent.in,
    name: sent.name,
    description,
    required: sent.required,
    schema: sent.schema,
    ...examplesOf(example),
  };
  const shortName = componentNames[ownName] ?? componentNames[name] ?? name;
  return parameters.add(parameter, shortName, `${operationName}${capitalized(name)}`);
};

const parametersOf = (operation: AnyOperation, shared: Shared): readonly Reference[] => {
  const { name: operationName, query = {}, headers = {} } = operation;
  const idJson = nameOf(KEY_LENGTH).json();
  const id = { in: 'path', name: 'session_id', required: true, schema: idJson } as const;
  const add = (name: string, sent: Sent): Reference =>
    parameterOf(shared, operationName, name, sent);
  return [
    ...(hasId(operation) ? [add('id', id)] : []),
    ...Object.entries(query).map(([name, of]) =>
      add(name, {
        in: 'query',
        name: wireName(name),
        required: of.isOptional !== true,
        schema: queryJson(of),
      }),
    ),
    ...Object.entries(headers).map(([name, { wireName: sentAs, json }]) =>
      add(name, { in: 'header', name: sentAs, required: false, schema: json }),
    ),
  ];
};

const requestBody = (name: string, { exampleOf }: Shared): RequestBody => {
  const schema = ref(name);
  const json = { schema, ...examplesOf(exampleOf(schema)) };
  return { required: true, content: { 'application/json': json } };
};

const inWords = (name: string): string => capitalized(wireName(name).replaceAll('_', ' '));

/** The paths of a document. Adds the components that they reference to the shared ones. */
export const pathsOf = (all: readonly Served[], shared: Shared): OpenApiDocument['paths'] => {
  const paths = all.map(({ operation, authenticate }): [string, PathItem] => {
    const isForEverybody = authenticate === 'everybody';
    const { name, tag, body, method, path } = operation;
    const { summary = inWords(name), description = descriptions.operations[name] } = operation;
    const sent = parametersOf(operation, shared);
    const described: Operation = {
      operationId: name,
      tags: [tag],
      summary,
      ...(description && { description }),
      ...(isForEverybody && { security: [] }),
      ...(sent.length > 0 && { parameters: sent }),
      ...(body && { requestBody: requestBody(body.name, shared) }),
      responses: responsesOf(operation, isForEverybody, shared),
    };
    return [path, { [method.toLowerCase()]: described }];
  });
  // Responses to requests that match no operation: an unknown path or method.
  problemResponses(shared, ['route_not_found', 'method_not_allowed']);
  return Object.fromEntries(paths);
};
