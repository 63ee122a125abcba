import { isDeepStrictEqual } from 'node:util';
import { type Command, emptyModel, type Model, step } from './model.js';

/** A call as its caller saw it: between `began` and `ended` on one scale that all callers share. */
export interface Call {
  readonly command: Command;
  readonly began: number;
  /**
   * Absent if its caller died or was told `unknown`: it was applied at any time after `began`, or
   * never.
   */
  readonly answered?: {
    readonly answer: unknown;
    readonly ended: number;
    /**
     * The position that an append was given. Appends were applied in the order of their positions.
     */
    readonly position?: number | undefined;
  };
}

interface Answered extends Call {
  readonly answered: NonNullable<Call['answered']>;
  /** The index of the append before this one. */
  readonly previous: number | undefined;
}

/** The calls with an answer, in the order in which they began. */
const answeredOf = (calls: readonly Call[]): readonly Answered[] => {
  const all = calls.flatMap((call) =>
    call.answered === undefined ? [] : [{ ...call, answered: call.answered }],
  );
  all.sort((a, b) => a.began - b.began);
  const placed = [...all.entries()].filter(([, { answered }]) => answered.position !== undefined);
  placed.sort(([, a], [, b]) => (a.answered.position ?? 0) - (b.answered.position ?? 0));
  const previous = new Map(placed.map(([at], place) => [at, placed[place - 1]?.[0]]));
  return all.map((call, at) => ({ ...call, previous: previous.get(at) }));
};

/**
 * How long a session was ACTIVE depends on when its calls were applied, which is what is asked
 * here. A revision is random, and metadata are not asked for.
 */
const withoutTimes = (answer: unknown): unknown => {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { duration: _, durationMs: __, revision: ___, metadata: ____, ...rest } = Object(answer);
  return rest;
};

/** The calls that have been put in order, and what they make of the session. */
interface Order {
  readonly model: Model;
  /** All answered calls before this one are in it. */
  readonly first: number;
  /** Answered calls after that which are in it too. */
  readonly ahead: readonly number[];
  /** Those of the unanswered that are in it. */
  readonly applied: readonly number[];
}

const keys = new WeakMap<Model, string>();

const keyOf = (model: Model): string => {
  const known = keys.get(model);
  if (known !== undefined) return known;
  const sessions = [...model.sessions].map(([key, { names, order: _, ...session }]) => [
    key,
    session,
    [...names].sort(),
  ]);
  const made = JSON.stringify(sessions);
  keys.set(model, made);
  return made;
};

const taken = (order: Order, at: number): Order => {
  const ahead = [...order.ahead, at].sort((a, b) => a - b);
  let { first } = order;
  while (ahead[0] === first) {
    ahead.shift();
    first += 1;
  }
  return { ...order, first, ahead };
};

/** The orders that go one call further. */
const furtherThan = (
  order: Order,
  answered: readonly Answered[],
  unanswered: readonly Call[],
): readonly Order[] => {
  const further: Order[] = [];
  let firstEnd = Number.POSITIVE_INFINITY;
  for (let at = order.first; at < answered.length; at += 1) {
    const call = answered[at];
    if (call === undefined || call.began > firstEnd) break;
    if (order.ahead.includes(at)) continue;
    firstEnd = Math.min(firstEnd, call.answered.ended);
    const { previous } = call;
    if (previous !== undefined && previous >= order.first && !order.ahead.includes(previous))
      continue;
    const [model, expected] = step(order.model, call.command);
    if (!isDeepStrictEqual(withoutTimes(call.answered.answer), withoutTimes(expected))) continue;
    further.push({ ...taken(order, at), model });
  }
  for (const [at, { began, command }] of unanswered.entries()) {
    if (began > firstEnd || order.applied.includes(at)) continue;
    const [model] = step(order.model, command);
    if (model !== order.model)
      further.push({ ...order, model, applied: [...order.applied, at].sort((a, b) => a - b) });
  }
  return further;
};

/**
 * Whether the calls on one session could have happened one after another, each at some instant
 * between its beginning and its end, with these answers (Herlihy and Wing, "Linearizability",
 * 1990). Orders that lead to the same are tried once (Lowe, "Testing for linearizability", 2017).
 */
export const isLinear = (calls: readonly Call[], before: Model = emptyModel): boolean => {
  const answered = answeredOf(calls);
  const unanswered = calls.filter(
    (call) => call.answered === undefined && call.command.type !== 'get',
  );
  const tried = new Set<string>();
  const orders: Order[] = [{ model: before, first: 0, ahead: [], applied: [] }];
  for (let order = orders.pop(); order !== undefined; order = orders.pop()) {
    if (order.first === answered.length) return true;
    const key = `${order.first} ${order.ahead} ${order.applied} ${keyOf(order.model)}`;
    if (tried.has(key)) continue;
    tried.add(key);
    // The last is tried first: those with an answer, in the order in which they began.
    orders.push(...furtherThan(order, answered, unanswered).toReversed());
  }
  return false;
};

/**
 * The calls on each session, by its key. Sessions are judged one by one: calls on several objects
 * are linear if those on each are.
 */
export const bySession = (calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> => {
  const sessions = new Map<string, Call[]>();
  for (const call of calls) {
    if (!('key' in call.command)) throw new Error(`${call.command.type} is of no session`);
    const { key } = call.command;
    sessions.set(key, [...(sessions.get(key) ?? []), call]);
  }
  return sessions;
};
