import { ok, type Result } from 'neverthrow';
import type { StateRecord } from '../../src/session/record.js';
import type { Connection } from './connection.js';
import type { Failure } from './failure.js';
import { rescheduleScript, scheduleScript } from './index-scripts.js';
import type { SessionKeys } from './keys.js';
import { NEVER } from './state-text.js';

/** A deadline as the scripts take it; empty for none. */
export const deadlineText = ({ deadline }: StateRecord): string =>
  deadline === Number.POSITIVE_INFINITY ? '' : String(deadline);

/**
 * When which session is to be looked at. A deadline is noted before a session has it and taken away after, so that none
 * is missing; one that is noted too early does no harm.
 */
export class DeadlineIndex {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Notes the deadline of a state that the session is about to have. */
  async schedule({ deadlines, due }: SessionKeys, state: StateRecord, end: number): Promise<Result<unknown, Failure>> {
    const deadline = deadlineText(state);
    return deadline === '' ? ok(0) : this.#connection.write(scheduleScript, [deadlines], [due, deadline], end);
  }

  /** Notes the deadline that the session has; gives 1 where another was noted. */
  reschedule({ state, deadlines, due }: SessionKeys, end?: number): Promise<Result<unknown, Failure>> {
    return this.#connection.write(rescheduleScript, [state, deadlines], [due, String(NEVER)], end);
  }
}
