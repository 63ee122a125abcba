import type { Result } from 'neverthrow';
import {
  type Endpoint,
  given,
  hasId,
  labelTexts,
  type OperationError,
  pathFor,
} from '../endpoints/endpoint.js';
import { watch } from '../endpoints/event-shapes.js';
import { idempotencyKeyValue } from '../endpoints/headers.js';
import { jsonText } from '../input/json-values.js';
import { creation, signal as signalSchema } from '../schema/host-values.js';
import type { IssueList } from '../schema/issue-list.js';
import { copiedFields } from '../schema/object.js';
import { readSafely } from '../schema/read-input.js';
import { optional, type Read } from '../schema/schema.js';
import { checkKnown } from '../schema/unknown-fields.js';
import { milliseconds, name, number, operationId, upTo, whole } from '../schema/values.js';
import type { EachQuery } from '../service/list-sessions.js';
import type { InvalidInput } from '../session/errors.js';
import { type Fields, isFields } from '../session/fields.js';
import { randomIds } from '../session/ids.js';
import { KEY_LENGTH, PAGE_LIMIT, WARNING_SECONDS } from '../session/limits.js';
import { isDate } from '../session/native-kinds.js';
import type { WatchSignal } from '../session/session-event.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { type Fence, fencingTokenFor } from '../session/with-lease.js';
import { sentName } from './sent-name.js';

/**
 * The arguments of a call, unchecked. `input` is its body, or the query of a GET; headers are from
 * `options`, but for the names that the call has elsewhere.
 */
export interface CallArguments {
  readonly id?: unknown;
  readonly input?: unknown;
  readonly options: unknown;
  readonly fence?: Fence | undefined;
  /** Names of `input` that are not sent in it. */
  readonly inputNames?: readonly string[];
  /** Names of `options` that are sent in the input. */
  readonly optionNames?: readonly string[];
  /** Whether a request that may have been applied must not be repeated. */
  readonly isOnce?: boolean;
}

/** A request for an operation, and the checked options of its call. */
export interface ClientRequest<C extends OperationError = OperationError> {
  readonly operation: Endpoint<unknown, C>;
  readonly id: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Names of the input that are not sent in it, so that the service does not know them. */
  readonly ownNames: readonly string[];
  /** Whether the caller set a condition, so that a `conflict` is final. */
  readonly isConditional: boolean;
  /** Whether a request that may have been applied must not be repeated. */
  readonly isOnce: boolean;
  readonly signal: WatchSignal | undefined;
  readonly timeoutMs: number | undefined;
}

const parseId = (issues: IssueList, value: unknown): string => {
  const id = name(KEY_LENGTH).read(issues, 'id', value);
  // URL parsers resolve the segments `.` and `..`, which would change the path.
  issues.check(!/^\.{1,2}$/.test(id), 'id', 'cannot be sent');
  const isWellFormed = !/\p{Surrogate}/u.test(id);
  issues.check(isWellFormed, 'id', 'must be well-formed Unicode to be sent');
  return isWellFormed ? id : '';
};

/** Parses an idempotency key or operation id that a header can contain; by default a new one. */
const parseSentKey = (issues: IssueList, path: string, value: unknown): string => {
  const key = optional(operationId).read(issues, path, value) ?? randomIds.next();
  const sent = idempotencyKeyValue(key);
  issues.check(key === '' || sent !== undefined, path, 'must be printable ASCII to be sent');
  return sent ?? '';
};

const parseToken = (issues: IssueList, path: string, value: unknown): string | undefined =>
  optional(whole(1)).read(issues, path, value)?.toString();

const sentHeaders: Readonly<Record<string, Read<string | undefined>>> = {
  idempotencyKey: parseSentKey,
  operationId: parseSentKey,
  fencingToken: parseToken,
};

/** The headers of an operation. A call without a key gets one, so that it is safe to repeat. */
const parseHeaders = (
  issues: IssueList,
  { headers = {} }: Endpoint,
  fields: Fields,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, { wireName }]) => [
      wireName,
      sentHeaders[name]?.(issues, name, fields[name]),
    ]),
  );

const parseParameter = (issues: IssueList, name: string, value: unknown): string => {
  if (isDate(value) && !Number.isNaN(value.getTime())) return value.toISOString();
  const isPlain = typeof value === 'string' || typeof value === 'number';
  issues.check(isPlain, name, 'must be a string, a number or a Date');
  return isPlain ? String(value) : '';
};

const parseParameters = (issues: IssueList, name: string, value: unknown): readonly string[] => {
  if (Array.isArray(value))
    return value.map((each, at) => parseParameter(issues, `${name}[${at}]`, each));
  if (isFields(value) && !isDate(value)) return labelTexts(value);
  return [parseParameter(issues, name, value)];
};

const parseQuery = (issues: IssueList, input: Fields): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const texts = parseParameters(issues, name, value);
    // An empty value, so that the service returns its own error.
    for (const text of texts.length === 0 ? [''] : texts) parameters.append(sentName(name), text);
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

const bodyOf = (input: Fields): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(input).map(([name, value]) => [sentName(name), toJsonValue(value)]),
    ),
  );

const historyLimit = optional(whole(0));
const warning = optional(upTo(WARNING_SECONDS));
const share = optional(number(0, 1));
const pageLimit = optional(whole(1), PAGE_LIMIT);

