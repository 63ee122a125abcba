import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/session/errors.js';
import { atEndOfTurn } from '../shared/end-of-turn.js';
import { Lane } from '../shared/lane.js';
import { lengthOf } from '../shared/stored-json.js';
import type { Call, Connection, Reply, Script } from './connection.js';
import { type Failure, failureOf, outcomeOfFailure, timedOut, unknownReply } from './failure.js';
import type { TenantKeys } from './keyspace.js';
import type { Mutation } from './write-scripts.js';

/**
 * How the mutations of a partition travel. In one large group, client and server would wait for
 * each other.
 */
const GROUP = { calls: 16, groups: 8, bytes: 256 * 1024, soon: atEndOfTurn };

/**
 * How much later than its own deadline a call may end, in milliseconds, to share that of its group.
 */
const TOLERANCE_MS = 50;

/** The outcome of a mutation as the script says it. */
type Outcome = Result<string, Failure>;

/** A mutation with the deadline of its call. */
class Pending {
  readonly mutation: Mutation;
  readonly end: number;
  readonly outcome: Promise<Outcome>;
  /** Whether the call has its outcome. */
  isOver = false;
  #settle: (outcome: Outcome) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(mutation: Mutation, end: number) {
    this.mutation = mutation;
    this.end = end;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#timer = this.#endWith('not_applied');
  }

  settle(outcome: Outcome): void {
    clearTimeout(this.#timer);
    this.isOver = true;
    this.#settle(outcome);
  }

  /** Its group is under way, until `end`. */
  leave(end: number): void {
    clearTimeout(this.#timer);
    this.#timer = end - this.end > TOLERANCE_MS ? this.#endWith('unknown') : undefined;
  }

  #endWith(outcome: 'not_applied' | 'unknown'): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (timer === this.#timer) this.settle(err(timedOut(outcome)));
    }, this.end - performance.now());
    return timer;
  }
}

/** The reply to a group whose note a crash has left without its outcomes. */
const UNKNOWN = 'unknown';

const forgotten: Failure = {
  code: '',
  error: storeUnavailable('Redis has lost the outcome in a crash', 'unknown'),
  isTransient: false,
};

const REFUSED = 'refused ';

/** The outcome in a line of the reply. */
const outcomeIn = (line: string | undefined): Outcome => {
  if (line === undefined) return err(unknownReply);
  return line.startsWith(REFUSED)
    ? err(failureOf(new Error(line.slice(REFUSED.length))))
    : ok(line);
};

/**
 * Whether the server refused a whole group for good, such as for want of memory, which a single one
 * may not need.
 */
const isRefusal = (failure: Failure): boolean =>
  failure.code !== '' && !failure.isTransient && outcomeOfFailure(failure) === 'not_applied';

/** Sends the script with a group of mutations. */
type Send = (mutations: readonly Mutation[], end: number) => Reply<string>;

/** Makes mutations in one group, or each alone if the server refuses the group. */
const make = async (
  mutations: readonly Mutation[],
  end: number,
  send: Send,
): Promise<readonly Outcome[]> => {
  const reply = await send(mutations, end);
  if (reply.isErr() && mutations.length > 1 && isRefusal(reply.error)) {
    const alone = await Promise.all(mutations.map((each) => make([each], end, send)));
    return alone.flat();
  }
  if (reply.isErr()) return mutations.map(() => err(reply.error));
  if (reply.value === UNKNOWN) return mutations.map(() => err(forgotten));
  const lines = reply.value.split('\n');
  return mutations.map((_, at) => outcomeIn(lines[at]));
};

/** Makes the mutations of calls that are not over. */
const makeAll = async (calls: readonly Pending[], send: Send): Promise<readonly Outcome[]> => {
  const waiting = calls.filter(({ isOver }) => !isOver);
  const end = Math.max(...waiting.map((each) => each.end));
  for (const each of waiting) each.leave(end);
  const mutations = waiting.map(({ mutation }) => mutation);
  const made = waiting.length === 0 ? [] : await make(mutations, end, send);
  const outcomes = new Map(waiting.map((each, at) => [each, made[at]]));
  return calls.map((each) => outcomes.get(each) ?? err(timedOut('not_applied')));
};

/**
 * Sends mutations to the server. Those of a partition that arrive together travel together, and
 * each has an outcome and a deadline of its own.
 */
export class Writer {
  readonly #connection: Connection;
  /** By the partition and the script. */
  readonly #lanes = new Map<string, Lane<Pending, Outcome>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Makes a mutation within the time of a call. `kept` is the number of events that a stream keeps,
   * '' without.
   */
  run({ end }: Call, keys: TenantKeys, mutation: Mutation, kept: string): Promise<Outcome> {
    const pending = new Pending(mutation, end);
    const place = { tenant: keys.tenantKey, bytes: lengthOf(mutation.args) };
    const outcome = this.#laneOf(keys, mutation.script, kept).run(pending, place);
    outcome.then(
      (made) => pending.settle(made),
      (cause: unknown) => pending.settle(err(failureOf(cause))),
    );
    return pending.outcome;
  }

  #laneOf(
    { partition, writes, events }: TenantKeys,
    script: Script,
    kept: string,
  ): Lane<Pending, Outcome> {
    const name = partition + script.sha1;
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const send: Send = (mutations, end) => {
      const keys = [events, ...mutations.flatMap((mutation) => mutation.keys)];
      const args = [kept, ...mutations.flatMap((mutation) => mutation.args)];
      return this.#connection.until(end).write(script, writes, keys, args);
    };
    const lane = new Lane<Pending, Outcome>({ ...GROUP, make: (calls) => makeAll(calls, send) });
    this.#lanes.set(name, lane);
    return lane;
  }
}
