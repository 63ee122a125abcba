import type { Result } from 'neverthrow';
import type { IssueList } from '../input/issue-list.js';
import {
  parseFields,
  parseName,
  parseOperationId,
  parseSignal,
  parseUpTo,
  parseWhole,
} from '../input/parse-fields.js';
import { parseMetadataChanges } from '../input/parse-json.js';
import { parseSafely } from '../input/parse-safely.js';
import { originNames } from '../input/rule.js';
import { checkKnown } from '../input/unknown-fields.js';
import { watch } from '../operations/event-shapes.js';
import { idempotencyKeyValue } from '../operations/idempotency-key.js';
import {
  type AnyOperation,
  type BodyField,
  given,
  hasId,
  labelTexts,
  type Operation,
  type OperationError,
  pathFor,
  type QueryParameter,
} from '../operations/operation.js';
import { fencingToken } from '../operations/parameters.js';
import { wireName } from '../operations/shape.js';
import type { EachQuery } from '../service/list-sessions.js';
import type { InvalidInput } from '../session/errors.js';
import { type Fields, isFields } from '../session/fields.js';
import { randomIds } from '../session/ids.js';
import { KEY_LENGTH, PAGE_LIMIT, WARNING_SECONDS } from '../session/limits.js';
import { isDate } from '../session/native-kinds.js';
import type { WatchSignal } from '../session/session-event.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { type Fence, fencingTokenFor } from '../session/with-lease.js';
import { parseMs } from './session-client-options.js';

/**
 * The arguments of a call, unchecked. Its body is from `input`, its headers are from `options`, but
 * for the names that the call has elsewhere.
 */
export interface CallArguments {
  readonly id?: unknown;
  /** The query, which may be the same object as the options. */
  readonly query?: unknown;
  readonly input?: unknown;
  readonly options: unknown;
  /** The lease that the client carries. */
  readonly fence?: Fence | undefined;
  /** Names of `input` beyond those of the body. */
  readonly inputNames?: readonly string[];
  /** Names of `options` beyond those of the headers and of every call. */
  readonly optionNames?: readonly string[];
}

/** A request for an operation, and the checked options of its call. */
export interface ClientRequest<C extends OperationError = OperationError> {
  readonly operation: Operation<never, unknown, C>;
  /** The session id; empty if the operation has none. */
  readonly id: string;
  /** Appended to the base URL; includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string | null;
  /** Whether the caller has set a condition, so that a `conflict` is final. */
  readonly isConditional: boolean;
  readonly signal: WatchSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/** Parses a session id that can be a segment of a path. */
const parseId = (issues: IssueList, value: unknown): string => {
  const id = parseName(issues, 'id', value, KEY_LENGTH);
  // URL parsers resolve the segments `.` and `..`, which would change the path.
  issues.check(!/^\.{1,2}$/.test(id), 'id', 'cannot be sent');
  const isWellFormed = !/\p{Surrogate}/u.test(id);
  issues.check(isWellFormed, 'id', 'must be well-formed Unicode to be sent');
  return isWellFormed ? id : '';
};

/** Parses an idempotency key or operation id that a header can contain; by default a new one. */
const parseSentKey = (issues: IssueList, path: string, value: unknown): string => {
  const key = parseOperationId(issues, path, value) ?? randomIds.next();
  const sent = idempotencyKeyValue(key);
  issues.check(key === '' || sent !== undefined, path, 'must be printable ASCII to be sent');
  return sent ?? '';
};

const parseParameter = (issues: IssueList, name: string, value: unknown): string => {
  if (isDate(value) && !Number.isNaN(value.getTime())) return value.toISOString();
  const isPlain = typeof value === 'string' || typeof value === 'number';
  issues.check(isPlain, name, 'must be a string, a number or a Date');
  return isPlain ? String(value) : '';
};

interface GivenFields {
  readonly input: Fields;
  readonly query: Fields;
  readonly options: Fields;
}

/** Reports names that the service would ignore: over HTTP, it ignores what it does not know. */
const checkNested = (issues: IssueList, path: string, field: BodyField, value: unknown): void => {
  if ('items' in field) {
    const names = Object.keys(field.items.fields);
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const [at, item] of items.entries())
      if (isFields(item)) checkKnown(issues, item, names, `${path}[${at}].`);
  } else if (field.kind === 'origin' && isFields(value)) {
    checkKnown(issues, value, originNames, `${path}.`);
  }
};

/** Reports the caller's field names that the operation does not have. */
const checkNames = (
  issues: IssueList,
  { body, query = {}, headers = {} }: AnyOperation,
  given: GivenFields,
  { inputNames = [], optionNames = [] }: Pick<CallArguments, 'inputNames' | 'optionNames'>,
): void => {
  const bodyNames = Object.keys(body?.fields ?? {}).filter((name) => !optionNames.includes(name));
  const headerNames = Object.keys(headers).filter((name) => !inputNames.includes(name));
  const known = ['signal', 'timeoutMs', ...headerNames, ...optionNames];
  checkKnown(issues, given.input, [...bodyNames, ...inputNames]);
  if (given.query === given.options) known.push(...Object.keys(query));
  else checkKnown(issues, given.query, Object.keys(query));
  checkKnown(issues, given.options, known);
  for (const [name, field] of Object.entries(body?.fields ?? {}))
    checkNested(issues, name, field, given.input[name]);
};

const parseParameters = (
  issues: IssueList,
  name: string,
  { kind }: QueryParameter,
  value: unknown,
): readonly string[] => {
  if (kind === 'labels' && isFields(value)) return labelTexts(value);
  if (kind !== 'texts' || !Array.isArray(value)) return [parseParameter(issues, name, value)];
  return value.map((each, at) => parseParameter(issues, `${name}[${at}]`, each));
};

