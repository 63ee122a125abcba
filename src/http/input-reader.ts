import { err, ok, type Result } from 'neverthrow';
import type { IssueList } from '../input/issue-list.js';
import { type Fields, isFields } from '../input/parse-fields.js';
import { parseSafely } from '../input/parse-safely.js';
import {
  type AnyOperation,
  given,
  labelOf,
  type OperationInput,
  type QueryParameter,
} from '../operations/operation.js';
import { wireName } from '../operations/shape.js';
import { type InvalidInput, invalidInput, misconfigured } from '../session/errors.js';
import { type HandlerError, refusal } from './handler-error.js';
import type { Call } from './route.js';
import type { HandlerRequest } from './session-handler.js';

/** A quoted string (RFC 9651, 3.3.3), as draft-ietf-httpapi-idempotency-key-header requires. */
const quoted = /^"([^"\\]*)"$/;

/** The idempotency key of a request, quoted or not, without the quotes. */
export const idempotencyKeyOf = (request: HandlerRequest): string | undefined => {
  const value = request.header('idempotency-key');
  return value && (quoted.exec(value)?.[1] ?? value);
};

/** The value of a parameter that is a number. */
export const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
};

const wholeNumber = /^(?:0|[1-9]\d*)$/;

/** The number in a text; a text that is none stays as it is, for the service to refuse. */
const asNumber = (text: string | undefined): string | number | undefined =>
  text && wholeNumber.test(text) ? Number(text) : text;

/** Bytes of JSON, from a body parser that has read them; undefined if it has parsed them too. */
const bytesIn = (value: unknown): Uint8Array | undefined => {
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'string' ? new TextEncoder().encode(value) : undefined;
};

const parseParameter = (
  issues: IssueList,
  sent: URLSearchParams,
  name: string,
  rule: QueryParameter,
): unknown => {
  const texts = sent.getAll(name);
  const [text] = texts;
  if (text === undefined) return undefined;
  if (rule.kind === 'labels') {
    const given = texts.filter((each) => each !== '').map(labelOf);
    const labels = new Map(given);
    issues.check(labels.size === given.length, name, 'must have each name once');
    return Object.fromEntries(labels);
  }
  if (rule.kind === 'texts') return texts.length === 1 ? text : texts;
  issues.check(texts.length === 1, name, 'must be given once');
  if (rule.kind === 'text') return text;
  const { least, most = Number.MAX_SAFE_INTEGER } = rule;
  const fits = wholeNumber.test(text) && Number(text) >= least;
  issues.check(fits, name, `must be a whole number, at least ${least}, in decimal digits`);
  return Math.min(Number(text), most);
};

/**
 * Parses the query parameters of an operation, by their names in the service. Unknown parameters
 * are ignored.
 */
export const queryParser = ({
  query = {},
}: AnyOperation): ((sent: string) => Result<Fields, InvalidInput>) => {
  const parameters = Object.entries(query).map(([name, rule]) => ({
    name,
    sentAs: wireName(name),
    rule,
  }));
  return (sent) =>
    parseSafely('query', (issues) => {
      const given = new URLSearchParams(sent);
      const fields: Record<string, unknown> = {};
      for (const { name, sentAs, rule } of parameters) {
        const value = parseParameter(issues, given, sentAs, rule);
        if (value !== undefined) fields[name] = value;
      }
      return fields;
    });
};

const unsupported = err<never, HandlerError>(refusal('unsupported_media_type'));
const tooLarge = err<never, HandlerError>(refusal('body_too_large'));
const refused = (rule: string) =>
  err<never, HandlerError>(invalidInput([{ path: 'body', message: rule }]));

const parameter = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** Whether a `Content-Type` is JSON in UTF-8. JSON has no other charset (RFC 8259, 8.1). */
const isJson = (contentType: string): boolean => {
  const [mediaType = ''] = contentType.split(';', 1);
  if (mediaType.trim().toLowerCase() !== 'application/json') return false;
  return [...contentType.matchAll(parameter)].every(
    ([, name, quotedValue, token = '']) =>
      name?.toLowerCase() !== 'charset' || /^utf-?8$/i.test(quotedValue ?? token),
  );
};

const asObject = (value: unknown): Result<Fields, HandlerError> =>
  isFields(value) ? ok(value) : refused('must be a JSON object');

const parse = (bytes: Uint8Array): Result<Fields, HandlerError> => {
  try {
    return asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (cause) {
    return refused(cause instanceof SyntaxError ? 'must be JSON' : 'must be UTF-8');
  }
};

/** Reads the JSON object in a request. Refuses a body that is too large as early as possible. */
const readJsonObject = async (
  request: HandlerRequest,
  maxBytes: number,
): Promise<Result<Fields, HandlerError>> => {
  const encoding = request.header('content-encoding') ?? 'identity';
  if (!isJson(request.header('content-type') ?? '') || encoding.trim().toLowerCase() !== 'identity')
    return unsupported;
  if (Number(request.header('content-length')) > maxBytes) return tooLarge;
  const body = await request.body(maxBytes);
  switch (body.outcome) {
    case 'read':
      return parse(body.bytes);
    case 'parsed': {
      const bytes = bytesIn(body.value);
      if (bytes === undefined) return asObject(body.value);
      if (bytes.length > maxBytes) return tooLarge;
      return parse(bytes);
    }
    case 'too_large':
      return tooLarge;
    case 'aborted':
      return refused('must be complete');
    case 'lost':
      return err(
        misconfigured(
          'the body was read before the handler: mount the handler before the code that reads it',
        ),
      );
  }
};

/** Reads the fields of an operation's body, by their names in the service. */
export const bodyReader = ({ body }: AnyOperation) => {
  const names = Object.keys(body?.fields ?? {}).map((name) => [name, wireName(name)] as const);
  return async ({ request, handler }: Call<unknown>): Promise<Result<Fields, HandlerError>> => {
    const read = await readJsonObject(request, handler.maxBodyBytes);
    return read.map((sent) =>
      Object.fromEntries(names.map(([name, sentAs]) => [name, sent[sentAs]])),
    );
  };
};

/** Reads the input of an operation that calls a method of the service. */
export const inputReader = (operation: AnyOperation) => {
  const parseQuery = queryParser(operation);
  const readBody = operation.body && bodyReader(operation);
  const { operationId, fencingToken } = operation.headers ?? {};
  return async (call: Call<unknown>): Promise<Result<OperationInput, HandlerError>> => {
    const query = parseQuery(call.query);
    if (query.isErr()) return err(query.error);
    const body = (await readBody?.(call)) ?? ok({});
    if (body.isErr()) return err(body.error);
    const options = given({
      operationId: operationId && idempotencyKeyOf(call.request),
      fencingToken:
        fencingToken && asNumber(call.request.header(fencingToken.wireName.toLowerCase())),
    });
    return ok({ id: call.id, query: query.value, body: body.value, options });
  };
};
