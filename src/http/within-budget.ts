import { err } from 'neverthrow';
import { storeUnavailable } from '../session/errors.js';
import type { Answer, Call } from './route.js';
import type { Reservation } from './tenant-budget.js';

/** The error while the pending answers use up the budget. */
export const noRoom = err(storeUnavailable('too many large answers are pending', 'not_applied'));

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
      request.onClose(reservation.release);
      isPending = true;
    }
    return answer;
  } finally {
    if (!isPending) reservation.release();
  }
};
