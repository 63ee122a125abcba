import type { Result, ResultAsync } from 'neverthrow';
import { anyPolicy, type InputPolicy } from '../input/input-policy.js';
import type { JsonSchema } from '../schema/json-schema.js';
import type { ObjectSchema } from '../schema/object.js';
import type { FieldSchemas, Schema } from '../schema/schema.js';
import { wireFields } from '../schema/wire.js';
import type { SessionError } from '../session/errors.js';
import type { Fields } from '../session/fields.js';

/**
 * An error of one operation. Errors that any request may have, for example a missing key, are not
 * listed.
 */
export type OperationError = SessionError['type'] | 'too_many_streams';

export interface HeaderParameter {
  readonly wireName: string;
  readonly json: JsonSchema;
}

/**
 * The JSON object in a request body. Unknown fields are ignored, in nested objects too, or refused
 * if the request asks for strict handling.
 */
export interface Body {
  /** Schema name in the OpenAPI document. */
  readonly name: string;
  /** Its fields, by their names in the service. */
  readonly of: (policy: InputPolicy) => ObjectSchema<FieldSchemas>;
  /** Optional fields of which at least one is required. */
  readonly anyOf?: readonly string[];
}

export const bodyFields = ({ body }: Pick<Operation, 'body'>): FieldSchemas =>
  body?.of(anyPolicy).fields ?? {};

/** A successful response of an operation. */
export interface Output<T = unknown> {
  /** The HTTP status. */
  readonly status: number;
  /** For the OpenAPI document. */
  readonly description?: string;
  /** The JSON body; without it, the response has no body. */
  readonly body?: Schema<T>;
  /** Whether the answer to a write counts as pending bytes, like that of each read. */
  readonly isCounted?: true;
  /** For a stream of Server-Sent Events: the data of each event, by event name. */
  readonly events?: Readonly<Record<string, Schema<unknown>>>;
  /** Names of headers beyond those of every response. */
  readonly headers?: readonly string[];
}

/** The parts of a request, under the names of the service. */
export interface OperationInput {
  /** The session id; empty if the path has none. */
  readonly id: string;
  /** The query parameters, by their names in the service. */
  readonly query: Fields;
  /** The fields of the body, by their names in the service. */
  readonly body: Fields;
  /** The operation id and the fencing token, if the request has them. */
  readonly options: Fields;
}

/** The fields that are there: a missing field of a body may be `null`. */
export function given<T extends object>(fields: T): { readonly [K in keyof T]?: NonNullable<T[K]> };
export function given(fields: Fields): Fields {
  const isThere = ([, value]: [string, unknown]): boolean => (value ?? undefined) !== undefined;
  return Object.fromEntries(Object.entries(fields).filter(isThere));
}

/**
 * What a client needs to call an operation over HTTP: `T` is the result, `C` are the errors. The
 * rest is in a constant of its own, because the client bundles neither the schemas of inputs nor
 * the calls of the service.
 */
export interface Endpoint<T = unknown, C extends OperationError = OperationError> {
  /** A GET path also answers HEAD. */
  readonly method: 'GET' | 'POST';
  /** Fixed, for example `/sessions`, or with `{session_id}` as its second segment. */
  readonly path: `/${string}`;
  /** Headers by their names in the service, for example `operationId`. */
  readonly headers?: Readonly<Record<string, HeaderParameter>>;
  /** The codes of its errors, beyond those that any request may have. */
  readonly errors: readonly C[];
  /** The successful response. */
  readonly output: Output<T>;
  /** A second successful response. */
  readonly otherOutput?: Output;
}

