import { inLaterTurn } from '../session/in-later-turn.js';

/** How many operations and items of watches complete before the next turn is noted. */
const MARK_AFTER = 32;

/** How many complete in one turn before the others wait for the next. */
const PER_TURN = 64;

/**
 * At least this fraction of the waiting callers continues in each turn. The others check again in
 * the next turn, and with many callers, checking would otherwise take most of the time.
 */
const LEAST_PART = 1 / 8;

/** The turn of the event loop, as far as it is noted, and what has completed in it. */
let turn = 0;
let completed = 0;

/** Number of tickets of waiting callers, and of tickets that may continue. */
let given = 0;
let admitted = 0;

/** Notes a new turn, unless something else that was scheduled in the turn `since` has noted it. */
const begin = (since: number): void => {
  if (since !== turn) return;
  turn += 1;
  completed = 0;
  const next = Math.max(PER_TURN, Math.ceil((given - admitted) * LEAST_PART));
  admitted = Math.min(given, admitted + next);
};

const noteNextTurn = (): void => {
  const since = turn;
  inLaterTurn(() => begin(since));
};

const wait = (ticket: number, goOn: () => void): void => {
  const since = turn;
  inLaterTurn(() => {
    begin(since);
    if (ticket < admitted) goOn();
    else wait(ticket, goOn);
  });
};

/**
 * To be called when an operation completes or a watch has an item. If the store answers
 * immediately, callers that continue immediately would starve timers and sockets. So only some
 * continue in each turn: for the others it returns a promise of a later turn, to be awaited, and
 * they keep their order. It counts and reads no time, so that a program under test does the same in
 * each run. Callers share no promises: requests in Workers must not wait for each other.
 */
export const yieldToEventLoop = (): Promise<void> | undefined => {
  completed += 1;
  if (completed === MARK_AFTER) noteNextTurn();
  if (completed < PER_TURN && admitted === given) return undefined;
  const ticket = given;
  given += 1;
  return new Promise((resolve) => wait(ticket, resolve));
};
