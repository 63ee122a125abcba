import { writeScript } from '../connection.js';
import { COUNTS_FORMAT, COUNTS_START, field, HEADER_BYTES, isRecord, numberField } from '../record.js';
import { log } from './indexes.js';

/**
 * Adds lines to the journal of a session that accepts history.
 *
 * KEYS  1 this call, 2 record, 3 journal, 4 names, 5 events
 * ARGV  1-2 of this call, 3 now, 4 the lines, 5 their number, 6 the most entries that a history may have, 7 the position
 *       at which the history must end or '', 8 the fence that must hold the session or '', 9 the name of the append or
 *       '', 10 its digest, 11 length of the stream or '', 12 path of the event
 * Writes the journal behind its committed length, this call, the name, the event, and then the counts of the record.
 * Returns the position behind the lines, or {'closed', the state as JSON}, {'moved', position}, 'not_held', 'full',
 * 'mismatch', 'missing' or 'corrupt'.
 *
 * A note of an earlier arrival, and a name, count only if the lines that they point at are there: a command that is
 * refused, or a torn log, may leave a note without its lines.
 */
export const appendScript = writeScript(`${log('KEYS[5]', 'ARGV[11]')}
-- Test doubles have no sums.
local sumOf = redis.sha1hex or function(text) return text end
local head = redis.call('GETRANGE', KEYS[2], 0, ${HEADER_BYTES - 1})
local notedBirth, notedStart, notedEnd = string.match(known or '', '^(%S+) (%d+) (%d+)$')
if head == '' then
  if notedEnd then return tonumber(notedEnd) end
  return redis.call('EXISTS', KEYS[3]) == 1 and 'corrupt' or 'missing'
end
if not ${isRecord('head')} then return 'corrupt' end
local birth, length, entries = ${field('head', 'birth')}, ${numberField('head', 'bytes')}, ${numberField('head', 'entries')}
if redis.call('STRLEN', KEYS[3]) < length then return 'corrupt' end

if known then
  if notedBirth ~= birth then return tonumber(notedEnd) end
  local isThere = tonumber(notedEnd) <= length and redis.call('GETRANGE', KEYS[3], notedStart, notedEnd - 1) == ARGV[4]
  if isThere then return tonumber(notedEnd) end
end
if ARGV[9] ~= '' then
  local note = redis.call('HGET', KEYS[4], ARGV[9]) or ''
  local digest, start, finish, sum = string.match(note, '^(%S+) (%d+) (%d+) (.*)$')
  if digest and tonumber(finish) <= length and sumOf(redis.call('GETRANGE', KEYS[3], start, finish - 1)) == sum then
    return digest == ARGV[10] and tonumber(finish) or 'mismatch'
  end
end
local now = tonumber(ARGV[3])
if now >= ${numberField('head', 'openUntil')} then
  return {'closed', string.match(redis.call('GET', KEYS[2]), '^[^\\n]*\\n([^\\n]*)')}
end
local isHeld = ${numberField('head', 'fence')} == tonumber(ARGV[8]) and now < ${numberField('head', 'heldUntil')}
if ARGV[8] ~= '' and not isHeld then return 'not_held' end
if ARGV[7] ~= '' and tonumber(ARGV[7]) ~= length then return {'moved', length} end
entries = entries + ARGV[5]
if entries > tonumber(ARGV[6]) then return 'full' end

-- The reply counts what a torn log has left behind the committed length, and the sum is wrong for a server that counts
-- characters, as test doubles do.
local finish = math.min(redis.call('SETRANGE', KEYS[3], length, ARGV[4]), length + #ARGV[4])
local sequence = ${numberField('head', 'sequence')} + 1
remember(string.format('%s %.0f %.0f', birth, length, finish))
if ARGV[9] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[9], string.format('%s %.0f %.0f %s', ARGV[10], length, finish, sumOf(ARGV[4])))
end
log(string.format('1 appended %s %.0f %s %s %.0f', birth, sequence, ARGV[3], ARGV[12], finish))
redis.call('SETRANGE', KEYS[2], ${COUNTS_START}, string.format('${COUNTS_FORMAT}', sequence, entries, finish))
return finish
`);