/** The query string. The service validates the values. */
const parseQuery = (issues: IssueList, { query = {} }: AnyOperation, fields: Fields): string => {
  const parameters = new URLSearchParams();
  for (const [name, rule] of Object.entries(query)) {
    const value = fields[name];
    if (value === undefined) continue;
    const texts = parseParameters(issues, name, rule, value);
    // An empty value, so that the service returns its own error.
    for (const text of texts.length === 0 ? [''] : texts) parameters.append(wireName(name), text);
  }
  const text = parameters.toString();
  return text && `?${text}`;
};

/**
 * Sends NaN and infinite numbers as text: JSON would make them null, which the service treats as an
 * absent field.
 */
const toJsonValue = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

const parseBody = ({ body }: AnyOperation, fields: Fields): string | null => {
  if (body === undefined) return null;
  const names = Object.keys(body.fields);
  return JSON.stringify(
    Object.fromEntries(names.map((name) => [wireName(name), toJsonValue(fields[name])])),
  );
};

/**
 * The key that makes a write safe to repeat: the caller's, or a new one. Undefined if the operation
 * has none.
 */
const parseKey = (
  issues: IssueList,
  { headers = {} }: AnyOperation,
  fields: Fields,
): string | undefined => {
  const name = ['idempotencyKey', 'operationId'].find((each) => headers[each] !== undefined);
  return name && parseSentKey(issues, name, fields[name]);
};

/** The fencing token: the caller's, or that of the lease that the client carries. */
const parseToken = (
  issues: IssueList,
  { headers }: AnyOperation,
  token: unknown,
): string | undefined => {
  if (headers?.['fencingToken'] === undefined || token === undefined) return undefined;
  return String(parseWhole(issues, 'fencingToken', token, 1));
};

const anySize = { metadataBytes: Number.MAX_SAFE_INTEGER };

const parseCall = <C extends OperationError>(
  issues: IssueList,
  operation: Operation<never, unknown, C>,
  { query = {}, input = {}, options, fence, ...call }: CallArguments,
): ClientRequest<C> => {
  const told = {
    input: parseFields(issues, 'input', input),
    options: parseFields(issues, 'options', options),
    query: parseFields(issues, 'query', query),
  };
  checkNames(issues, operation, told, call);
  const { signal, timeoutMs } = told.options;
  const fields = { ...told.options, ...told.input };
  // The service gets JSON, in which some of what it would refuse is lost.
  const metadata = operation.body?.fields['metadata'] && fields['metadata'];
  parseMetadataChanges(issues, 'metadata', metadata, anySize);
  const { id: givenId = fields['id'] } = call;
  const id = hasId(operation) ? parseId(issues, givenId) : '';
  const body = parseBody(operation, fields);
  const key = parseKey(issues, operation, fields);
  const current = fencingTokenFor(fence, id, fields['fencingToken']);
  const token = parseToken(issues, operation, current);
  return {
    operation,
    id,
    path: pathFor(operation, encodeURIComponent(id)) + parseQuery(issues, operation, told.query),
    headers: {
      ...given({ 'Content-Type': body && 'application/json', 'Idempotency-Key': key }),
      ...(token && { [fencingToken.wireName]: token }),
    },
    body,
    isConditional: fields['ifRevision'] !== undefined,
    signal: parseSignal(issues, 'signal', signal),
    timeoutMs: timeoutMs === undefined ? undefined : parseMs(issues, 'timeoutMs', timeoutMs),
  };
};

/** Builds the request of a call. */
export const parseRequest = <C extends OperationError>(
  operation: Operation<never, unknown, C>,
  given: CallArguments,
): Result<ClientRequest<C>, InvalidInput> =>
  parseSafely('arguments', (issues) => parseCall(issues, operation, given));

/** The request of a watch. */
export interface WatchRequest extends ClientRequest<(typeof watch)['errors'][number]> {
  /** The cursor to continue after. */
  readonly cursor: string | undefined;
}

/** Builds the request of a watch. */
export const parseWatch = (id: unknown, options: unknown): Result<WatchRequest, InvalidInput> =>
  parseSafely('arguments', (issues) => {
    const fields = parseFields(issues, 'options', options);
    const { cursor, warnBefore, historyLimit } = fields;
    const isCursor = typeof cursor === 'string' && parseWatchCursor(cursor) !== undefined;
    issues.check(
      cursor === undefined || isCursor,
      'cursor',
      'must be the cursor of an item of a watch',
    );
    if (warnBefore !== undefined) parseUpTo(issues, 'warnBefore', warnBefore, WARNING_SECONDS);
    if (historyLimit !== undefined) parseWhole(issues, 'historyLimit', historyLimit, 0);
    const request = parseCall(issues, watch, { id, query: fields, options: fields });
    return { ...request, cursor: isCursor ? cursor : undefined };
  });

/** A query of pages by cursor. */
export type EachPages = EachQuery & { readonly limit: number };

/** Copies a query for `each`, so that later changes by the caller have no effect. */
export const parseEachQuery = (query: EachQuery): Result<EachPages, InvalidInput> =>
  parseSafely('query', (issues) => {
    const fields: EachQuery = { ...parseFields(issues, 'query', query) };
    issues.check(
      !('page' in fields) || fields.page === undefined,
      'page',
      'is not allowed in `each`',
    );
    const { limit = PAGE_LIMIT } = fields;
    // The service counts a higher limit as this one.
    return { ...fields, limit: Math.min(limit, PAGE_LIMIT) };
  });
