import type { Result } from 'neverthrow';
import {
  type Fields,
  isFields,
  parseFields,
  parseName,
  parseOperationId,
  parseUpTo,
  parseWhole,
} from '../input/parse-fields.js';
import { parseMetadataChanges } from '../input/parse-metadata.js';
import { checkKnown } from '../input/parse-options.js';
import { type IssueList, parseSafely } from '../input/parse-safely.js';
import { parseSignal } from '../input/parse-signal.js';
import { watch } from '../operations/event-shapes.js';
import {
  type AnyOperation,
  hasId,
  labelTexts,
  type Operation,
  type OperationError,
  pathFor,
  type QueryParameter,
} from '../operations/operation.js';
import { wireName } from '../operations/shape.js';
import type { AppendOptions } from '../service/append-history.js';
import type { OperationOptions } from '../service/change-session.js';
import type { EachQuery } from '../service/list-sessions.js';
import type { UpdateOptions } from '../service/update-session.js';
import type { InvalidInput } from '../session/errors.js';
import { randomIds } from '../session/ids.js';
import type { WatchSignal } from '../session/session-event.js';
import { KEY_LENGTH, PAGE_LIMIT, WARNING_SECONDS } from '../session/session-limits.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { type Fence, fencingTokenFor } from '../session/with-lease.js';
import { parseMs } from './session-client-options.js';

