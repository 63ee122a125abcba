import { err, ok } from 'neverthrow';
import { eventDetailOf } from '../../src/events/event-detail.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { isEndByClock } from '../../src/session/timeline.js';
import { type Call, script } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import { readEnd } from './journal-text.js';
import type { SessionKeys } from './keyspace.js';
import {
  changesOf,
  encodeHead,
  encodeOrigin,
  encodeRevision,
  encodeState,
  FIXED_LENGTH,
  field,
  isFixed,
  newWriteId,
  REMOVED,
  recall,
  statusOfLetter,
} from './record-text.js';
import type { RedisEventLog } from './redis-event-log.js';
import { clear, isNoted, needsOf, reschedule, unlist, unlistLabels } from './session-index.js';

/*
 * A write has three steps: add the index entries that the record needs; run the script that checks them, decides the
 * outcome and writes the record; remove the entries that no longer fit. Nothing after the script changes the outcome,
 * except that it is `unknown` if the event could not be written.
 *
 * Each script writes with one command at most. Several commands would be logged between MULTI and EXEC, and if a crash
 * tears the log there, Redis 7 leaves a MULTI without an end, which swallows all commands logged after it.
 *
 * A client may send a script twice if it got no reply. So every write has an id, which is stored in the data that it
 * writes.
 *
 * A script that writes a record first checks that every index entry of the record exists, and otherwise returns
 * `unlisted` and writes nothing. So no order of arrival leaves a record without its entries. An entry without a record
 * does no harm: readers of an index check the record.
 */

/** Length of the writes that a line takes over from the line before: normally 31 of them. */
const WRITES_LENGTH = 31 * 24;

/**
 * Defines `current`, the record, and whether it `isRecord`; then its state `line`, the `status` and the `birth` in that
 * line, and `kept`, the writes that the next line takes over. A key of a wrong type ends the script, unless `call` is
 * `pcall`.
 */
export const readRecord = (call: 'call' | 'pcall' = 'call'): string => `${recall}
local current = redis.${call}('GET', KEYS[1])
local isRecord = type(current) == 'string' and ${isFixed('current')}
local line = isRecord and string.match(current, '^[^\\n]*') or ''
local status, birth = ${field('line', 'status')}, ${field('line', 'birth')}
local kept = string.match(string.sub(string.match(line, ' ([^ ]*)$') or '', 1, ${WRITES_LENGTH}), '^.*,') or ''`;

/**
 * Adds a session.
 *
 * KEYS  record, journal, names, deadlines, tenants, index, the index of its status if there is one, and those of
 *       its labels
 * ARGV  member, owner, earliest deadline or '', write id, creation time, state line up to the writes, the rest after
 *       the writes
 * Returns {'inserted' or 'taken', birth, creation time}, the same with 'removed' if an earlier arrival added the
 * session and it was removed since, or 'unlisted', also if parts of an earlier session of this id are left. For a
 * session that cannot be read it returns only 'taken'; a journal without a record is such a session.
 */
export const insertScript = script(`${readRecord()}${isNoted}
local created = tonumber(ARGV[5])
if current and not isRecord or (not current and redis.call('EXISTS', KEYS[2]) == 1) then return 'taken' end
if current then
  local isAlive = status ~= '${REMOVED}'
  if birth == ARGV[4] and isAlive then return {'inserted', birth, created} end
  if birth == ARGV[4] or recall(line, ARGV[4]) then return {'removed', ARGV[4], created} end
  if isAlive then return {'taken', birth, tonumber(${field('line', 'created')})} end
  kept = birth .. ':1:-,' .. kept
end
if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return 'unlisted' end
if not (isNoted(KEYS[4], ARGV[1]) and isNoted(KEYS[5], ARGV[2])) then return 'unlisted' end
for at = 6, #KEYS do
  if tonumber(redis.call('ZSCORE', KEYS[at], ARGV[1]) or '') ~= created then return 'unlisted' end
end
redis.call('SET', KEYS[1], ARGV[6] .. kept .. ARGV[7])
return {'inserted', ARGV[4], created}
`);

/**
 * Replaces the state with the expected revision. A state with the same status differs in its hold: that is no change of
 * the session, so its number stays, which is why the base goes up with the revision. If such a write arrives twice, the
 * second is 'stale', and the caller finds its own hold.
 *
 * KEYS  record, journal, deadlines, tenants, and the index of the next status if there is one
 * ARGV  member, owner, deadline or '', write id, expected revision, state line up to the birth, its part from after the
 *       creation time up to the writes
 * Returns {'replaced', birth, the number of this change, the status before}, or 'stale', 'missing', 'unlisted' or
 * 'corrupt'.
 */
