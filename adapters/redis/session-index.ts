import type { Result } from 'neverthrow';
import type { StateRecord } from '../../src/session/record.js';
import { type SessionStatus, sessionStatuses } from '../../src/status.js';
import type { SessionKey } from '../../src/store.js';
import type { Call } from './connection.js';
import type { Failure } from './failure.js';
import { listScript, noteScript, relistScript, rescheduleScript, unlistScript } from './index-scripts.js';
import type { Keyspace, SessionKeys } from './keys.js';
import { statusLetter } from './record-text.js';

/** The state that a session is about to have, and when it was created if that is known. */
export interface Entry {
  readonly state: StateRecord;
  readonly createdMs: number;
}

const finite = (time: number): number | undefined => (time === Number.POSITIVE_INFINITY ? undefined : time);

/**
 * The earliest time at which the clock may end a session, in this state or in a later one: a time limit cannot run out
 * before it would if the session were ACTIVE from now on.
 */
const earliestDeadline = ({ deadline, since, limitMs }: StateRecord): number | undefined =>
  finite(Math.min(deadline, since + limitMs));

/**
 * The entries of sessions in indexes: lists, lists by status, and deadlines. They are added before a record is written,
 * checked by the script that writes it, and taken away after. What stands there too much is passed over by whoever
 * reads; what is missing is never written beside, for the script then answers `unlisted`.
 */
export class SessionIndex {
  readonly #keys: Keyspace;
  /** Whether sessions are listed by their status. */
  readonly hasStatuses: boolean;

  constructor(keys: Keyspace, hasStatuses: boolean) {
    this.#keys = keys;
    this.hasStatuses = hasStatuses;
  }

  /** The deadline that must be noted before a new session is written, as scripts take it. */
  noteOfNew(state: StateRecord): string {
    return String(earliestDeadline(state) ?? '');
  }

  /** The same before a state is replaced. */
  noteOfNext(state: StateRecord): string {
    return String(finite(state.deadline) ?? '');
  }

  /** The index of the status that must know of the session, as scripts take it. */
  statusKeys({ tenant }: SessionKey, status: SessionStatus): readonly string[] {
    return this.hasStatuses ? [this.#keys.status(tenant, status)] : [];
  }

  /** Before a session is added. Sent in one flight with what adds it. */
  addNew(call: Call, key: SessionKey, { state, createdMs }: Entry): void {
    const keys = this.#keys.of(key);
    const entry = [keys.member, String(createdMs)];
    void call.write(listScript, [keys.record, keys.index], entry);
    for (const index of this.statusKeys(key, state.status)) {
      void call.write(listScript, [keys.record, index], entry);
    }
    const deadline = earliestDeadline(state);
    if (deadline !== undefined) this.#note(call, keys, deadline);
  }

  /**
   * Before a state is replaced. The deadline of an ACTIVE session was noted when it was created, at the earliest time it
   * can have: it is added only where the script finds it missing.
   */
  addNext(call: Call, key: SessionKey, state: StateRecord): void {
    const keys = this.#keys.of(key);
    for (const index of this.statusKeys(key, state.status)) {
      void call.write(relistScript, [keys.record, index], [keys.member, '']);
    }
    const deadline = finite(state.deadline);
    if (deadline !== undefined && state.status !== 'ACTIVE') this.#note(call, keys, deadline);
  }

  /** The same where an entry was missing, though it was added: also the deadline, and the tenant's. */
  addMissingNext(call: Call, key: SessionKey, state: StateRecord): void {
    const keys = this.#keys.of(key);
    this.addNext(call, key, state);
    const deadline = finite(state.deadline);
    if (deadline === undefined) return;
    this.#note(call, keys, deadline);
    this.#noteTenant(call, keys, deadline);
  }

  /** Where a new session's entries were missing though they were added: also the tenant's. */
  addMissing(call: Call, key: SessionKey, entry: Entry): void {
    this.addNew(call, key, entry);
    const deadline = earliestDeadline(entry.state);
    if (deadline !== undefined) this.#noteTenant(call, this.#keys.of(key), deadline);
  }

  /** After a state was replaced: takes the session out of the index of the status before. */
  async dropStatus(call: Call, key: SessionKey, status: SessionStatus): Promise<number> {
    if (!this.hasStatuses) return 0;
    const { record, member } = this.#keys.of(key);
    const index = this.#keys.status(key.tenant, status);
    return counted(await call.write(unlistScript, [record, index], [member, statusLetter(status)]));
  }

  /** After a session has no deadline any more. Gives 1 where another was noted. */
  async reschedule(call: Call, key: SessionKey): Promise<number> {
    const { record, deadlines, member } = this.#keys.of(key);
    return counted(await call.write(rescheduleScript, [record, deadlines], [member]));
  }

  /** After a session was removed, or where it is not there: takes away all its entries. Gives how many there were. */
  async dropAll(call: Call, key: SessionKey): Promise<number> {
    const { record, index, member } = this.#keys.of(key);
    const dropped = await Promise.all([
      call.write(unlistScript, [record, index], [member, '']).then(counted),
      this.reschedule(call, key),
      ...sessionStatuses.map((status) => this.dropStatus(call, key, status)),
    ]);
    return dropped.reduce((sum, count) => sum + count, 0);
  }

  /** Makes all entries of a session what its record says. Gives how many were missing or at another place. */
  async mend(call: Call, key: SessionKey, status: SessionStatus): Promise<{ listed: number; rescheduled: number }> {
    const { record, index, member } = this.#keys.of(key);
    const relisted = await Promise.all([
      call.write(relistScript, [record, index], [member, '']).then(counted),
      ...this.statusKeys(key, status).map((byStatus) =>
        call.write(relistScript, [record, byStatus], [member, statusLetter(status)]).then(counted),
      ),
    ]);
    return { listed: Math.max(...relisted), rescheduled: await this.reschedule(call, key) };
  }

  #note(call: Call, { deadlines, member }: SessionKeys, deadline: number): void {
    void call.write(noteScript, [deadlines], [member, String(deadline)]);
  }

  #noteTenant(call: Call, { tenants, owner }: SessionKeys, deadline: number): void {
    void call.write(noteScript, [tenants], [owner, String(deadline)]);
  }
}

const counted = (reply: Result<unknown, Failure>): number => Number(reply.unwrapOr(0));
