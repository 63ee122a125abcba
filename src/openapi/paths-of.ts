import type { Route } from '../http/route.js';
import type { InputPolicy } from '../input/input-policy.js';
import { labelNameForm } from '../input/parse-labels.js';
import { type AnyOperation, hasId, type QueryParameter } from '../operations/operation.js';
import { sessionId } from '../operations/parameters.js';
import { ref, type Schema, wireName } from '../operations/shape.js';
import { MAX_LABELS } from '../session/session-limits.js';
import { descriptions } from './descriptions.js';
import { bodyExamples } from './examples.js';
import { Components, capitalized, problemResponses, responsesOf } from './responses-of.js';
import type { Operation, Parameter, PathItem, Reference, RequestBody, Response } from './types.js';

type Served = Pick<Route<never>, 'operation' | 'authenticate'>;

const querySchema = (rule: QueryParameter): Schema => {
  if (rule.kind === 'text') return rule.schema;
  if (rule.kind === 'texts') return { type: 'array', items: rule.schema, minItems: 1 };
  if (rule.kind === 'labels') {
    const pattern = labelNameForm.source.replace('$', ':');
    return { type: 'array', items: { type: 'string', pattern }, minItems: 1, maxItems: MAX_LABELS };
  }
  return {
    type: 'integer',
    minimum: rule.least,
    ...(rule.default === undefined ? {} : { default: rule.default }),
  };
};

/** Component names of parameters whose names in the service are too general. */
const componentNames: Readonly<Record<string, string>> = {
  id: 'sessionId',
  'watchSession.cursor': 'lastEventId',
};

/** The paths of a document, with the parameters and responses that they reference. */
export const pathsOf = (all: readonly Served[], policy: InputPolicy) => {
  const parameters = new Components<Parameter>('parameters');
  const responses = new Components<Response>('responses');
  const isShared = ({ output: { shape } }: AnyOperation): boolean =>
    shape !== undefined &&
    all.filter(({ operation }) => operation.output.shape === shape).length > 1;

  const parametersOf = (operation: AnyOperation): readonly Reference[] => {
    const { name: owner, query = {}, headers = {} } = operation;
    const add = (name: string, location: Parameter['in'], sentAs: string, schema: Schema) => {
      const text = descriptions.parameters[`${owner}.${name}`] ??
        descriptions.parameters[name] ?? { description: name };
      const { description, example } = text;
      const examples = example === undefined ? {} : { examples: { example: { value: example } } };
      const parameter = {
        in: location,
        name: sentAs,
        description,
        required: location === 'path',
        schema,
        ...examples,
      };
      const shortName = componentNames[`${owner}.${name}`] ?? componentNames[name] ?? name;
      return parameters.add(parameter, shortName, `${owner}${capitalized(name)}`);
    };
    return [
      ...(hasId(operation) ? [add('id', 'path', 'session_id', sessionId)] : []),
      ...Object.entries(query).map(([name, rule]) =>
        add(name, 'query', wireName(name), querySchema(rule)),
      ),
      ...Object.entries(headers).map(([name, sent]) =>
        add(name, 'header', sent.wireName, sent.schema),
      ),
    ];
  };

  const requestBody = (name: string): RequestBody => {
    const examples = bodyExamples(policy)[name];
    return {
      required: true,
      content: { 'application/json': { schema: ref(name), ...(examples && { examples }) } },
    };
  };

  const paths = all.map(({ operation, authenticate }): [string, PathItem] => {
    const isForEverybody = authenticate === 'everybody';
    const { name, tag, body, method, path } = operation;
    const { summary = name, description } = descriptions.operations[name] ?? operation;
    const sent = parametersOf(operation);
    const described: Operation = {
      operationId: name,
      tags: [tag],
      summary,
      ...(description && { description }),
      ...(isForEverybody ? { security: [] } : {}),
      ...(sent.length === 0 ? {} : { parameters: sent }),
      ...(body && { requestBody: requestBody(body.name) }),
      responses: responsesOf(
        operation,
        { isForEverybody, isShared: isShared(operation) },
        responses,
      ),
    };
    return [path, method === 'POST' ? { post: described } : { get: described }];
  });
  // Responses to requests that match no operation: an unknown path or method.
  problemResponses(responses, ['route_not_found', 'method_not_allowed']);
  return { paths: Object.fromEntries(paths), parameters: parameters.all, responses: responses.all };
};
