import { err } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import type { Reservation } from './answer-budget.js';
import type { Answer, Call } from './call.js';

/** The answer to who has to wait until clients have taken earlier answers. */
export const noRoom = err(storeUnavailable('too many large answers are pending', 'not_applied'));

/** Reads something that may be large: within the handler's budget, until the client has taken the answer. */
export const withinBudget = async (
  { request, settings, tenant }: Omit<Call, 'route'>,
  read: (reservation: Reservation) => Answer,
): Answer => {
  if (settings.budget.isSpent(tenant)) return noRoom;
  const reservation = settings.budget.reserve(tenant);
  const answer = await read(reservation);
  if (answer.isOk() && answer.value.body !== undefined && request.onClose !== undefined) {
    request.onClose(reservation.release);
  } else reservation.release();
  return answer;
};
