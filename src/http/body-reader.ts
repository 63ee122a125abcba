import { err, ok, type Result } from 'neverthrow';
import { type AnyOperation, bodyFields } from '../endpoints/endpoint.js';
import { IssueList, MAX_ISSUES } from '../schema/issue-list.js';
import type { FieldSchemas, Schema, WireField } from '../schema/schema.js';
import { checkKnown } from '../schema/unknown-fields.js';
import { wireFields } from '../schema/wire.js';
import { cutText } from '../session/cut-text.js';
import { type InvalidInput, invalidInput, misconfigured } from '../session/errors.js';
import { type Fields, isFields } from '../session/fields.js';
import { plainText } from '../session/plain-text.js';
import { type HandlerError, refusal } from './handler-error.js';
import { doubtfulIntegersIn, inexactIntegersIn, type JsonPath } from './inexact-integers.js';
import type { Call } from './route.js';
import type { HandlerRequest } from './session-handler.js';
import { isStrict } from './strict-handling.js';

/** The JSON object in a body, and its text unless a body parser kept only the value. */
interface SentJson {
  readonly fields: Fields;
  readonly text?: string;
}

/** The JSON that a body parser has read; undefined if it has parsed it too. */
const bytesIn = (value: unknown): Uint8Array | undefined => {
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'string' ? new TextEncoder().encode(value) : undefined;
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

const asObject = (value: unknown, text?: string): Result<SentJson, HandlerError> =>
  isFields(value)
    ? ok({ fields: value, ...(text !== undefined && { text }) })
    : refused('must be a JSON object');

const parse = (bytes: Uint8Array): Result<SentJson, HandlerError> => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return asObject(JSON.parse(text), text);
  } catch (cause) {
    return refused(cause instanceof SyntaxError ? 'must be JSON' : 'must be UTF-8');
  }
};

const readJsonObject = async (
  request: HandlerRequest,
  maxBytes: number,
): Promise<Result<SentJson, HandlerError>> => {
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

const onlyFields = (fields: FieldSchemas, value: unknown): unknown => {
  if (!isFields(value)) return value;
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(fields, name));
  return Object.fromEntries(known);
};

/**
 * Drops the unknown fields of nested objects, which are ignored like unknown fields of the body.
 */
export const withoutUnknown = ({ fields, items }: Schema<unknown>, value: unknown): unknown => {
  if (fields !== undefined) return onlyFields(fields, value);
  if (items === undefined || !Array.isArray(value)) return value;
  return value.map((item) => withoutUnknown(items, item));
};

const checkNested = (
  issues: IssueList,
  path: string,
  { fields, items }: Schema<unknown>,
  value: unknown,
): void => {
  if (items !== undefined && Array.isArray(value))
    for (const [at, item] of value.entries()) checkNested(issues, `${path}[${at}]`, items, item);
  if (fields !== undefined && isFields(value))
    checkKnown(issues, value, Object.keys(fields), `${path}.`);
};

const unknownRefusal = (rules: readonly WireField[], sent: Fields): InvalidInput | undefined => {
  const issues = new IssueList();
  const names = rules.map(({ sentAs }) => sentAs);
  checkKnown(issues, sent, names);
  for (const { sentAs, of } of rules) checkNested(issues, sentAs, of, sent[sentAs]);
  return issues.found.length === 0 ? undefined : invalidInput(issues.found);
};

const leadsInto = (value: unknown, [first, ...rest]: JsonPath): boolean => {
  if (first === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return false;
  return leadsInto(Reflect.get(value, first), rest);
};

const SHOWN_CHARACTERS = 64;

const inWords = (path: JsonPath): string =>
  path
    .map((part) =>
      typeof part === 'number' ? `[${part}]` : `.${plainText(cutText(part, SHOWN_CHARACTERS))}`,
    )
    .join('')
    .slice(1);

/** The error for integers that would be stored as other integers; undefined if there are none. */
const inexactRefusal = (known: Fields, text: string | undefined): InvalidInput | undefined => {
  const paths =
    text === undefined
      ? doubtfulIntegersIn(known)
      : inexactIntegersIn(text).filter((path) => leadsInto(known, path));
  if (paths.length === 0) return undefined;
  const message = 'is an integer that a number cannot hold exactly: send it as a string';
  return invalidInput(paths.slice(0, MAX_ISSUES).map((path) => ({ path: inWords(path), message })));
};

export const bodyReader = (operation: AnyOperation) => {
  const rules = wireFields(bodyFields(operation));
  return async ({ request, handler }: Call<unknown>): Promise<Result<Fields, HandlerError>> => {
    const read = await readJsonObject(request, handler.maxBodyBytes);
    return read.andThen(({ fields, text }): Result<Fields, HandlerError> => {
      const known: Record<string, unknown> = {};
      for (const { sentAs, of } of rules) known[sentAs] = withoutUnknown(of, fields[sentAs]);
      const refusedNames = isStrict(request) ? unknownRefusal(rules, fields) : undefined;
      const refusedInput = refusedNames ?? inexactRefusal(known, text);
      if (refusedInput !== undefined) return err(refusedInput);
      return ok(Object.fromEntries(rules.map(({ name, sentAs }) => [name, known[sentAs]])));
    });
  };
};
