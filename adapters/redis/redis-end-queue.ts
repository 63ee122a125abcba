import { err, ok, type Result } from 'neverthrow';
import type { EndedRecord } from '../../src/session/ended-session.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueEnd, DueEnds, EndQueue, UnreportedEnd } from '../../src/store/end-queue.js';
import { unescapeName } from '../shared/escape-name.js';
import { labelsOf } from '../shared/label-texts.js';
import { finite } from '../shared/never.js';
import { decodeState } from '../shared/stored-json.js';
import type { Call } from './connection.js';
import type { Deployment } from './deployment.js';
import { type Answer, outcomeOf, toStoreError, unreadable } from './failure.js';
import { endMember, type Keyspace, type SessionKeys } from './keyspace.js';
import { type DueMember, type DueSets, readDue } from './read-due.js';
import { decodeRecord } from './record.js';
import { rescheduleScript } from './scripts/reschedule-script.js';
import { settleScript } from './scripts/settle-script.js';

/** Maximum number of sessions that one command reads: each may have a record of 100 KiB. */
const READ_AT_ONCE = 64;

/** An end in the queue, and the keys of its session. */
interface QueuedEnd extends DueEnd {
  readonly session: SessionKeys;
}

/**
 * Parses the remains of a removed session: the times of the removal and of the last activity, the labels, and in the
 * next line the state.
 */
const decodeRemains = (text: string): EndedRecord | undefined => {
  const [, removedAt, lastActivity, labels = '', json] = /^(\d+) (\d+) (.*)\n(.*)$/.exec(text) ?? [];
  const state = decodeState(json, Number(lastActivity), labels === '' ? undefined : labelsOf(labels.split(' ')));
  return state && { state, removedAt: Number(removedAt) };
};

/**
 * The data for a report: the record of a session, or its remains. Undefined if there is neither, or if the session has
 * not ended, because a torn log may leave an end without the change that made it.
 */
const endedIn = (
  { id, endId, session }: QueuedEnd,
  record: string | null | undefined,
  remains: string | null | undefined,
): Result<EndedRecord | undefined, StoreError> => {
  const found = typeof record === 'string' ? decodeRecord(id, record) : undefined;
  if (found?.incarnation === endId) {
    const { state } = found;
    return ok(state.status === 'TERMINATED' ? { state } : undefined);
  }
  if (typeof remains === 'string') {
    const ended = decodeRemains(remains);
    return ended === undefined ? err(unreadable(session)) : ok(ended);
  }
  const isDamaged = typeof record === 'string' && found === undefined;
  return isDamaged ? err(unreadable(session)) : ok(undefined);
};

/** The ends of a Redis store that must be reported: a sorted set for each tenant. */
export class RedisEndQueue implements EndQueue {
  readonly #deployment: Deployment;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  async due(now: number, limit: number, after?: string): Answer<DueEnds> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const { call, keys } = opened.value;
    const sets: DueSets = {
      tenantsOf: (partition) => keys.reportingOf(partition),
      membersOf: (tenant) => keys.tenant(tenant).ends,
    };
    const { members, failed, ...part } = await readDue(call, keys, sets, now, limit, after);
    const queued = members.map((member) => this.#queued(keys, member));
    const read = await Promise.all(this.#groups(queued).map((group) => this.#read(call, group)));
    return ok({
      ...part,
      ends: read.flatMap((group) => group.unwrapOr([])).sort((a, b) => a.dueAt - b.dueAt),
      failed: [...failed, ...read.flatMap((group) => (group.isErr() ? [group.error] : []))],
    });
  }

  async postpone({ dueAt, ...end }: DueEnd, to: number): Answer<'moved' | 'stale'> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const session = opened.value.keys.of(end);
    const { ends, reporting, writes, owner, member } = session;
    const args = [endMember(member, end.endId), owner, String(dueAt), String(finite(to))];
    const reply = await opened.value.call.writeScript(rescheduleScript, writes, [ends, reporting], args);
    return outcomeOf(session, reply, ['moved', 'stale']);
  }

  async settle(end: DueEnd): Answer<'settled' | 'stale'> {
    const opened = await this.#deployment.begin();
    if (opened.isErr()) return err(opened.error);
    const session = opened.value.keys.of(end);
    const { record, remains, ends, reporting, deadlines, tenants, writes, member, owner } = session;
    const keys = [record, remains + end.endId, ends, reporting, deadlines, tenants];
    const args = [member, owner, end.endId, String(end.dueAt)];
    const reply = await opened.value.call.writeScript(settleScript, writes, keys, args);
    return outcomeOf(session, reply, ['settled', 'stale']);
  }

  #queued(keys: Keyspace, { tenant, member, dueAt }: DueMember): QueuedEnd {
    const colon = member.indexOf(':');
    const key = { tenant, id: unescapeName(member.slice(0, colon)) };
    return { ...key, endId: member.slice(colon + 1), dueAt, session: keys.of(key) };
  }

  /** Groups of ends that one command can read: of one tenant, and at most `READ_AT_ONCE`. */
  #groups(queued: readonly QueuedEnd[]): readonly (readonly QueuedEnd[])[] {
    const groups = new Map<string, QueuedEnd[][]>();
    for (const end of queued) {
      const ofTenant = groups.get(end.tenant) ?? [[]];
      groups.set(end.tenant, ofTenant);
      const last = ofTenant.at(-1);
      if (last === undefined || last.length === READ_AT_ONCE) ofTenant.push([end]);
      else last.push(end);
    }
    return [...groups.values()].flat();
  }

  async #read(call: Call, group: readonly QueuedEnd[]): Answer<readonly UnreportedEnd[]> {
    const names = group.flatMap(({ session: { record, remains }, endId }) => [record, remains + endId]);
    const texts = await call.readCommand((client) => client.mget(...names));
    if (texts.isErr()) return err(toStoreError(group[0] ?? { tenant: '', id: '' })(texts.error));
    const read = group.map(async (end, at) => {
      const { tenant, id, endId, dueAt } = end;
      const found = endedIn(end, texts.value[2 * at], texts.value[2 * at + 1]);
      const isNothing = found.isOk() && found.value === undefined;
      return { tenant, id, endId, dueAt, ended: isNothing ? await this.#nothing(call, end) : found };
    });
    return ok(await Promise.all(read));
  }

  /** Confirms that there is nothing to report. MGET returns nil for a key of a wrong type, as for a missing key. */
  async #nothing(call: Call, { endId, session }: QueuedEnd): Promise<UnreportedEnd['ended']> {
    for (const name of [session.record, session.remains + endId]) {
      const text = await call.readCommand((client) => client.get(name));
      if (text.isErr()) return err(toStoreError(session)(text.error));
    }
    return ok(undefined);
  }
}
