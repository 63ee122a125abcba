import { err, type Result, type ResultAsync } from 'neverthrow';
import { type SessionError, storeUnavailable } from '../session/errors.js';
import { answerOf } from './answer-of.js';
import type { HandlerError } from './handler-error.js';
import type { Answer, Call } from './route.js';
import type { Reservation } from './tenant-budget.js';

/** The error while the pending answers use up the budget. */
export const noRoom = err(storeUnavailable('too many large answers are pending', 'not_applied'));

/** Maximum bytes in UTF-8 of a UTF-16 code unit. */
const MAX_BYTES_OF_UNIT = 3;

/** Maximum number of reads for an answer, whose size may grow between them. */
const MAX_READS = 10;

/**
 * Reads an answer of unknown size: first with a small maximum, and if it is larger, again when its bytes are reserved.
 * An error of a read within a maximum that is not the reserved one is that of the service.
 */
export const readWithin = async <T, E extends SessionError>(
  call: Pick<Call<unknown>, 'handler' | 'operation'>,
  reservation: Reservation,
  read: (maxBytes: number) => ResultAsync<T, E>,
): Promise<Result<T, HandlerError>> => {
  let maxBytes = reservation.first();
  for (let reads = 1; reads <= MAX_READS; reads += 1) {
    const answer = await answerOf(call, read(maxBytes));
    if (answer.isOk() || answer.error.type !== 'page_too_large' || answer.error.limit !== maxBytes) return answer;
    const { bytes } = answer.error;
    if (!reservation.raiseTo(bytes)) return noRoom;
    maxBytes = bytes;
  }
  return noRoom;
};

/**
 * Runs a read within the handler's budget of pending bytes. Its bytes stay reserved until the client has received the
 * answer.
 */
export const withinBudget = async <S>(
  { request, handler: { budget }, tenant }: Call<S>,
  read: (reservation: Reservation) => Answer,
): Answer => {
  if (budget.isSpent(tenant)) return noRoom;
  const reservation = budget.reserve(tenant);
  let isPending = false;
  try {
    const answer = await read(reservation);
    if (answer.isOk() && answer.value.body !== undefined && request.onClose !== undefined) {
      reservation.lowerTo(answer.value.body.length * MAX_BYTES_OF_UNIT);
      request.onClose(reservation.release);
      isPending = true;
    }
    return answer;
  } finally {
    if (!isPending) reservation.release();
  }
};
