import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/session/errors.js';
import { atEndOfTurn } from '../lanes/end-of-turn.js';
import { Lane } from '../lanes/lane.js';
import { lengthOf } from '../stored/json.js';
import type { Call, Connection, Reply, Script } from './connection.js';
import { Deadlines } from './deadlines.js';
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

/** A mutation that waits for its outcome. */
interface Pending {
  readonly mutation: Mutation;
  /** The deadline of its call, by `performance.now()`. */
  readonly end: number;
  /** When it ends without its group. */
  due: number;
  isSent: boolean;
  readonly settle: (outcome: Outcome) => void;
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
type Send = (group: readonly Pending[], end: number) => Reply<string>;

const settleAll = (group: readonly Pending[], outcome: Outcome): void => {
  for (const each of group) each.settle(outcome);
};

/** Makes mutations in one group, or each alone if the server refuses the group. */
const make = async (group: readonly Pending[], end: number, send: Send): Promise<void> => {
  const reply = await send(group, end);
  if (reply.isErr() && group.length > 1 && isRefusal(reply.error)) {
    await Promise.all(group.map((each) => make([each], end, send)));
  } else if (reply.isErr()) {
    settleAll(group, err(reply.error));
  } else if (reply.value === UNKNOWN) {
    settleAll(group, err(forgotten));
  } else {
    const lines = reply.value.split('\n');
    for (const [at, each] of group.entries()) each.settle(outcomeIn(lines[at]));
  }
};

/** Marks mutations as sent, and returns the deadline that they share. */
const leave = (group: readonly Pending[]): number => {
  const end = Math.max(...group.map((each) => each.end));
  for (const each of group) {
    each.isSent = true;
    each.due = end - each.end > TOLERANCE_MS ? each.end : Number.POSITIVE_INFINITY;
  }
  return end;
};

/** The keys or arguments of a group, after those that its mutations share. */
const joined = (
  shared: string,
  group: readonly Pending[],
  of: 'keys' | 'args',
): readonly string[] => {
  const all = [shared];
  for (const { mutation } of group) for (const each of mutation[of]) all.push(each);
  return all;
};

/**
 * Sends mutations to the server. Those of a partition that arrive together travel together, and
 * each has an outcome and a deadline of its own.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #lanes = new Map<Script, Map<string, Lane<Pending, unknown>>>();
  readonly #waiting = new Deadlines<Pending>(({ isSent, settle }) =>
    settle(err(timedOut(isSent ? 'unknown' : 'not_applied'))),
  );

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Makes a mutation within the time of a call. `kept` is the number of events that a stream keeps,
   * '' without.
   */
  run({ end }: Call, keys: TenantKeys, mutation: Mutation, kept: string): Promise<Outcome> {
    const place = { tenant: keys.tenantKey, bytes: lengthOf(mutation.args) };
    const lane = this.#laneOf(keys, mutation.script, kept);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        this.#waiting.delete(pending);
        resolve(outcome);
      };
      const pending: Pending = { mutation, end, due: end, isSent: false, settle };
      this.#waiting.add(pending);
      void lane.run(pending, place);
    });
  }

  #laneOf(keys: TenantKeys, script: Script, kept: string): Lane<Pending, unknown> {
    const lanes = this.#lanes.get(script) ?? new Map<string, Lane<Pending, unknown>>();
    this.#lanes.set(script, lanes);
    const { partition, writes, events } = keys;
    const known = lanes.get(partition);
    if (known !== undefined) return known;
    const send: Send = (group, end) => {
      const [all, args] = [joined(events, group, 'keys'), joined(kept, group, 'args')];
      return this.#connection.until(end).write(script, writes, all, args);
    };
    const lane = new Lane<Pending, unknown>({
      ...GROUP,
      make: (calls) => this.#makeAll(calls, send),
    });
    lanes.set(partition, lane);
    return lane;
  }

  /** Settles calls that still wait, so that none is left without an outcome. */
  async #makeAll(calls: readonly Pending[], send: Send): Promise<readonly unknown[]> {
    const waiting = calls.filter((each) => this.#waiting.has(each));
    try {
      if (waiting.length > 0) await make(waiting, leave(waiting), send);
    } catch (cause) {
      settleAll(waiting, err(failureOf(cause)));
    }
    return calls;
  }
}
