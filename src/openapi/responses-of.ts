import type { AnyOperation, Output } from '../endpoints/endpoint.js';
import { REPLAYED_HEADER } from '../endpoints/headers.js';
import { problemExtensionsOf } from '../endpoints/problem-extensions.js';
import { frame, streamHeaders } from '../http/event-frame.js';
import { type HandlerError, statusOf } from '../http/handler-error.js';
import { commonHeaders, problemOf } from '../http/problem.js';
import { titles } from '../http/problem-body.js';
import { jsonOf } from '../schema/json-of.js';
import { type JsonSchema, ref } from '../schema/json-schema.js';
import type { Schema } from '../schema/schema.js';
import { received } from '../schema/wire.js';
import { mapValues } from '../session/fields.js';
import { type ExampleOf, examplesOf } from './example-of.js';
import type {
  Example,
  Header,
  MediaType,
  Operation,
  Parameter,
  Reference,
  Response,
} from './types.js';

type Code = HandlerError['type'];
type Responses = Operation['responses'];
type Headers = Readonly<Record<string, Header | Reference>>;

/**
 * Components of one kind. Equal components are stored once; a different one with the same name gets
 * a longer name.
 */
export class Components<C> {
  readonly all: Record<string, C> = {};
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(component: C, ...names: readonly string[]): Reference {
    const text = JSON.stringify(component);
    const same = Object.keys(this.all).find((name) => JSON.stringify(this.all[name]) === text);
    const name = same ?? names.find((free) => this.all[free] === undefined) ?? names.join('');
    this.all[name] = component;
    return { $ref: `#/components/${this.#kind}/${name}` };
  }
}

export interface Shared {
  readonly parameters: Components<Parameter>;
  readonly responses: Components<Response>;
  readonly examples: Components<Example>;
  readonly exampleOf: ExampleOf;
}

export const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const header = (description: string, schema: JsonSchema = { type: 'string' }): Header => ({
  description,
  required: true,
  schema,
});

const fixed = (description: string, value: string): Header =>
  header(description, { type: 'string', const: value });

const optional = (each: Header): Header => ({ ...each, required: false });

const ids = 'percent-encoded, with commas between.';

const headers: Readonly<Record<string, Header>> = {
  'Cache-Control': fixed(
    'Sessions are private and change by the second.',
    commonHeaders['Cache-Control'],
  ),
  'Retry-After': fixed('Seconds after which to try again.', '1'),
  'WWW-Authenticate': fixed('How to authenticate: with X-API-KEY.', 'ApiKey'),
  Allow: header('The methods that the path supports.'),
  Location: header('The path of the session.'),
  [REPLAYED_HEADER]: optional(
    fixed('An earlier request with the same Idempotency-Key did this.', 'true'),
  ),
  'X-Total-Count': header('How many sessions there are on all pages.', {
    type: 'integer',
    minimum: 0,
  }),
  Link: header('Other pages, as RFC 8288 says: first, prev, next, last.'),
  'X-Next-Cursor': optional(
    header('Send it as `cursor` to get the next page. The last page has none.'),
  ),
  'X-Unreadable-Sessions': optional(
    header(`The ids of the page whose records are damaged, ${ids}`),
  ),
  'X-History-Truncated': optional(
    header(`The ids of the sessions whose history was cut by history_limit, ${ids}`),
  ),
};

/** `X-Total-Count` is the component `TotalCount`. */
const componentName = (name: string): string => name.replace(/^X-|-/g, '');

export const headerComponents: Readonly<Record<string, Header>> = Object.fromEntries(
  Object.entries(headers).map(([name, each]) => [componentName(name), each]),
);

/**
 * References to header components. A host's own header is described in its place. OpenAPI has no
 * `Content-Type` here.
 */
const headerRefs = (names: readonly string[]): Headers => {
  const described = names.filter((name) => name !== 'Content-Type');
  const refOf = (name: string) => ({ $ref: `#/components/headers/${componentName(name)}` });
  return Object.fromEntries(
    described.map((name) => [name, Object.hasOwn(headers, name) ? refOf(name) : header(name)]),
  );
};

const mediaType = (of: Schema<unknown>, exampleOf: ExampleOf): MediaType => ({
  schema: jsonOf(of),
  ...examplesOf(exampleOf(jsonOf(of))),
});

