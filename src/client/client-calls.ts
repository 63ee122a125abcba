import { errAsync, ResultAsync } from 'neverthrow';
import type { Endpoint, OperationError } from '../endpoints/endpoint.js';
import { REPLAYED_HEADER } from '../endpoints/headers.js';
import { received } from '../schema/wire.js';
import type { HistoryPart } from '../service/operation-results.js';
import type {
  RemoteClaims,
  RemoteGetOrCreateResult,
  RemoteSession,
} from '../service/remote-results.js';
import type { InvalidInput } from '../session/errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { Fence } from '../session/with-lease.js';
import type { RequestError } from './client-error.js';
import { type CallArguments, parseRequest } from './client-request.js';
import { Exchange } from './exchange.js';
import type { Reply } from './read-reply.js';
import type { ClientSettings } from './session-client-options.js';

/** A result as the schemas of the service make it, which the client does not check. */
type TypedResult<V, T extends SessionSchemas> = V extends RemoteGetOrCreateResult
  ? RemoteGetOrCreateResult<T>
  : V extends RemoteSession
    ? RemoteSession<T>
    : V extends RemoteClaims
      ? RemoteClaims<T>
      : V extends HistoryPart
        ? HistoryPart<T>
        : V;

export class ClientCalls<out T extends SessionSchemas> {
  readonly #settings: ClientSettings;
  readonly #fence: Fence | undefined;

  constructor(settings: ClientSettings, fence?: Fence) {
    this.#settings = settings;
    this.#fence = fence;
  }

  /**
   * Calls an operation that returns a body. A write may repeat an earlier request with the same
   * key.
   */
  request<V extends object, C extends OperationError>(
    operation: Endpoint<V, C>,
    given: CallArguments,
  ): ResultAsync<TypedResult<V, T>, RequestError<C> | InvalidInput>;
  request<V extends object, C extends OperationError>(
    operation: Endpoint<V, C>,
    given: CallArguments,
  ): ResultAsync<V, RequestError<C> | InvalidInput> {
    const { body: answer } = operation.output;
    return this.call(operation, given, ({ body, headers }): V | undefined => {
      const value = answer && received(answer, body);
      const isRepeated = headers.get(REPLAYED_HEADER) === 'true';
      return value && isRepeated ? { ...value, repeated: true } : value;
    });
  }

  send<C extends OperationError>(operation: Endpoint<unknown, C>, given: CallArguments) {
    const read = ({ status }: Reply): true | undefined => status === 204 || undefined;
    return this.call(operation, given, read).map(() => undefined);
  }

  call<V, C extends OperationError>(
    operation: Endpoint<unknown, C>,
    given: CallArguments,
    read: (reply: Reply) => V | undefined,
  ): ResultAsync<V, RequestError<C> | InvalidInput> {
    const request = parseRequest(operation, { ...given, fence: this.#fence });
    if (request.isErr()) return errAsync(request.error);
    return new ResultAsync(new Exchange(this.#settings, request.value).send(read));
  }
}
