import { err, ok } from 'neverthrow';
import type { Operation, Output } from '../endpoints/endpoint.js';
import { REPLAYED_HEADER } from '../endpoints/headers.js';
import { sent } from '../schema/wire.js';
import { misconfigured } from '../session/errors.js';
import { isFields } from '../session/fields.js';
import { answerOf } from './answer-of.js';
import { inputReader } from './input-reader.js';
import { commonHeaders, jsonResponse } from './problem.js';
import { requiringMethod } from './requiring-method.js';
import type { Answer, Call } from './route.js';
import type { HandlerResponse } from './session-handler.js';
import { noRoom, withinPendingBytes } from './within-pending-bytes.js';

const bareHeaders = Object.freeze({ 'Cache-Control': commonHeaders['Cache-Control'] });

export const replayedHeaders = (result: unknown): HandlerResponse['headers'] => {
  const isRepeated = isFields(result) && result['repeated'] === true;
  return { ...(isRepeated && { [REPLAYED_HEADER]: 'true' }) };
};

export const responseOf = ({ status, body, headers }: Output, value: unknown): HandlerResponse => {
  if (body === undefined) return { status, headers: bareHeaders };
  const more = headers?.includes(REPLAYED_HEADER) ? replayedHeaders(value) : {};
  return jsonResponse(status, more, sent(body, value));
};

export const answerFromService = <S>(operation: Operation<S>): ((call: Call<S>) => Answer) => {
  const { calls, output, method, path } = operation;
  if (calls === undefined)
    return async () => err(misconfigured(`sessions must have a method for ${path}`));
  const parseInput = inputReader(operation);
  return requiringMethod(calls.method, async (call) => {
    const input = await parseInput(call);
    if (input.isErr()) return err(input.error);
    const answer = async (): Answer => {
      const result = await answerOf(call, calls.call(call.sessions, input.value));
      return result.map((value) => responseOf(output, value));
    };
    if (method !== 'GET' && !output.isCounted) return answer();
    return withinPendingBytes(call, async (reservation) => {
      const answered = await answer();
      return answered.andThen((response) => {
        // Report what the write did, even if too many bytes are pending.
        if (output.isCounted) return ok(response);
        return reservation.admit(response.body?.length ?? 0) ? ok(response) : noRoom;
      });
    });
  });
};
