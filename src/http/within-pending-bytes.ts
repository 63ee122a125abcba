import { err, type Result, ResultAsync } from 'neverthrow';
import { type SessionError, type StoreUnavailable, storeUnavailable } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import { answerOf } from './answer-of.js';
import type { Answer, Call } from './route.js';
import type { HandlerResponse } from './session-handler.js';
import type { Reservation } from './tenant-quota.js';

export const noRoom = err(storeUnavailable('too many large answers are pending', 'not_applied'));

const MAX_BYTES_OF_UNIT = 3;

/**
 * Reads an answer of unknown size: first with a small maximum, and if it is larger, again once its
 * bytes are reserved.
 */
const readSized = async <T, E extends SessionError>(
  reservation: Reservation,
  read: (maxBytes: number) => ResultAsync<T, E>,
): Promise<Result<T, E | StoreUnavailable>> => {
  let maxBytes = reservation.first();
  for (let reads = 1; reads <= MAX_RACES; reads += 1) {
    const answer = await read(maxBytes);
    if (answer.isOk()) return answer;
    const error: SessionError = answer.error;
    // A different limit is the limit of the service.
    if (error.type !== 'page_too_large' || error.limit !== maxBytes) return answer;
    if (!reservation.admit(error.bytes)) return noRoom;
    maxBytes = error.bytes;
  }
  return noRoom;
};

/**
 * Runs a read within the handler's maximum of pending bytes. Its bytes stay reserved until the
 * client has received the answer.
 */
export const withinPendingBytes = async <S>(
  { request, handler: { pendingBytes }, tenant }: Call<S>,
  read: (reservation: Reservation) => Answer,
): Answer => {
  if (pendingBytes.isSpent(tenant)) return noRoom;
  const reservation = pendingBytes.reserve(tenant);
  let isPending = false;
  try {
    const answer = await read(reservation);
    if (answer.isOk() && answer.value.body !== undefined && request.onClose !== undefined) {
      const { length } = answer.value.body;
      reservation.settle(length, length * MAX_BYTES_OF_UNIT);
      request.onClose(reservation.release);
      isPending = true;
    }
    return answer;
  } finally {
    if (!isPending) reservation.release();
  }
};

/**
 * Answers with a read of unknown size within the handler's maximum of pending bytes. A large answer
 * waits for its turn to be written.
 */
export const answerWithin = <S, T, E extends SessionError>(
  call: Call<S>,
  read: (maxBytes: number) => ResultAsync<T, E>,
  write: (value: T) => HandlerResponse,
): Answer =>
  withinPendingBytes(call, async (reservation) => {
    const found = await answerOf(call, new ResultAsync(readSized(reservation, read)));
    if (found.isOk()) await reservation.waitToWrite();
    return found.map(write);
  });
