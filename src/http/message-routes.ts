import { err, ok, type Result } from 'neverthrow';
import { given } from '../endpoints/endpoint.js';
import {
  servedAnswer,
  servedInbox,
  servedSend,
  servedWithdraw,
} from '../endpoints/message-endpoints.js';
import { servedGetOrCreate } from '../endpoints/session-endpoints.js';
import type { TenantMessages } from '../endpoints/tenant-sessions.js';
import { MAX_WAIT_MS } from '../input/message-input.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema } from '../schema/schema.js';
import { whole } from '../schema/values.js';
import { type InvalidInput, invalidField } from '../session/errors.js';
import { responseOf } from './answer-from-service.js';
import { answerOf } from './answer-of.js';
import { refusal } from './handler-error.js';
import { inputReader, numberIn, queryParser } from './input-reader.js';
import { requiringMethod } from './requiring-method.js';
import type { Answer, Call, HandlerContext, RouteGroup } from './route.js';
import { checkPerTenant, perTenantOf, TenantQuota } from './tenant-quota.js';
import { noRoom, withinPendingBytes } from './within-pending-bytes.js';

/**
 * Options of `messageRoutes`.
 *
 * @example
 * ```ts
 * const routes = messageRoutes({ maxWaiting: 5000, maxWaitingPerTenant: 500 });
 * ```
 */
export interface MessageRoutesOptions {
  /** Maximum number of requests that wait for an answer, from 1; above it, 503. Default: 10,000. */
  readonly maxWaiting?: number | undefined;
  /**
   * Maximum number of requests per tenant that wait for an answer, 1 to `maxWaiting`. Default:
   * 1,000, or `maxWaiting` if that is less.
   */
  readonly maxWaitingPerTenant?: number | undefined;
}

const read = optionsOf(
  'messageRoutes',
  {
    maxWaiting: optional(whole(1), 10_000),
    maxWaitingPerTenant: optional(whole(1)),
  } satisfies Readonly<Record<keyof MessageRoutesOptions, Schema<unknown>>>,
  (issues, { maxWaiting, maxWaitingPerTenant }) =>
    checkPerTenant(issues, 'maxWaiting', maxWaiting, maxWaitingPerTenant),
);

/** `create` needs the routes that create a session under a given id. */
const parseCreate = ({ routes }: HandlerContext, value: unknown): Result<boolean, InvalidInput> => {
  if (value === undefined || value === null || value === false) return ok(false);
  if (value !== true) return err(invalidField('create', 'must be true or false'));
  const isServed = routes.some(({ operation }) => operation.name === servedGetOrCreate.name);
  return isServed ? ok(true) : err(invalidField('create', 'is not allowed by this host'));
};

const readSend = inputReader(servedSend);

const answerSend = async (call: Call<TenantMessages>): Answer => {
  const { sessions, id, handler } = call;
  const input = await readSend(call);
  if (input.isErr()) return err(input.error);
  const { create, ...message } = input.value.body;
  const creates = parseCreate(handler, create);
  if (creates.isErr()) return err(creates.error);
  const options = creates.value ? { create: true } : {};
  const answered = await answerOf(call, sessions.send(id, given(message), options));
  return answered.map((value) => responseOf(servedSend.output, value));
};

const parseAnswerQuery = queryParser(servedAnswer);

const waitFor = async (call: Call<TenantMessages>, messageId: unknown, timeoutMs: number) => {
  const { request, sessions, id, handler } = call;
  const gone = new AbortController();
  const end = () => gone.abort();
  handler.streams.add(end);
  request.onClose?.(end);
  try {
    const answer = sessions.answer(id, messageId, { timeoutMs, signal: gone.signal });
    const patient = { ...handler, timeoutMs: handler.timeoutMs + timeoutMs };
    return await answerOf({ ...call, handler: patient }, answer);
  } finally {
    handler.streams.remove(end);
  }
};

/** Reserves bytes only for the response, not for the wait. */
const answerWhenReady =
  (waiting: TenantQuota) =>
  async (call: Call<TenantMessages>): Answer => {
    const query = parseAnswerQuery(call);
    if (query.isErr()) return err(query.error);
    const place = waiting.reserve(call.tenant);
    if (!place.admit(1)) return err(refusal('too_many_streams'));
    const { messageId } = query.value;
    const timeoutMs = numberIn(query.value, 'timeoutMs') ?? MAX_WAIT_MS;
    const waited = waitFor(call, messageId, Math.min(timeoutMs, MAX_WAIT_MS));
    const answered = await waited.finally(place.release);
    if (answered.isErr()) return err(answered.error);
    const response = responseOf(servedAnswer.output, answered.value);
    return withinPendingBytes(call, async (reservation) =>
      reservation.admit(response.body?.length ?? 0) ? ok(response) : noRoom,
    );
  };

/**
 * Routes for the user of a chat: `POST /send-message/{session_id}`, `GET
 * /session/{session_id}/inbox`, `GET /session/{session_id}/answer` and `POST
 * /withdraw-messages/{session_id}`. With `commandRoutes()`, a message can also create its session.
 * Throws a `TypeError` that names every invalid or unknown option.
 *
 * @example
 * ```ts
 * const authenticate = staticApiKeys([{ key: 'key-1', tenant: 'acme' }]);
 * const handler = createSessionHandler({ sessions, authenticate, routes: [messageRoutes()] });
 * const sent = new Request(`https://api.example/send-message/${id}`, {
 *   method: 'POST',
 *   headers: { 'X-API-KEY': 'key-1', 'Content-Type': 'application/json' },
 *   body: JSON.stringify({ id: 'm-1', content: 'And a tunnel.' }),
 * });
 * console.log((await fetchHandler(handler)(sent)).status); // 200
 * ```
 */
export const messageRoutes = (options: MessageRoutesOptions = {}): RouteGroup<TenantMessages> => {
  const limits = read(options);
  const waiting = new TenantQuota(
    limits.maxWaiting,
    perTenantOf(limits.maxWaiting, limits.maxWaitingPerTenant),
  );
  return [
    { operation: servedSend, answer: requiringMethod('send', answerSend) },
    { operation: servedInbox },
    { operation: servedAnswer, answer: requiringMethod('answer', answerWhenReady(waiting)) },
    { operation: servedWithdraw },
  ];
};