const parseOptions = (
  issues: IssueList,
  { headers = {} }: Endpoint,
  { options, inputNames = [], optionNames = [] }: CallArguments,
): Fields => {
  const fields = copiedFields(issues, 'options', options);
  const headerNames = Object.keys(headers).filter((name) => !inputNames.includes(name));
  checkKnown(issues, fields, ['signal', 'timeoutMs', ...headerNames, ...optionNames]);
  return fields;
};

/** Unknown fields are sent too: only the service knows which fields exist. */
const sentFields = (
  { inputNames = [], optionNames = [] }: CallArguments,
  input: Fields,
  options: Fields,
): Fields =>
  Object.fromEntries([
    ...Object.entries(options).filter(([name]) => optionNames.includes(name)),
    ...Object.entries(input).filter(([name]) => !inputNames.includes(name)),
  ]);

const parseCall = <C extends OperationError>(
  issues: IssueList,
  operation: Endpoint<unknown, C>,
  call: CallArguments,
): ClientRequest<C> => {
  const isRead = operation.method === 'GET';
  const { input: givenInput = {}, inputNames: ownNames = [] } = call;
  const input = copiedFields(issues, isRead ? 'query' : 'input', givenInput);
  const options = parseOptions(issues, operation, call);
  const fields = { ...options, ...input };
  const { metadata, fencingToken } = fields;
  // JSON loses values that the service would reject.
  if (isFields(metadata)) jsonText.read(issues, 'metadata', metadata);
  // Not sent, so the service cannot check it.
  if (ownNames.includes('historyLimit'))
    historyLimit.read(issues, 'historyLimit', fields['historyLimit']);
  const { id: givenId = fields['id'] } = call;
  const id = hasId(operation) ? parseId(issues, givenId) : '';
  const sent = sentFields(call, input, options);
  const query = isRead ? parseQuery(issues, sent) : '';
  const body = !isRead && 'input' in call ? bodyOf(sent) : null;
  const token = fencingTokenFor(call.fence, id, fencingToken);
  return {
    operation,
    id,
    path: pathFor(operation, encodeURIComponent(id)) + query,
    headers: given({
      'Content-Type': body && 'application/json',
      // Otherwise the service ignores unknown names. Other origins need a preflight for it.
      Prefer: Object.keys(sent).length > 0 ? 'handling=strict' : undefined,
      ...parseHeaders(issues, operation, { ...fields, fencingToken: token }),
    }),
    body,
    ownNames,
    isConditional: fields['ifRevision'] !== undefined,
    isOnce: call.isOnce === true,
    signal: signalSchema.read(issues, 'signal', options['signal']),
    timeoutMs: optional(milliseconds).read(issues, 'timeoutMs', options['timeoutMs']),
  };
};

export const parseRequest = <C extends OperationError>(
  operation: Endpoint<unknown, C>,
  given: CallArguments,
): Result<ClientRequest<C>, InvalidInput> =>
  readSafely((issues) => parseCall(issues, operation, given));

/** A message, and the options of its session if it may be created. */
interface SendRequest {
  readonly input: Fields;
  readonly creation: Fields | undefined;
  readonly options: Fields;
}

/** Adds an id to a message, so that it is safe to repeat. */
export const parseSend = (message: unknown, given: unknown): Result<SendRequest, InvalidInput> =>
  readSafely((issues) => {
    const sent = typeof message === 'string' ? { content: message } : message;
    const fields = copiedFields(issues, 'message', sent);
    const options = copiedFields(issues, 'options', given);
    const { create: _, ...others } = options;
    const create = creation.read(issues, 'create', options['create']);
    const input = { ...fields, id: fields['id'] ?? randomIds.next() };
    if (!isFields(create)) return { input, creation: undefined, options };
    // Options of a session are sent in a separate request.
    return { input, creation: copiedFields(issues, 'create', create), options: others };
  });

export interface WatchRequest extends ClientRequest<(typeof watch)['errors'][number]> {
  readonly cursor: string | undefined;
}

export const parseWatch = (id: unknown, options: unknown): Result<WatchRequest, InvalidInput> =>
  readSafely((issues) => {
    const fields = copiedFields(issues, 'options', options);
    const { cursor } = fields;
    const isCursor = typeof cursor === 'string' && parseWatchCursor(cursor) !== undefined;
    issues.check(
      cursor === undefined || isCursor,
      'cursor',
      'must be the cursor of an item of a watch',
    );
    warning.read(issues, 'warnBefore', fields['warnBefore']);
    historyLimit.read(issues, 'historyLimit', fields['historyLimit']);
    share.read(issues, 'warnAt', fields['warnAt']);
    const optionNames = ['warnBefore', 'warnAt', 'historyLimit'];
    const request = parseCall(issues, watch, { id, options: fields, optionNames });
    return { ...request, cursor: isCursor ? cursor : undefined };
  });

export type EachPages = EachQuery & { readonly limit: number };

/** Copies a query for `each`, so that later changes by the caller have no effect. */
export const parseEachQuery = (query: EachQuery): Result<EachPages, InvalidInput> =>
  readSafely((issues) => {
    const fields: EachQuery = copiedFields(issues, 'query', query);
    issues.check(
      !('page' in fields) || fields.page === undefined,
      'page',
      'is not allowed in `each`',
    );
    // The service lowers a higher limit to this one.
    const limit = Math.min(pageLimit.read(issues, 'limit', fields.limit), PAGE_LIMIT);
    return { ...fields, limit };
  });
