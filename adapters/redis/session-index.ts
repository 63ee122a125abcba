import type { StateRecord } from '../../src/session/record.js';
import { type SessionStatus, sessionStatuses } from '../../src/status.js';
import type { SessionKey } from '../../src/store.js';
import type { Call, Reply } from './connection.js';
import {
  dropScript,
  listScript,
  noteScript,
  relistScript,
  rescheduleScript,
  rescheduleTenantScript,
  unlistScript,
} from './index-scripts.js';
import type { Keyspace } from './keys.js';
import { statusLetter } from './record-text.js';

/** What a script that writes a record needs to find beside it. */
export interface Needs {
  /** The keys and arguments with which the script checks it. */
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** Sends what adds it. The first time that is only what is likely to be missing. */
  readonly add: (attempt: number) => readonly Reply[];
}

const earliest = (...times: readonly number[]): string => {
  const time = Math.min(...times);
  return time === Number.POSITIVE_INFINITY ? '' : String(time);
};

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

  /**
   * Before a session is added. Its deadline is noted at the earliest time at which the clock may end it, in this state or
   * a later one: a time limit cannot run out before it would if the session were ACTIVE from now on.
   */
  beforeInsert(call: Call, key: SessionKey, state: StateRecord, createdMs: number): Needs {
    const { record, journal, names, index, deadlines, tenants, member, owner } = this.#keys.of(key);
    const deadline = earliest(state.deadline, state.since + state.limitMs);
    const lists = [index, ...this.#listOf(key, state.status)];
    return {
      keys: [deadlines, tenants, ...lists],
      args: [member, owner, deadline],
      add: (attempt) => [
        ...(attempt > 1 ? [call.write(dropScript, [record, journal, names], [])] : []),
        ...lists.map((list) => call.write(listScript, [record, list], [member, String(createdMs)])),
        ...(deadline === '' ? [] : [call.write(noteScript, [deadlines], [member, deadline])]),
        ...(deadline === '' || attempt === 1 ? [] : [call.write(noteScript, [tenants], [owner, deadline])]),
      ],
    };
  }

  /** Before a state is replaced. The deadline of an ACTIVE session was noted when the session was added, or before. */
  beforeReplace(call: Call, key: SessionKey, { status, deadline: until }: StateRecord): Needs {
    const { record, deadlines, tenants, member, owner } = this.#keys.of(key);
    const deadline = earliest(until);
    const isNoted = (attempt: number): boolean => deadline === '' || (status === 'ACTIVE' && attempt === 1);
    return {
      keys: [deadlines, tenants, ...this.#listOf(key, status)],
      args: [member, owner, deadline],
      add: (attempt) => [
        ...this.#listOf(key, status).map((list) => call.write(relistScript, [record, list], [member, ''])),
        ...(isNoted(attempt) ? [] : [call.write(noteScript, [deadlines], [member, deadline])]),
        ...(deadline === '' || attempt === 1 ? [] : [call.write(noteScript, [tenants], [owner, deadline])]),
      ],
    };
  }

  /** Takes a session out of the index of a status that it has not. */
  async dropStatus(call: Call, key: SessionKey, status: SessionStatus): Promise<number> {
    const { record, member } = this.#keys.of(key);
    const drops = this.#listOf(key, status).map((list) =>
      counted(call.write(unlistScript, [record, list], [member, statusLetter(status)])),
    );
    return sum(drops);
  }

  /** Makes the noted deadline what the record says. Gives 1 where there was none, or a later one. */
  reschedule(call: Call, key: SessionKey): Reply {
    const { record, deadlines, member } = this.#keys.of(key);
    return call.write(rescheduleScript, [record, deadlines], [member]);
  }

  /** Makes the noted time of a tenant the earliest of its deadlines. */
  rescheduleTenant(call: Call, tenant: string): Reply {
    const { deadlines, tenants, owner } = this.#keys.tenant(tenant);
    return call.write(rescheduleTenantScript, [deadlines, tenants], [owner]);
  }

  /** Takes away all that stands beside a session that is not there. Gives how much there was. */
  async clear(call: Call, key: SessionKey): Promise<number> {
    const { record, journal, names, index, deadlines, member } = this.#keys.of(key);
    return sum([
      counted(call.write(dropScript, [record, journal, names], [])),
      ...[index, deadlines].map((list) => counted(call.write(unlistScript, [record, list], [member, '']))),
      ...sessionStatuses.map((status) => this.dropStatus(call, key, status)),
    ]);
  }

  /** Makes all entries of a session what its record says. Gives how many were missing or at another place. */
  async mend(call: Call, key: SessionKey, status: SessionStatus): Promise<{ listed: number; rescheduled: number }> {
    const { record, index, member } = this.#keys.of(key);
    const [rescheduled, ...relisted] = await Promise.all([
      counted(this.reschedule(call, key)),
      counted(call.write(relistScript, [record, index], [member, ''])),
      ...this.#listOf(key, status).map((list) =>
        counted(call.write(relistScript, [record, list], [member, statusLetter(status)])),
      ),
    ]);
    if (rescheduled > 0) await this.rescheduleTenant(call, key.tenant);
    return { listed: Math.max(...relisted), rescheduled };
  }

  #listOf({ tenant }: SessionKey, status: SessionStatus): readonly string[] {
    return this.hasStatuses ? [this.#keys.status(tenant, status)] : [];
  }
}

/** How many a script has changed: none where it was refused. */
const counted = async (reply: Reply): Promise<number> => Number((await reply).unwrapOr(0));

const sum = async (counts: readonly Promise<number>[]): Promise<number> =>
  (await Promise.all(counts)).reduce((total, count) => total + count, 0);