type Answered = Pick<Response, 'headers' | 'content'>;

const eventStream = (events: NonNullable<Output['events']>, exampleOf: ExampleOf): Answered => {
  const { 'Content-Type': type, ...others } = streamHeaders;
  const data = mapValues(events, jsonOf);
  const [first] = Object.entries(data).map(([name, json]) => frame(name, exampleOf(json)));
  const schema = { type: 'string' } as const;
  return {
    headers: mapValues(others, (value, name) => fixed(headers[name]?.description ?? name, value)),
    content: { [type]: { schema, ...examplesOf(first), 'x-server-sent-events': data } },
  };
};

const jsonAnswer = ({ body, headers: own = [] }: Output, exampleOf: ExampleOf): Answered => ({
  headers: headerRefs(['Cache-Control', ...own]),
  ...(body && { content: { 'application/json': mediaType(body, exampleOf) } }),
});

const outputResponse = (output: Output, exampleOf: ExampleOf): Response => ({
  description: output.description ?? output.body?.means ?? 'Done.',
  ...(output.events ? eventStream(output.events, exampleOf) : jsonAnswer(output, exampleOf)),
});

/** The errors of an operation: its own, those of reading its body, and those of authentication. */
const codesOf = ({ errors, body }: AnyOperation, isForEverybody: boolean): readonly Code[] => {
  const codes: Code[] = [];
  if (!isForEverybody) codes.push('unauthenticated', 'authenticator_unavailable');
  if (!errors.includes('misconfigured')) codes.push('misconfigured');
  if (body !== undefined) codes.push('body_too_large', 'unsupported_media_type');
  return [...codes, ...errors];
};

const headersTo = (code: Code): readonly string[] => {
  const headers = code === 'method_not_allowed' ? { Allow: 'GET, HEAD' } : {};
  return Object.keys(problemOf(code, headers).headers);
};

const inPascalCase = (words: string): string =>
  words.replace(/(?:^|[ _])(\w)/g, (_, letter: string) => letter.toUpperCase());

const problemExample = (code: Code, exampleOf: ExampleOf): Example => {
  const of = problemExtensionsOf[code];
  const told = of && received(of, exampleOf(jsonOf(of)));
  return { value: JSON.parse(problemOf(code, {}, told).body ?? '{}') };
};

const problemResponse = (
  status: ReturnType<typeof statusOf>,
  codes: readonly Code[],
  { examples, exampleOf }: Shared,
): Response => {
  const schema = {
    allOf: [ref('Problem'), { properties: { code: { type: 'string', enum: codes } } }],
  } as const;
  const shown = codes.map((code) => [
    code,
    examples.add(problemExample(code, exampleOf), inPascalCase(code)),
  ]);
  return {
    description: titles[status],
    headers: headerRefs(codes.flatMap(headersTo)),
    content: { 'application/json': { schema, examples: Object.fromEntries(shown) } },
  };
};

/**
 * Adds one response for each status of these errors. Its component is
 * `InvalidTransitionOrConflict`, or for more than two codes the title of their status, for example
 * `ServiceUnavailable`.
 */
export const problemResponses = (
  shared: Shared,
  codes: readonly Code[],
  operationName = '',
): Responses => {
  const all = [...new Set(codes.map(statusOf))].toSorted((a, b) => a - b);
  const added = all.map((status) => {
    const given = codes.filter((code) => statusOf(code) === status);
    const words = given.length > 2 ? titles[status] : given.join('_or_');
    const name = inPascalCase(words);
    const response = problemResponse(status, given, shared);
    return [status, shared.responses.add(response, name, `${name}Of${capitalized(operationName)}`)];
  });
  return Object.fromEntries(added);
};

export const responsesOf = (
  operation: AnyOperation,
  isForEverybody: boolean,
  shared: Shared,
): Responses => {
  const { output, otherOutput, name } = operation;
  const answer = (given: Output): Response | Reference => {
    const success = outputResponse(given, shared.exampleOf);
    const component = given.body?.named?.name;
    if (component === undefined) return success;
    return shared.responses.add(success, component, `${component}Of${capitalized(name)}`);
  };
  return {
    [output.status]: answer(output),
    ...(otherOutput && { [otherOutput.status]: answer(otherOutput) }),
    ...problemResponses(shared, codesOf(operation, isForEverybody), name),
  };
};
