import type { Subject } from '../harness/index.js';

/** Number of callers that wait at the same time, and of turns that a worker runs. */
export const CALLERS = 32;

/** Number of conversations, so that none becomes long and few messages meet in one. */
export const TALKS = 200;

export const SAID_BY_USER = 'I build bridges, mostly of wood. Which one should I draw first?';
export const ANSWER = 'The oldest one: it has taught you most of what the others needed.';

/** A way to have messages answered. */
export interface Answering {
  /** Each call gives the answer. */
  readonly subjects: readonly Subject[];
  readonly close: () => Promise<unknown>;
}

/** Another message of another conversation in each call. */
export const nextOf = () => {
  let number = 0;
  return () => {
    number += 1;
    return { talk: `talk-${number % TALKS}`, message: `message-${number}` };
  };
};