export const replaceScript = script(`${readRecord()}${isNoted}
if not current then return 'missing' end
if not isRecord then return 'corrupt' end
local number, before, birthBefore = recall(line, ARGV[4])
if number then return {'replaced', birthBefore, number, before} end
if status == '${REMOVED}' then return 'missing' end
if ${field('line', 'revision')} ~= ARGV[5] then return 'stale' end
if not (isNoted(KEYS[3], ARGV[1]) and isNoted(KEYS[4], ARGV[2])) then return 'unlisted' end
if KEYS[5] and not redis.call('ZSCORE', KEYS[5], ARGV[1]) then return 'unlisted' end${readEnd()}
number = ${changesOf('line')} + appends
if string.sub(ARGV[6], -2, -2) == status then
  local base = string.format('%016.0f', tonumber(${field('line', 'base')}) + 1)
  redis.call('SET', KEYS[1], ARGV[6] .. birth .. ' ' .. base .. string.sub(line, 70, ${FIXED_LENGTH - 1}) .. ARGV[7]
    .. string.match(line, ' ([^ ]*)$') .. string.sub(current, #line + 1))
  return {'replaced', birth, number, status}
end
number = number + 1
redis.call('SET', KEYS[1], ARGV[6] .. string.sub(line, 41, ${FIXED_LENGTH - 1}) .. ARGV[7]
  .. string.format('%s:%.0f:%s,', ARGV[4], number, status) .. kept .. string.sub(current, #line + 1))
return {'replaced', birth, number, status}
`);

export const insertRecord = async (
  call: Call,
  session: SessionKeys,
  events: RedisEventLog,
  head: SessionHead,
  state: StateRecord,
): Answer<'inserted' | 'taken'> => {
  const createdMs = Date.parse(head.createdAt);
  const { keys, args, add } = needsOf(call, session, state, createdMs, head.labels);
  const writeId = newWriteId();
  const { start, end } = encodeState(state);
  const line = `${start}${encodeOrigin(writeId, state, createdMs)}${end}`;
  const written = await call.writeListed(
    insertScript,
    [session.record, session.journal, session.names, ...keys],
    [...args, writeId, String(createdMs), line, `\n${encodeHead(head)}`],
    add,
  );
  if (written.isErr()) {
    if (written.error.error.outcome === 'not_applied') void clear(call, session, head.labels);
    return err(toStoreError(session)(written.error));
  }
  const [outcome, birth, created] = written.value;
  if (outcome === 'removed') await clear(call, session, head.labels);
  else if (outcome !== 'inserted' && outcome !== 'taken') return err(unreadable(session));
  const result = outcome === 'taken' ? 'taken' : 'inserted';
  // The session that has the id may have other labels.
  if (outcome === 'taken') void unlistLabels(call, session, head.labels);
  if (birth === undefined) return ok(result);
  const made = { birth: String(birth), sequence: 1 };
  const logged = await events.log(call, session, made, { type: 'created', at: Number(created) });
  return logged.map(() => result);
};

export const replaceRecord = async (
  call: Call,
  session: SessionKeys,
  events: RedisEventLog,
  next: StateRecord,
): Answer<'replaced' | 'stale' | 'missing'> => {
  const dropStatus = (status: StateRecord['status']) => unlist(call, session, session.byStatus[status], status);
  const { keys, args, add } = needsOf(call, session, next);
  const { start, end } = encodeState(next);
  const written = await call.writeListed(
    replaceScript,
    [session.record, session.journal, ...keys],
    [...args, newWriteId(), encodeRevision(next.revision - 1), start, end],
    add,
  );
  if (written.isErr()) {
    if (written.error.error.outcome === 'not_applied') void dropStatus(next.status);
    return err(toStoreError(session)(written.error));
  }
  const [outcome, birth, sequence, before] = written.value;
  if (outcome === 'stale' || outcome === 'missing') {
    void dropStatus(next.status);
    return ok(outcome);
  }
  if (outcome !== 'replaced') return err(unreadable(session));
  if (statusOfLetter(String(before)) === next.status) return ok(outcome);
  const made = { birth: String(birth), sequence: Number(sequence) };
  const logged = await events.log(call, session, made, eventDetailOf(before === 'P', next));
  const status = statusOfLetter(String(before));
  // Not awaited: readers skip such an entry anyway.
  if (status !== undefined && status !== next.status) void dropStatus(status);
  // An end that is not yet reported stays noted, so that a sweep reports it if this process dies first.
  const isReported = next.status === 'TERMINATED' && !isEndByClock(next) && logged.isOk();
  const isDone = isReported && next.deadline === Number.POSITIVE_INFINITY;
  if (isDone && next.limitMs !== Number.POSITIVE_INFINITY) void reschedule(call, session);
  return logged.map(() => outcome);
};
