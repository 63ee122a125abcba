import type { SessionLabels } from '../../src/session/session.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import { NEVER } from '../../src/store/never.js';
import type { Rescheduling } from '../../src/store/session-store.js';
import { type Call, type Reply, script } from './connection.js';
import { labelKey, labelKeys, type SessionKeys, type TenantKeys } from './keyspace.js';
import { field, labelsLineOf, readHead, statusLetter } from './record-text.js';

/*
 * The entries of sessions in indexes: lists, lists by status, and deadlines. They are added before a record is written,
 * checked by the script that writes it (`record-writer.ts`), and removed afterwards.
 *
 * Each script here writes at most once, and only what is true of the session at the time of the script: any other write
 * may come before or after.
 */

/**
 * Makes the entry of a session in an index match its record; or lists a session that is about to be added, unless there
 * already is one.
 *
 * KEYS  record, an index
 * ARGV  member, the letter of the status that the session must have or '' for any, the creation time of a session that
 *       is about to be added or ''
 * Returns 1 if the entry was missing or different.
 */
const listScript = script(`${readHead}
local created = tonumber(ARGV[3])
if created and isAlive then return 0 end
if not created then
  if not isAlive or head == '' or (ARGV[2] ~= '' and ${field('head', 'status')} ~= ARGV[2]) then return 0 end
  created = tonumber(${field('head', 'created')})
end
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') == created then return 0 end
redis.call('ZADD', KEYS[2], string.format('%.0f', created), ARGV[1])
return 1
`);

/**
 * Removes a session from an index that it does not belong to.
 *
 * KEYS  record, an index
 * ARGV  member, the letter of the status of the index, or '' for one of any status
 * Returns 1 if the entry existed.
 */
const unlistScript = script(`${readHead}
if isAlive and (ARGV[2] == '' or head == '' or ${field('head', 'status')} == ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
`);

/**
 * Removes a session from the index of a label that it does not have.
 *
 * KEYS  record, an index
 * ARGV  member, the label as it stands in a record
 * Returns 1 if the entry existed.
 */
const unlistLabelScript = script(`${readHead}
if isAlive and head == '' then return 0 end
if isAlive and string.find(${labelsLineOf("redis.call('GET', KEYS[1])")}, ARGV[2], 1, true) then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
`);

/**
 * Notes a time in a sorted set, unless an earlier one is noted.
 *
 * KEYS  the sorted set
 * ARGV  member, time
 * Returns 1 if there was none, or a later one.
 */
export const noteScript = script(`
local noted = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '')
if noted and noted <= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
`);

/**
 * Moves the noted deadline of a session, if it still is the expected one. The deadline of a session that has not ended
 * never becomes later than the deadline in its record, unless the record is damaged.
 *
 * KEYS  record, deadlines
 * ARGV  member, expected time or '' for any, time, '1' if the session is damaged
 * Returns 1 if it was moved; if any was expected, 1 if there was none or a later one.
 */
const rescheduleScript = script(`${readHead}
local noted = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') or ${NEVER}
local expected, time = tonumber(ARGV[2]), tonumber(ARGV[3])
if expected and noted ~= expected then return 0 end
if isAlive and head == '' and ARGV[4] == '' then return 0 end
if isAlive and ARGV[4] == '' and ${field('head', 'status')} ~= '${statusLetter('TERMINATED')}' then
  time = math.min(time, tonumber(${field('head', 'deadline')}))
end
if noted == time then return 0 end
if time == ${NEVER} then redis.call('ZREM', KEYS[2], ARGV[1])
else redis.call('ZADD', KEYS[2], string.format('%.0f', time), ARGV[1]) end
return (expected or noted > time) and 1 or 0
`);

/**
 * Sets the noted time of a tenant to the earliest of its deadlines.
 *
 * KEYS  deadlines, tenants
 * ARGV  owner
 */
const rescheduleTenantScript = script(`
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return redis.call('ZREM', KEYS[2], ARGV[1]) end
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') == tonumber(first[2]) then return 0 end
return redis.call('ZADD', KEYS[2], first[2], ARGV[1])
`);

/**
 * Deletes the remains of a removed session: its journal and the names of its appends. A journal without a record is a
 * session that cannot be read, and stays.
 *
 * KEYS  record, journal, names
 * Returns the number of deleted keys.
 */
const dropScript = script(`${readHead}
if isAlive or (head == '' and redis.call('EXISTS', KEYS[2]) == 1) then return 0 end
return redis.call('DEL', KEYS[2], KEYS[3])
`);

/**
 * Defines `isNoted(key, name)`: whether it has an entry there that is no later than the deadline in ARGV[3], if there
 * is one.
 */
export const isNoted = `
local function isNoted(key, name)
  local score = ARGV[3] ~= '' and tonumber(redis.call('ZSCORE', key, name) or '')
  return ARGV[3] == '' or (score and score <= tonumber(ARGV[3]))
end`;

/** The entries that a script which writes a record needs to find. */
interface Needs {
  /** Deadlines, tenants, and the indexes that must contain the session. */
  readonly keys: readonly string[];
  /** Member, owner, and the deadline or ''. */
  readonly args: readonly string[];
  /** Adds the entries. The first time it only adds those that are probably missing. */
  readonly add: (isFirst: boolean) => readonly Reply[];
}

/**
 * The entries that a state needs; with a creation time and labels, those of a session that is about to be added. The deadline is
 * noted at the earliest time at which the clock may end the session, in this state or a later one: a time limit cannot
 * run out before it would if the session were ACTIVE from now on. So the deadline of a session that becomes ACTIVE was
 * noted before.
 */
