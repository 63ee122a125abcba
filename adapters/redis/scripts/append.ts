import { writeScript } from '../connection.js';
import {
  COUNTS_FORMAT,
  field,
  inactiveAt,
  isRecord,
  LAST_ACTIVITY_START,
  laterActivity,
  numberField,
  originOf,
  readHead,
} from '../record.js';
import { log } from './indexes.js';

/**
 * Adds lines to the journal of a session that accepts history.
 *
 * KEYS  1 this call, 2 record, 3 journal, 4 events, 5 names; the last two only if they are used
 * ARGV  1-2 of this call, 3 now, 4 the lines, 5 their number, 6 the most entries that a history may have, then if they are
 *       used, otherwise '' or nothing: 7 length of the stream, 8 path of the event, 9 the position at which the history
 *       must end, 10 the fencing token of the lease, 11 the name of the append, 12 its digest
 * Writes the journal behind its committed length, this call, the event, the name, and then the activity and the counts of
 * the record.
 * Returns the position behind the lines, or {'repeated', that position} for a known name, {'closed', the state as JSON, its
 * last activity}, {'moved', position}, 'lease_lost', 'full', 'mismatch', 'missing' or 'corrupt'.
 *
 * A note of an earlier arrival, and a name, count only if the lines that they point at are there: a command that is
 * refused, or a torn log, may leave a note without its lines.
 */
export const appendScript = writeScript(`${log('KEYS[4]', 'ARGV[7]')}${readHead('KEYS[2]')}
-- Test doubles have no sums.
local sumOf = redis.sha1hex or function(text) return text end
local notedBirth, notedStart, notedEnd
if known then notedBirth, notedStart, notedEnd = string.match(known, '^(%S+) (%d+) (%d+)$') end
if head == '' then
  if notedEnd then return tonumber(notedEnd) end
  return redis.call('EXISTS', KEYS[3]) == 1 and 'corrupt' or 'missing'
end
if not ${isRecord('head')} then return 'corrupt' end
local birth, length = ${field('head', 'birth')}, ${numberField('head', 'bytes')}
if redis.call('STRLEN', KEYS[3]) < length then return 'corrupt' end
if known then
  if notedBirth ~= birth then return tonumber(notedEnd) end
  local isThere = tonumber(notedEnd) <= length and redis.call('GETRANGE', KEYS[3], notedStart, notedEnd - 1) == ARGV[4]
  if isThere then return tonumber(notedEnd) end
end
local events, position, fencingToken, name = ARGV[7] or '', ARGV[9] or '', ARGV[10] or '', ARGV[11]
if name then
  local note = redis.call('HGET', KEYS[5], name) or ''
  local digest, start, finish, sum = string.match(note, '^(%S+) (%d+) (%d+) (.*)$')
  if digest and tonumber(finish) <= length and sumOf(redis.call('GETRANGE', KEYS[3], start, finish - 1)) == sum then
    return digest == ARGV[12] and {'repeated', tonumber(finish)} or 'mismatch'
  end
end
local now = tonumber(ARGV[3])
if now >= ${numberField('head', 'openUntil')} or ${field('head', 'status')} == 'A' and now >= ${inactiveAt('head')} then
  return {'closed', string.match(redis.call('GET', KEYS[2]), '^[^\\n]*\\n([^\\n]*)'), ${field('head', 'lastActivity')}}
end
if fencingToken ~= '' then
  local isLeased = ${numberField('head', 'fencingToken')} == tonumber(fencingToken) and now < ${numberField('head', 'leasedUntil')}
  if not isLeased then return 'lease_lost' end
end
if position ~= '' and tonumber(position) ~= length then return {'moved', length} end
local entries = ${field('head', 'entries')} + ARGV[5]
if entries > tonumber(ARGV[6]) then return 'full' end

-- The reply counts what a torn log has left behind the committed length, and the sum is wrong for a server that counts
-- characters, as test doubles do.
local start = length .. ''
local written = redis.call('SETRANGE', KEYS[3], start, ARGV[4])
local finish = string.format('%d', math.min(written, length + #ARGV[4]))
local sequence = ${field('head', 'sequence')} + 1
local place = start .. ' ' .. finish
remember(birth .. ' ' .. place)
if name then redis.call('HSET', KEYS[5], name, ARGV[12] .. ' ' .. place .. ' ' .. sumOf(ARGV[4])) end
if events ~= '' then log('1 appended ' .. birth .. ' ' .. sequence .. ' ' .. ARGV[3] .. ' ' .. ARGV[8] .. ' ' .. finish) end
redis.call('SETRANGE', KEYS[2], '${LAST_ACTIVITY_START}', ${laterActivity('head', 'ARGV[3]')} .. ' ' .. ${originOf('head')}
  .. string.format('${COUNTS_FORMAT}', sequence, entries, finish))
return tonumber(finish)
`);
