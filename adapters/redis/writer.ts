import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/session/errors.js';
import { atEndOfTurn } from '../lanes/end-of-turn.js';
import { Lane } from '../lanes/lane.js';
import { lengthOf } from '../stored/json.js';
import type { Call, Connection, Reply, Script } from './connection.js';
import { type Failure, failureOf, outcomeOfFailure, timedOut, unknownReply } from './failure.js';
import type { TenantKeys } from './keyspace.js';
import type { Mutation } from './write-scripts.js';

/** With one large group, client and server would wait for each other. */
const GROUP = { calls: 16, groups: 8, bytes: 256 * 1024, soon: atEndOfTurn };

/**
 * A call may exceed its own deadline by this many milliseconds to share the deadline of its group.
 */
const TOLERANCE_MS = 50;

type Outcome = Result<string, Failure>;

interface Pending {
  readonly mutation: Mutation;
  readonly end: number;
  readonly timer: NodeJS.Timeout;
  state: 'waiting' | 'sent' | 'settled';
  readonly settle: (outcome: Outcome) => void;
}

/** The reply if a crash has lost the outcomes of a group that began. */
const UNKNOWN = 'unknown';

const forgotten: Failure = {
  code: '',
  error: storeUnavailable('Redis has lost the outcome in a crash', 'unknown'),
  isTransient: false,
};

const REFUSED = 'refused ';

const outcomeIn = (line: string | undefined): Outcome => {
  if (line === undefined) return err(unknownReply);
  return line.startsWith(REFUSED)
    ? err(failureOf(new Error(line.slice(REFUSED.length))))
    : ok(line);
};

/**
 * A server without memory, for example, refuses a group permanently, but may accept its mutations
 * one by one.
 */
const isRefusal = (failure: Failure): boolean =>
  failure.code !== '' && !failure.isTransient && outcomeOfFailure(failure) === 'not_applied';

type Send = (group: readonly Pending[], end: number) => Reply<string>;

const settleAll = (group: readonly Pending[], outcome: Outcome): void => {
  for (const each of group) each.settle(outcome);
};

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

const leave = (group: readonly Pending[]): number => {
  const end = Math.max(...group.map((each) => each.end));
  for (const each of group) {
    each.state = 'sent';
    if (end - each.end <= TOLERANCE_MS) clearTimeout(each.timer);
  }
  return end;
};

const joined = (
  shared: string,
  group: readonly Pending[],
  of: 'keys' | 'args',
): readonly string[] => [shared, ...group.flatMap(({ mutation }) => mutation[of])];

/**
 * Groups the mutations of a partition that arrive together. Each has its own outcome and deadline.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #lanes = new Map<string, Lane<Pending, unknown>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `kept`: the number of events that a stream keeps, '' without events. */
  run({ end }: Call, keys: TenantKeys, mutation: Mutation, kept: string): Promise<Outcome> {
    const place = { tenant: keys.tenantKey, bytes: lengthOf(mutation.args) };
    const lane = this.#laneOf(keys, mutation.script, kept);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        pending.state = 'settled';
        clearTimeout(pending.timer);
        resolve(outcome);
      };
      const expire = (): void =>
        settle(err(timedOut(pending.state === 'sent' ? 'unknown' : 'not_applied')));
      const timer = setTimeout(expire, end - performance.now());
      const pending: Pending = { mutation, end, timer, state: 'waiting', settle };
      void lane.run(pending, place);
    });
  }

  #laneOf(keys: TenantKeys, script: Script, kept: string): Lane<Pending, unknown> {
    const { partition, writes, events } = keys;
    const name = script.sha1 + partition;
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const send: Send = (group, end) => {
      const [all, args] = [joined(events, group, 'keys'), joined(kept, group, 'args')];
      return this.#connection.until(end).write(script, writes, all, args);
    };
    const lane = new Lane<Pending, unknown>({
      ...GROUP,
      make: (calls) => this.#makeAll(calls, send),
    });
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Settles calls that still wait, so that none stays without an outcome. */
  async #makeAll(calls: readonly Pending[], send: Send): Promise<readonly unknown[]> {
    const waiting = calls.filter(({ state }) => state === 'waiting');
    try {
      if (waiting.length > 0) await make(waiting, leave(waiting), send);
    } catch (cause) {
      settleAll(waiting, err(failureOf(cause)));
    }
    return calls;
  }
}
