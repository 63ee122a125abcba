import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput } from '../errors.js';
import { type Fields, isFields } from '../input/values.js';
import { type BodyTooLarge, type Misconfigured, misconfigured, type UnsupportedMediaType } from './handler-error.js';
import type { HandlerRequest } from './session-handler.js';

export type BodyError = InvalidInput | UnsupportedMediaType | BodyTooLarge | Misconfigured;

const unsupported = err<never, BodyError>({ type: 'unsupported_media_type' });
const tooLarge = err<never, BodyError>({ type: 'body_too_large' });

const refused = (rule: string) => err<never, BodyError>(invalidInput([{ path: 'body', message: rule }]));

const parameter = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

const isUtf8 = (charset: string): boolean => /^utf-?8$/i.test(charset);

/** Whether a `Content-Type` is JSON in UTF-8. JSON has no other charset (RFC 8259, 8.1). */
const isJson = (contentType: string | undefined): boolean => {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  const end = contentType.indexOf(';');
  const mediaType = end < 0 ? contentType : contentType.slice(0, end);
  if (mediaType.trim().toLowerCase() !== 'application/json') return false;
  const parameters = end < 0 ? [] : [...contentType.slice(end).matchAll(parameter)];
  return parameters.every(
    ([, name, quoted, token]) => name?.toLowerCase() !== 'charset' || isUtf8(quoted ?? token ?? ''),
  );
};

const isPlain = (contentEncoding: string | undefined): boolean =>
  contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity';

const parse = (text: string): Result<Fields, BodyError> => {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? ok(value) : refused('must be a JSON object');
  } catch {
    return refused('must be JSON');
  }
};

const decode = (bytes: Uint8Array): Result<string, BodyError> => {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused('must be UTF-8');
  }
};

/** Reads a body that a parser before the handler has read. Text and bytes have the same limit as a stream. */
const readParsed = (value: unknown, maxBytes: number): Result<Fields, BodyError> => {
  if (typeof value === 'string') return readParsed(new TextEncoder().encode(value), maxBytes);
  if (value instanceof Uint8Array) return value.length > maxBytes ? tooLarge : decode(value).andThen(parse);
  return isFields(value) ? ok(value) : refused('must be a JSON object');
};

/** Reads the JSON object in a request. A body that is too large is refused as early as possible. */
export const readJsonObject = async (request: HandlerRequest, maxBytes: number): Promise<Result<Fields, BodyError>> => {
  if (!isJson(request.header('content-type')) || !isPlain(request.header('content-encoding'))) return unsupported;
  if (Number(request.header('content-length')) > maxBytes) return tooLarge;
  const body = await request.body(maxBytes);
  switch (body.outcome) {
    case 'read':
      return decode(body.bytes).andThen(parse);
    case 'parsed':
      return readParsed(body.value, maxBytes);
    case 'too_large':
      return tooLarge;
    case 'aborted':
      return refused('must be complete');
    case 'lost':
      return err(misconfigured([{ path: 'body', message: 'was read before the handler could' }]));
  }
};
