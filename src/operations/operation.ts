import type { Result, ResultAsync } from 'neverthrow';
import type { SessionError } from '../errors.js';
import type { Rule } from '../input/rule.js';
import type { Fields } from '../input/values.js';
import type { OperationOptions } from '../service/change-session.js';
import type { SessionLimits } from '../session/session-limits.js';
import { type Schema, type Shape, wireName } from './shape.js';

/** An error that an operation may answer with beside those that any request may: without a key, for example. */
export type OperationError = SessionError['type'] | 'too_many_streams';

/** A parameter of a query. `whole` is a number of decimal digits; one above `most` is taken as `most`. */
export type QueryParameter =
  | { readonly kind: 'whole'; readonly least: 0 | 1; readonly most?: number; readonly default?: number }
  | { readonly kind: 'text'; readonly schema: Schema };

/** A header that an operation reads. */
export interface HeaderParameter {
  readonly wireName: string;
  readonly schema: Schema;
}

/** A field of a JSON body: a value by a rule, or a list of objects. */
export type BodyField = Rule | { readonly items: Body; readonly least: number; readonly most: keyof SessionLimits };

/** A JSON object that is sent. Fields of other names are ignored. */
export interface Body {
  /** Its name in the document. */
  readonly name: string;
  readonly fields: Readonly<Record<string, BodyField>>;
}

/** One way in which an operation succeeds. */
export interface Output<T = unknown> {
  readonly status: number;
  /** For the document. */
  readonly description?: string;
  /** The answer's JSON; without one it has no body. */
  readonly shape?: Shape<T>;
  /** Of a stream of Server-Sent Events: the data of each event, by the event's name. */
  readonly events?: Readonly<Record<string, Shape<unknown>>>;
  /** The headers that it has beside those of every answer. */
  readonly headers?: readonly string[];
}

/** What a request carries, under the service's names. */
export interface OperationInput {
  /** The session's id; empty where the path has none. */
  readonly id: string;
  readonly query: Fields;
  readonly body: Fields;
  readonly options: OperationOptions;
}

/**
 * An operation over HTTP, from which router, handler, client and document are made. `S` is what it needs of the sessions,
 * `T` what it answers, `C` the errors that it may answer with.
 */
export interface Operation<S = unknown, T = unknown, C extends OperationError = OperationError> {
  /** Such as `getSession`: its name in the document, and in what is generated from that. */
  readonly name: string;
  /** Under which the document lists it. */
  readonly tag: string;
  /** For the document. */
  readonly summary?: string;
  /** For the document. */
  readonly description?: string;
  /** A path of GET answers HEAD too. */
  readonly method: 'GET' | 'POST';
  /** Fixed, such as `/sessions`, or with `{session_id}` as its second segment. */
  readonly path: `/${string}`;
  /** By the service's names; `historyLimit` is sent as `history_limit`. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly headers?: Readonly<Record<string, HeaderParameter>>;
  readonly body?: Body;
  readonly errors: readonly C[];
  readonly output: Output<T>;
  /** Another way in which it succeeds. */
  readonly otherOutput?: Output;
  /** The method of the service that it calls, and how: for operations whose answer is its result, in the output's shape. */
  readonly calls?: {
    readonly method: string;
    readonly call: (sessions: S, input: OperationInput) => ResultAsync<T, SessionError & { readonly type: C }>;
  };
}

/** Any operation, whatever it needs of the sessions. */
export type AnyOperation = Operation<never>;

type ErrorOf<M> = M extends (...args: never[]) => infer R
  ? R extends PromiseLike<Result<unknown, infer E>> | AsyncIterable<Result<unknown, infer E>>
    ? E
    : never
  : never;

type TypeOf<E> = E extends { readonly type: infer T } ? T : never;

/**
 * The errors of an operation. They are held to those of the method of the service that it calls: a list that has one too
 * few or one too many does not compile.
 *
 *     errors: errorsOf<SessionService['get']>()(['invalid_input', 'not_found', 'store_unavailable', 'corrupt_record'])
 */
export const errorsOf =
  <M, More extends OperationError = never>() =>
  <const C extends readonly (TypeOf<ErrorOf<M>> | More)[]>(
    codes: C &
      ([TypeOf<ErrorOf<M>> | More] extends [C[number]]
        ? unknown
        : { readonly missing: Exclude<TypeOf<ErrorOf<M>> | More, C[number]> }),
  ): C =>
    codes;

/** Holds a definition to its types. */
export const operation = <S, T, const C extends OperationError>(definition: Operation<S, T, C>): Operation<S, T, C> =>
  definition;

const ID = '{session_id}';

export const hasId = ({ path }: Pick<Operation, 'path'>): boolean => path.includes(ID);

/** The path of an operation for one session. */
export const pathFor = ({ path }: Pick<Operation, 'path'>, encodedId = ''): string => path.replace(ID, () => encodedId);

/** What a client sends with an operation: its name on the wire, by the name that the service has for it. */
export const wireNamesOf = ({ path, query = {}, headers = {}, body }: AnyOperation): ReadonlyMap<string, string> =>
  new Map([
    ...(hasId({ path }) ? [['id', 'session_id'] as const] : []),
    ...[query, body?.fields ?? {}].flatMap(Object.keys).map((name) => [name, wireName(name)] as const),
    ...Object.entries(headers).map(([name, header]) => [name, header.wireName] as const),
  ]);