export const needsOf = (
  call: Call,
  session: SessionKeys,
  state: StateRecord,
  createdMs?: number,
  labels?: SessionLabels,
): Needs => {
  const { record, journal, names, index, byStatus, deadlines, tenants, member, owner } = session;
  const isNew = createdMs !== undefined;
  const lists = [isNew ? index : undefined, byStatus[state.status], ...labelKeys(session, labels)].filter(
    (list) => list !== undefined,
  );
  const until = isNew ? Math.min(state.deadline, state.since + state.limitMs) : state.deadline;
  const deadline = until === Number.POSITIVE_INFINITY ? '' : String(until);
  const isLikelyNoted = !isNew && state.status === 'ACTIVE';
  const note = (key: string, name: string): Reply => call.writeScript(noteScript, [key], [name, deadline]);
  const enlist = (list: string, isFirst: boolean): Reply => {
    const created = String(createdMs ?? '');
    // An existing session is in the list and stays unchanged; only the script corrects other entries.
    if (list === index && isFirst) return call.writeCommand((client) => client.zadd(list, 'NX', created, member));
    return call.writeScript(listScript, [record, list], [member, '', created]);
  };
  return {
    keys: [deadlines, tenants, ...lists],
    args: [member, owner, deadline],
    add: (isFirst) => [
      ...(isFirst ? [] : [call.writeScript(dropScript, [record, journal, names], [])]),
      ...lists.map((list) => enlist(list, isFirst)),
      ...(deadline === '' || (isFirst && isLikelyNoted) ? [] : [note(deadlines, member)]),
      ...(deadline === '' || isFirst ? [] : [note(tenants, owner)]),
    ],
  };
};

/** The number of entries that a script has changed: 0 if the script failed. */
export const counted = async (reply: Reply): Promise<number> => Number((await reply).unwrapOr(0));

/**
 * Removes a session from an index; from the index of a status only if it has another status. Returns the number of
 * entries.
 */
export const unlist = (
  call: Call,
  { record, member }: Pick<SessionKeys, 'record' | 'member'>,
  list: string | undefined,
  status?: SessionStatus,
): Promise<number> => {
  if (list === undefined) return Promise.resolve(0);
  return counted(
    call.writeScript(unlistScript, [record, list], [member, status === undefined ? '' : statusLetter(status)]),
  );
};

/** Removes a session from the indexes of these labels, except of those that it has. Returns the number of entries. */
export const unlistLabels = async (
  call: Call,
  session: SessionKeys,
  labels: SessionLabels | undefined,
): Promise<number> => {
  const { record, member } = session;
  const counts = await Promise.all(
    Object.entries(labels ?? {}).map(([name, value]) =>
      unlistLabel(call, { record, member }, labelKey(session, name, value), name, value),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Removes a session from the index of a label, unless it has the label. Returns the number of entries. */
export const unlistLabel = (
  call: Call,
  { record, member }: Pick<SessionKeys, 'record' | 'member'>,
  index: string,
  name: string,
  value: string,
): Promise<number> =>
  counted(
    call.writeScript(unlistLabelScript, [record, index], [member, `${JSON.stringify(name)}:${JSON.stringify(value)}`]),
  );

/**
 * Moves the noted deadline from a given time, or from any, to another. By default it sets the deadline to that of the
 * record for a session that has not ended, and removes it for one that has ended.
 */
export const reschedule = (
  call: Call,
  { record, deadlines, member }: SessionKeys,
  { from, to = Number.POSITIVE_INFINITY, isDamaged = false }: Partial<Rescheduling> = {},
): Reply =>
  call.writeScript(
    rescheduleScript,
    [record, deadlines],
    [member, String(from ?? ''), String(Math.min(to, NEVER)), isDamaged ? '1' : ''],
  );

/** Sets the noted time of a tenant to the earliest of its deadlines. */
export const rescheduleTenant = (call: Call, { deadlines, tenants, owner }: TenantKeys): Reply =>
  call.writeScript(rescheduleTenantScript, [deadlines, tenants], [owner]);

/** Removes all entries and remains of a session that does not exist. Returns the number. */
export const clear = async (call: Call, session: SessionKeys, labels?: SessionLabels): Promise<number> => {
  const { record, journal, names, index, byStatus, deadlines } = session;
  const counts = await Promise.all([
    counted(call.writeScript(dropScript, [record, journal, names], [])),
    unlistLabels(call, session, labels),
    ...[index, deadlines, ...Object.values(byStatus)].map((list) => unlist(call, session, list)),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Makes all entries of a session match its record. Returns how many were missing or in the wrong place. */
export const mend = async (
  call: Call,
  session: SessionKeys,
  { status, deadline }: StateRecord,
  labels: SessionLabels | undefined,
): Promise<{ listed: number; rescheduled: number }> => {
  const { record, index, byStatus, deadlines, member } = session;
  // An end that was noted earlier has not been reported.
  const noteRetention = async (): Promise<number> =>
    deadline === Number.POSITIVE_INFINITY
      ? 0
      : counted(call.writeScript(noteScript, [deadlines], [member, String(deadline)]));
  const letter = statusLetter(status);
  const lists = [index, byStatus[status], ...labelKeys(session, labels)].filter((list) => list !== undefined);
  const [rescheduled, ...listed] = await Promise.all([
    status === 'TERMINATED' ? noteRetention() : counted(reschedule(call, session)),
    ...lists.map((list) =>
      counted(call.writeScript(listScript, [record, list], [member, list === byStatus[status] ? letter : '', ''])),
    ),
  ]);
  if (rescheduled > 0) await rescheduleTenant(call, session);
  return { listed: Math.max(...listed), rescheduled };
};