/** What the server needs of an operation beyond its endpoint. */
export interface ServedPart<S, T, C extends OperationError> {
  /** Such as `getSession`: the `operationId` in the OpenAPI document. */
  readonly name: string;
  /** Groups operations in the OpenAPI document. */
  readonly tag: string;
  /** For the OpenAPI document. */
  readonly summary?: string;
  /** For the OpenAPI document. */
  readonly description?: string;
  /**
   * Parameters by their names in the service; `historyLimit` is sent as `history_limit`. One whose
   * schema is an array or an object may be given several times, labels as `user:u-1`.
   */
  readonly query?: FieldSchemas;
  /** The JSON object in the request. Default: the request has no body. */
  readonly body?: Body;
  /**
   * The service method to call, for operations that answer with its result as the body of
   * `output`.
   */
  readonly calls?: {
    /** The name of the method, for example `start`. */
    readonly method: string;
    /** Calls the method with the input of the request. */
    readonly call: (
      sessions: S,
      input: OperationInput,
    ) => ResultAsync<T, SessionError & { readonly type: C }>;
  };
}

/**
 * The definition of an operation over HTTP, from which router, handler and OpenAPI document are
 * made. `S` is the part of the sessions that it needs.
 */
export interface Operation<S = unknown, T = unknown, C extends OperationError = OperationError>
  extends Endpoint<T, C>,
    ServedPart<S, T, C> {}

export type AnyOperation = Operation<never>;

type ErrorOf<M> = M extends (...args: never[]) => infer R
  ? R extends PromiseLike<Result<unknown, infer E>> | AsyncIterable<Result<unknown, infer E>>
    ? E
    : never
  : never;

type TypeOf<E> = E extends { readonly type: infer T } ? T : never;

const commonErrors = [
  'invalid_input',
  'store_unavailable',
  'corrupt_record',
  'misconfigured',
] as const;

type CommonError = (typeof commonErrors)[number];

type ListedError<M> = Exclude<TypeOf<ErrorOf<M>>, CommonError>;

/**
 * The errors of an operation, with those that every operation has. A list that misses an error of
 * the service method, or has one too many, does not compile.
 *
 *     errors: errorsOf<SessionService['get']>()(['not_found'])
 */
export const errorsOf =
  <M, More extends OperationError = never>() =>
  <const C extends readonly (ListedError<M> | More)[]>(
    codes: C &
      ([ListedError<M> | More] extends [C[number]]
        ? unknown
        : { readonly missing: Exclude<ListedError<M> | More, C[number]> }),
  ): readonly (CommonError | C[number])[] => [...commonErrors, ...codes];

export const endpoint = <T, const C extends OperationError>(
  definition: Endpoint<T, C>,
): Endpoint<T, C> => definition;

export const posted = <T, const C extends OperationError>(
  definition: Omit<Endpoint<T, C>, 'method'>,
): Endpoint<T, C> => ({ method: 'POST', ...definition });

/**
 * The operation of an endpoint. Calls are marked as pure, so that bundles of the client omit them.
 */
export const served = <S, T, C extends OperationError>(
  at: Endpoint<T, C>,
  part: ServedPart<S, T, C>,
): Operation<S, T, C> => ({ ...at, ...part });

/** Labels as values of a query parameter, one for each label. Names of labels contain no colon. */
export const labelTexts = (labels: Fields): readonly string[] =>
  Object.entries(labels).map(([name, value]) => `${name}:${String(value)}`);

/** The name and the value of a label in a query parameter; without a colon, it has no value. */
export const labelOf = (text: string): readonly [string, string | undefined] => {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
};

const ID = '{session_id}';

export const hasId = ({ path }: Pick<Endpoint, 'path'>): boolean => path.includes(ID);

/** Percent-encodes a text. Unlike `encodeURIComponent` alone, accepts lone surrogates. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));

export const pathFor = ({ path }: Pick<Endpoint, 'path'>, encodedId = ''): string =>
  path.replace(ID, () => encodedId);

/**
 * The wire names of an operation's id, query parameters, body fields and headers, by their names in
 * the service.
 */
export const wireNamesOf = (operation: AnyOperation): ReadonlyMap<string, string> => {
  const { query = {}, headers = {} } = operation;
  return new Map([
    ...(hasId(operation) ? [['id', 'session_id'] as const] : []),
    ...wireFields({ ...query, ...bodyFields(operation) }).map(
      ({ name, sentAs }) => [name, sentAs] as const,
    ),
    ...Object.entries(headers).map(([name, header]) => [name, header.wireName] as const),
  ]);
};
