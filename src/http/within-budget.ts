import { err } from 'neverthrow';
import { storeUnavailable } from '../session/errors.js';
import type { Answer, Call } from './route.js';
import type { Reservation } from './tenant-budget.js';

/** The answer while too many large answers are pending. */
export const noRoom = err(storeUnavailable('too many large answers are pending', 'not_applied'));

/**
 * Runs a read that may be large within the handler's budget. The room is reserved until the client has received the
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
      request.onClose(reservation.release);
      isPending = true;
    }
    return answer;
  } finally {
    if (!isPending) reservation.release();
  }
};
