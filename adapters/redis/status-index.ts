import { ok, Result } from 'neverthrow';
import { type SessionStatus, sessionStatuses } from '../../src/status.js';
import type { SessionKey } from '../../src/store.js';
import type { Connection } from './connection.js';
import type { Failure } from './failure.js';
import { enterScript, leaveScript } from './index-scripts.js';
import type { Keyspace } from './keys.js';

/**
 * A tenant's sessions by their status. A session is entered before it has the status and taken out after it has another,
 * so that none is missing; who finds one that has another status takes it out.
 */
export class StatusIndex {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  /** Whether the host wants it: it costs up to four small scripts a change. */
  readonly isOn: boolean;

  constructor(connection: Connection, keys: Keyspace, isOn: boolean) {
    this.#connection = connection;
    this.#keys = keys;
    this.isOn = isOn;
  }

  async enter(key: SessionKey, status: SessionStatus, end?: number): Promise<Result<unknown, Failure>> {
    if (!this.isOn) return ok(0);
    const { index, member } = this.#keys.of(key);
    return this.#connection.write(enterScript, [index, this.#keys.status(key.tenant, status)], [member], end);
  }

  /** Takes a session out wherever it has another status; gives from how many it was taken. */
  async leave(
    key: SessionKey,
    from: readonly SessionStatus[] = sessionStatuses,
    end?: number,
  ): Promise<Result<number, Failure>> {
    if (!this.isOn) return ok(0);
    const { state, member } = this.#keys.of(key);
    const left = await Promise.all(
      from.map((status) =>
        this.#connection.write(leaveScript, [state, this.#keys.status(key.tenant, status)], [member, status], end),
      ),
    );
    return Result.combine(left).map((counts) => counts.map(Number).reduce((sum, count) => sum + count, 0));
  }

  /** Takes a session out of the lists of all other statuses. */
  leaveOthers(key: SessionKey, status: SessionStatus, end: number): Promise<Result<number, Failure>> {
    return this.leave(key, this.isOn ? sessionStatuses.filter((other) => other !== status) : [], end);
  }
}
