import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import type { DueSession } from '../../src/store.js';
import type { Connection } from './connection.js';
import type { DeadlineIndex } from './deadline-index.js';
import type { RedisEventLog } from './event-log.js';
import type { Failure } from './failure.js';
import type { Keyspace } from './keys.js';
import { dueSessions } from './replies.js';
import { decodeState, isGone } from './state-text.js';

/** What the deadlines of one partition say, beside what the sessions themselves say. */
interface Checked {
  readonly due: readonly DueSession[];
  /** Entries that stay where they are: to be passed over when more are asked for. */
  readonly kept: number;
}

/**
 * Reads whose deadline has passed. What is noted may be too early, since a deadline is noted before the session has it
 * and taken away after: the session's own state decides, and what is noted is mended.
 */
export class DueReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #deadlines: DeadlineIndex;
  readonly #events: RedisEventLog | undefined;

  constructor(connection: Connection, keys: Keyspace, deadlines: DeadlineIndex, events: RedisEventLog | undefined) {
    this.#connection = connection;
    this.#keys = keys;
    this.#deadlines = deadlines;
    this.#events = events;
  }

  async read(now: number, limit: number): Promise<Result<readonly DueSession[], StoreUnavailable>> {
    const end = this.#connection.endOfCall();
    const partitions = Array.from({ length: this.#keys.partitions }, (_, partition) => partition);
    const found: DueSession[] = [];
    for (const part of await Promise.all(partitions.map((partition) => this.#readOf(partition, now, limit, end)))) {
      if (part.isErr()) return err(part.error);
      found.push(...part.value);
    }
    return ok(found.sort((a, b) => a.deadline - b.deadline).slice(0, limit));
  }

  async #readOf(
    partition: number,
    now: number,
    limit: number,
    end: number,
  ): Promise<Result<readonly DueSession[], StoreUnavailable>> {
    const deadlines = this.#keys.deadlines(partition);
    const found: DueSession[] = [];
    for (let offset = 0; ; ) {
      const entries = await this.#connection.read(
        (client) => client.zrangebyscore(deadlines, '-inf', now, 'WITHSCORES', 'LIMIT', offset, limit),
        end,
      );
      if (entries.isErr()) return err(entries.error.error);
      const noted = dueSessions(entries.value);
      const checked = await this.#check(noted, now, end);
      if (checked.isErr()) return err(checked.error);
      found.push(...checked.value.due);
      offset += checked.value.kept;
      if (noted.length < limit || found.length >= limit) return ok(found);
    }
  }

  async #check(noted: readonly DueSession[], now: number, end: number): Promise<Result<Checked, StoreUnavailable>> {
    if (noted.length === 0) return ok({ due: [], kept: 0 });
    const states = await this.#connection.read(
      (client) => client.mget(...noted.map((session) => this.#keys.of(session).state)),
      end,
    );
    if (states.isErr()) return err(states.error.error);
    const due: DueSession[] = [];
    let kept = 0;
    const mending: Promise<Result<unknown, Failure>>[] = [];
    for (const [at, session] of noted.entries()) {
      const text = states.value[at] ?? undefined;
      const state = text === undefined ? undefined : decodeState(text);
      if (state !== undefined && state.deadline <= now) due.push({ ...session, deadline: state.deadline });
      else if (state === undefined && text !== undefined && !isGone(text)) kept += 1;
      else mending.push(this.#mend(session, end, state?.status === 'TERMINATED'));
    }
    for (const mended of await Promise.all(mending)) {
      if (mended.isErr()) return err(mended.error.error);
      if (mended.value !== 1) kept += 1;
    }
    return ok({ due, kept: kept + due.length });
  }

  /** Gives 1 where the entry is another now. Of an end that has left its entry behind may not have been told. */
  async #mend(session: DueSession, end: number, hasEnded: boolean): Promise<Result<unknown, Failure>> {
    if (hasEnded) await this.#events?.repeat(session);
    return this.#deadlines.reschedule(this.#keys.of(session), end);
  }
}
