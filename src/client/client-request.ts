import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/read-safely.js';
import { type Fields, isFields, readWhole } from '../input/values.js';
import {
  type AnyOperation,
  type Operation,
  type OperationError,
  type Output,
  pathFor,
} from '../operations/operation.js';
import { type RemotePage, sessions } from '../operations/outputs.js';
import { list } from '../operations/session-operations.js';
import { wireName } from '../operations/shape.js';
import type { ListQuery } from '../service/list-sessions.js';
import { readIdempotencyKey, readIdInPath, readWriteName } from './call-options.js';

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** A request for an operation, and how to read its response. */
export interface ClientRequest<T, C extends OperationError> {
  readonly operation: Operation<never, unknown, C>;
  /** The session id, if the operation has one. */
  readonly id?: string;
  /** Appended to the base URL; includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** The result; undefined if the response does not come from this service. */
  readonly read: (reply: Reply) => { readonly value: T } | undefined;
}

/** The arguments of a call, one for each part of the operation. */
interface Given {
  readonly id?: string;
  readonly query?: unknown;
  /** Returns the fields of the body. If a getter of the caller's object throws, the error is `invalid_input`. */
  readonly body?: () => Fields;
  /** For `create`: contains the `idempotencyKey`. */
  readonly input?: unknown;
  /** For other writes: contains the `operationId`. */
  readonly options?: unknown;
}

const textOf = (issues: IssueList, name: string, value: unknown): string => {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  const isPlain = typeof value === 'string' || typeof value === 'number';
  issues.check(isPlain, name, 'must be a string, a number or a Date');
  return isPlain ? String(value) : '';
};

/** The query string. The service validates the values. */
const readQuery = ({ query: rules = {} }: AnyOperation, query: unknown): Result<string, InvalidInput> =>
  readSafely('query', (issues) => {
    issues.check(isFields(query), 'query', 'must be an object');
    const fields = isFields(query) ? query : {};
    const parameters = new URLSearchParams();
    for (const name of Object.keys(rules)) {
      const value = fields[name];
      if (value !== undefined) parameters.set(wireName(name), textOf(issues, name, value));
    }
    const text = parameters.toString();
    return text === '' ? '' : `?${text}`;
  });

const readBody = ({ body }: AnyOperation, given: Given['body']): Result<string | undefined, InvalidInput> => {
  if (body === undefined || given === undefined) return ok(undefined);
  const names = Object.keys(body.fields);
  return readSafely(names.length === 1 ? (names[0] ?? '') : 'input', () => {
    const fields = given();
    return JSON.stringify(Object.fromEntries(names.map((name) => [wireName(name), fields[name]])));
  });
};

/** The key that makes a write safe to repeat, from the caller or new; undefined if the operation has none. */
const readKey = (
  { headers = {} }: AnyOperation,
  { input, options }: Given,
): Result<string | undefined, InvalidInput> => {
  if (headers['idempotencyKey'] !== undefined) return readIdempotencyKey(input);
  return headers['operationId'] === undefined ? ok(undefined) : readWriteName(options);
};

const readOutput =
  <T>({ shape }: Output<T>) =>
  (reply: Reply): { readonly value: T } | undefined => {
    const value = shape?.read(reply.body);
    return value === undefined ? undefined : { value };
  };

/** Builds the request for an operation. */
export const requestFor = <T, C extends OperationError>(
  operation: Operation<never, T, C>,
  given: Given,
): Result<ClientRequest<T, C>, InvalidInput> => {
  const { id } = given;
  const encodedId = id === undefined ? ok('') : readIdInPath(id);
  if (encodedId.isErr()) return err(encodedId.error);
  const key = readKey(operation, given);
  if (key.isErr()) return err(key.error);
  const query = readQuery(operation, given.query ?? {});
  if (query.isErr()) return err(query.error);
  const body = readBody(operation, given.body);
  return body.map((json) => ({
    operation,
    ...(id === undefined ? {} : { id }),
    path: `${pathFor(operation, encodedId.value)}${query.value}`,
    headers: {
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key.value === undefined ? {} : { 'Idempotency-Key': key.value }),
    },
    ...(json === undefined ? {} : { body: json }),
    read: readOutput(operation.output),
  }));
};

const wholeIn = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** Parses percent-encoded ids, separated by commas. */
const idsIn = (header: string | null): readonly string[] => {
  if (header === null || header === '') return [];
  try {
    return header.split(',').map((id) => decodeURIComponent(id.trim()));
  } catch {
    return [];
  }
};

/**
 * Reads a page of a list. The body is a bare array, so the headers contain the metadata. `page` is the page number, if
 * any.
 */
const readPage = ({ headers, body }: Reply, page: number | undefined): { readonly value: RemotePage } | undefined => {
  const found = sessions.read(body);
  const total = wholeIn(headers.get('x-total-count'));
  const limit = wholeIn(/[?&]limit=(\d+)/.exec(headers.get('link') ?? '')?.[1]);
  if (found === undefined || total === undefined || limit === undefined) return undefined;
  const next = headers.get('x-next-cursor');
  const unreadable = idsIn(headers.get('x-unreadable-sessions'));
  const value = {
    sessions: found,
    total,
    limit,
    ...(page === undefined ? {} : { page }),
    ...(next && { next }),
    unreadable,
  };
  return { value };
};

/** Builds the request for a page of the list. */
export const pageRequest = (query: ListQuery) =>
  requestFor(list, { query }).andThen((request) =>
    readSafely('query', (issues) => {
      const { page = 1, after } = query;
      const number = after === undefined ? readWhole(issues, 'page', page, 1) : undefined;
      return { ...request, read: (reply: Reply) => readPage(reply, number) };
    }),
  );