/** Options of a call. */
export interface CallOptions {
  /** Ends the call at once, with the error `aborted`. */
  readonly signal?: WatchSignal;
  /** Timeout of this call in milliseconds, from 1. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}

/** Options of `get`. */
export interface RemoteGetOptions extends CallOptions {
  /** Maximum number of the latest history entries, from 0. Default: all. */
  readonly historyLimit?: number;
}

/**
 * Options of a write. Without an `operationId`, the client generates one, so that its retries are
 * safe.
 */
export interface WriteOptions extends CallOptions, OperationOptions {}

/** Options of `update`. */
export interface RemoteUpdateOptions extends CallOptions, UpdateOptions {}

/** Options of `append`. */
export interface RemoteAppendOptions extends CallOptions, AppendOptions {}

/** Options of `watch`. */
export interface RemoteWatchOptions extends Pick<CallOptions, 'signal'> {
  /**
   * The cursor of an item of a watch of this session, to continue after it. Default: begins with a
   * snapshot.
   */
  readonly cursor?: string;
  /**
   * Whole seconds before the end of the session at which `session.expiring` is sent, 1 to 86400.
   * Default: no warning.
   */
  readonly warnBefore?: number;
  /** Maximum number of the latest history entries in a snapshot, from 0. Default: all. */
  readonly historyLimit?: number;
  /** Milliseconds for which a lost connection is retried. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}

/** The arguments of a call, unchecked. */
export interface CallArguments {
  readonly id?: unknown;
  readonly query?: unknown;
  /** The fields of the body; for `create` also the `idempotencyKey`. */
  readonly input?: unknown;
  readonly options: unknown;
  /** The lease that the client carries. */
  readonly fence?: Fence | undefined;
  /** Names of options beyond those of every call. */
  readonly optionNames?: readonly string[];
  /**
   * Whether the operation id and the fencing token are fields of `input`. Default: they are
   * options.
   */
  readonly hasInputHeaders?: boolean;
  /** Whether the session id is the field `id` of `input`. */
  readonly hasInputId?: boolean;
  /** The name of an option that is a field of the body: the call applies only if it holds. */
  readonly condition?: string;
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

/** Parses an idempotency key that a header can contain unchanged. */
const parseIdempotencyKey = (issues: IssueList, value: unknown): string => {
  const key = parseName(issues, 'idempotencyKey', value, KEY_LENGTH);
  const isSendable = /^[!-~](?:[ -~]*[!-~])?$/.test(key);
  issues.check(
    key === '' || isSendable,
    'idempotencyKey',
    'must be visible ASCII characters to be sent',
  );
  return key;
};

const parseParameter = (issues: IssueList, name: string, value: unknown): string => {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  const isPlain = typeof value === 'string' || typeof value === 'number';
  issues.check(isPlain, name, 'must be a string, a number or a Date');
  return isPlain ? String(value) : '';
};

type NamesOfCall = Pick<CallArguments, 'optionNames' | 'hasInputHeaders' | 'condition'>;

/** Reports the caller's field names that the operation does not have. */
const checkNames = (
  issues: IssueList,
  { body, query = {}, headers = {} }: AnyOperation,
  given: { readonly input: Fields; readonly query: Fields; readonly options: Fields },
  { optionNames = [], hasInputHeaders = false, condition = '' }: NamesOfCall,
): void => {
  const keyNames =
    headers['idempotencyKey'] === undefined ? [] : ['idempotencyKey', 'historyLimit'];
  const headerNames = Object.keys(headers).filter((name) => name !== 'idempotencyKey');
  const inputNames = hasInputHeaders ? headerNames : keyNames;
  const bodyNames = Object.keys(body?.fields ?? {}).filter((name) => name !== condition);
  checkKnown(issues, given.input, [...bodyNames, ...inputNames]);
  if (given.query !== given.options) checkKnown(issues, given.query, Object.keys(query));
  const namesOfHeaders = hasInputHeaders ? [] : headerNames;
  const conditions = condition === '' ? [] : [condition];
  checkKnown(issues, given.options, [
    'signal',
    'timeoutMs',
    ...namesOfHeaders,
    ...conditions,
    ...optionNames,
  ]);
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
  return text === '' ? '' : `?${text}`;
};

/**
 * Sends NaN and infinite numbers as text: JSON would make them null, which the service treats as an
 * absent field.
 */
const sayable = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

const parseBody = ({ body }: AnyOperation, input: Fields): string | null =>
  body === undefined
    ? null
    : JSON.stringify(
        Object.fromEntries(
          Object.keys(body.fields).map((name) => [wireName(name), sayable(input[name])]),
        ),
      );

/**
 * The key that makes a write safe to repeat: the caller's, or a new one. Undefined if the operation
 * has none.
 */
const parseKey = (
  issues: IssueList,
  { headers = {} }: AnyOperation,
  { idempotencyKey = randomIds.next() }: Fields,
  operationId: unknown,
): string | undefined => {
  if (headers['idempotencyKey'] !== undefined) return parseIdempotencyKey(issues, idempotencyKey);
  if (headers['operationId'] !== undefined)
    return parseOperationId(issues, 'operationId', operationId) ?? randomIds.next();
  return undefined;
};

const anySize = { metadataBytes: Number.MAX_SAFE_INTEGER };

const parseCall = <C extends OperationError>(
  issues: IssueList,
  operation: Operation<never, unknown, C>,
  { id: givenId, query = {}, input = {}, options, fence, ...names }: CallArguments,
): ClientRequest<C> => {
  const { id: inputId, ...others } = parseFields(issues, 'input', input);
  const fields = names.hasInputId || inputId === undefined ? others : { ...others, id: inputId };
  const settings = parseFields(issues, 'options', options);
  const filter = parseFields(issues, 'query', query);
  checkNames(issues, operation, { input: fields, query: filter, options: settings }, names);
  // The service gets JSON, in which some of what it would refuse is lost.
  const metadata = operation.body?.fields['metadata'] && fields['metadata'];
  parseMetadataChanges(issues, 'metadata', metadata, anySize);
  const { timeoutMs } = settings;
  const signal = parseSignal(issues, 'signal', settings['signal']);
  const id = hasId(operation) ? parseId(issues, names.hasInputId ? inputId : givenId) : '';
  const { operationId, fencingToken: givenToken } = names.hasInputHeaders ? fields : settings;
  const key = parseKey(issues, operation, fields, operationId);
  const fencingToken = fencingTokenFor(fence, id, givenToken);
  const token =
    fencingToken === undefined
      ? undefined
      : String(parseWhole(issues, 'fencingToken', fencingToken, 1));
  const { condition = '' } = names;
  const isConditional = settings[condition] !== undefined;
  const body = parseBody(
    operation,
    isConditional ? { ...fields, [condition]: settings[condition] } : fields,
  );
  return {
    operation,
    id,
    path: pathFor(operation, encodeURIComponent(id)) + parseQuery(issues, operation, filter),
    headers: {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(token !== undefined && operation.headers?.['fencingToken']
        ? { [operation.headers['fencingToken'].wireName]: token }
        : {}),
    },
    body,
    isConditional,
    signal,
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
    const query = {
      ...(warnBefore !== undefined && {
        warnBefore: parseUpTo(issues, 'warnBefore', warnBefore, WARNING_SECONDS),
      }),
      ...(historyLimit !== undefined && {
        historyLimit: parseWhole(issues, 'historyLimit', historyLimit, 0),
      }),
    };
    const optionNames = ['cursor', 'warnBefore', 'historyLimit'] as const;
    const request = parseCall(issues, watch, { id, query, options: fields, optionNames });
    return { ...request, cursor: typeof cursor === 'string' ? cursor : undefined };
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
