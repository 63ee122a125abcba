import { writeScript } from '../connection.js';
import {
  endOf,
  field,
  formatOf,
  HEADER_BYTES,
  inactiveAt,
  isRecord,
  LAST_ACTIVITY_START,
  laterActivity,
  numberField,
  originOf,
  readHead,
} from '../record.js';
import { logEvent } from './log-event.js';
import { CALL_BYTES, MARK_BYTES, rewind } from './spans.js';

/** Whether one of the lines of a text was redacted since it was appended. Its content then differs. */
const isRedacted = (text: string): string => `string.find('\\n' .. ${text}, '\\n{"content"', 1, true)`;

/* Only a rewind needs the functions that find lines. Defining them would make an append at the end slower. */
const IS_THERE = {
  end: '',
  after: `
  if text then
    local call = string.sub(text, ${MARK_BYTES - CALL_BYTES}, ${MARK_BYTES - 1})
    text = call == string.sub(KEYS[1], -${CALL_BYTES}) and string.sub(text, ${MARK_BYTES + 1})
  end`,
};

const REWIND = {
  end: `
local lines, added = ARGV[4], 0`,
  after: `
local mark, kept, bytes = rewind(span, length, entries, tonumber(ARGV[13]), KEYS[1])
if mark == 'moved' then return {'moved', length} end
if not kept then return mark end
local lines, added = mark .. ARGV[4], ${MARK_BYTES}
entries, span, shown = kept, length + added, bytes`,
};

/**
 * Adds lines to the journal of a session that accepts history.
 *
 * KEYS  1 this call, 2 record, 3 journal, 4 events, 5 names; the last two only if they are used
 * ARGV  1-2 of this call, 3 now, 4 the lines, 5 their number, 6 the maximum number of entries of a history. The others
 *       are '' or missing if they are not used: 7 length of the stream, 8 path of the event, 9 the position at which
 *       the history must end, 10 the fencing token of the lease, 11 the name of the append, 12 its digest, 13 for a
 *       rewind the position that the lines follow
 * Writes the journal after its committed length, the key of this call, the event, the name, and last the activity and
 * the counts of the record.
 * Returns the position after the lines, or {'repeated', that position} for a known name, {'closed', the state as JSON,
 * its last activity, its labels}, {'moved', position}, 'invalid_position', 'lease_lost', 'full', 'mismatch', 'missing'
 * or 'corrupt'.
 *
 * The note of an earlier arrival, and a name, count only if the journal contains their lines, because a refused command
 * or a torn log may leave a note without its lines. The lines of a rewind follow its mark, which contains the id of the
 * call.
 */
const scriptFor = (mode: 'end' | 'after') =>
  writeScript(`${logEvent('KEYS[4]', 'ARGV[7]')}${mode === 'after' ? rewind('KEYS[3]') : ''}${readHead('KEYS[2]')}
-- Test doubles have no redis.sha1hex.
local sumOf = redis.sha1hex or function(text) return text end
local notedIncarnation, notedStart, notedEnd
if known then notedIncarnation, notedStart, notedEnd = string.match(known, '^(%S+) (%d+) (%d+)$') end
if head == '' then
  if notedEnd then return tonumber(notedEnd) end
  return redis.call('EXISTS', KEYS[3]) == 1 and 'corrupt' or 'missing'
end
if not ${isRecord('head')} then return 'corrupt' end
local incarnation, length = ${field('head', 'incarnation')}, ${numberField('head', 'bytes')}
if redis.call('STRLEN', KEYS[3]) < length then return 'corrupt' end
if known then
  if notedIncarnation ~= incarnation then return tonumber(notedEnd) end
  local text = tonumber(notedEnd) <= length and redis.call('GETRANGE', KEYS[3], notedStart, notedEnd - 1)
${IS_THERE[mode].slice(1)}
  if text == ARGV[4] or text and ${isRedacted('text')} then return tonumber(notedEnd) end
end
local events, position, fencingToken, name = ARGV[7] or '', ARGV[9] or '', ARGV[10] or '', ARGV[11] or ''
if name ~= '' then
  local note = redis.call('HGET', KEYS[5], name) or ''
  local digest, start, finish, sum = string.match(note, '^(%S+) (%d+) (%d+) (.*)$')
  local text = digest and tonumber(finish) <= length and redis.call('GETRANGE', KEYS[3], start, finish - 1)
  if text and (sumOf(text) == sum or ${isRedacted('text')}) then
    return digest == ARGV[12] and {'repeated', tonumber(finish)} or 'mismatch'
  end
end
local now = tonumber(ARGV[3])
local status, activity = ${field('head', 'status')}, ${laterActivity('head', 'ARGV[3]')}
local isClosed = now >= ${numberField('head', 'openUntil')}
if status == 'A' then
  isClosed = isClosed or now >= ${inactiveAt('head')} + ${numberField('head', 'grace')}
elseif status == 'I' then
  isClosed = isClosed or now < ${numberField('head', 'deadline')}
end
-- Entries after the end do not count as activity, because that would postpone an end by inactivity.
if status == 'T' or now >= ${endOf('head')} then activity = ${field('head', 'lastActivity')} end
if isClosed then
  local labels, state = string.match(redis.call('GET', KEYS[2]), '^([^\\n]*)\\n([^\\n]*)', ${HEADER_BYTES + 1})
  return {'closed', state, ${field('head', 'lastActivity')}, labels}
end
if fencingToken ~= '' then
  local isLeased = ${numberField('head', 'fencingToken')} == tonumber(fencingToken) and now < ${numberField('head', 'leasedUntil')}
  if not isLeased then return 'lease_lost' end
end
if position ~= '' and tonumber(position) ~= length then return {'moved', length} end
local entries, span, shown = ${numberField('head', 'entries')}, ${numberField('head', 'span')}, ${numberField('head', 'shown')}
${REWIND[mode].slice(1)}
entries = entries + ARGV[5]
if entries > tonumber(ARGV[6]) then return 'full' end

-- The reply may count remains of a torn log after the committed length, and #lines is wrong for a server that counts
-- characters, as test doubles do: the lower number is right.
local start = length .. ''
local written = redis.call('SETRANGE', KEYS[3], start, lines)
local finish = string.format('%d', math.min(written, length + #lines))
local sequence = ${field('head', 'sequence')} + 1
local range = start .. ' ' .. finish
remember(incarnation .. ' ' .. range)
if name ~= '' then redis.call('HSET', KEYS[5], name, ARGV[12] .. ' ' .. range .. ' ' .. sumOf(lines)) end
if events ~= '' then
  local detail = finish${mode === 'after' ? " .. '_' .. ARGV[13]" : ''}
  log('1 appended ' .. incarnation .. ' ' .. sequence .. ' ' .. ARGV[3] .. ' ' .. ARGV[8] .. ' ' .. detail)
end
redis.call('SETRANGE', KEYS[2], '${LAST_ACTIVITY_START}', activity .. ' ' .. ${originOf('head')}
  .. string.format('${formatOf('sequence', 'entries', 'bytes', 'span', 'shown')}', sequence, entries, finish, span, shown + finish - length - added))
return tonumber(finish)
`);

/** Adds lines at the end of the history. */
export const appendScript = scriptFor('end');

/** Adds lines after a position, and supersedes the lines that followed it. */
export const rewindScript = scriptFor('after');
