import { isDeepStrictEqual } from 'node:util';
import { type Command, type Model, step } from './model.js';

/** A call as its caller saw it: between `began` and `ended` on one scale that all callers share. */
export interface Call {
  readonly command: Command;
  readonly answer: unknown;
  readonly began: number;
  readonly ended: number;
}

// Sessions of one millisecond are listed by their ids, which the model does not know.
const comparable = (command: Command, answer: unknown): unknown =>
  command.type === 'list' && Array.isArray(answer)
    ? answer.map((view: object) => JSON.stringify(Object.entries(view).sort())).sort()
    : answer;

/**
 * Whether the calls could have happened one after another, each at some instant between its beginning and its end,
 * with these answers (Herlihy and Wing, "Linearizability", 1990).
 */
export const isLinear = (model: Model, calls: readonly Call[]): boolean => {
  if (calls.length === 0) return true;
  const firstEnd = Math.min(...calls.map(({ ended }) => ended));
  return calls.some((call) => {
    if (call.began > firstEnd) return false;
    const [next, expected] = step(model, call.command);
    if (!isDeepStrictEqual(comparable(call.command, call.answer), comparable(call.command, expected))) return false;
    return isLinear(
      next,
      calls.filter((other) => other !== call),
    );
  });
};
