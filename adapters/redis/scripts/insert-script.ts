import { writeScript } from '../connection.js';
import { field, formatOf, HEADER_BYTES, isRecord, numberField, readHead, SEQUENCE_START } from '../record.js';
import { eachEnded } from './each-ended.js';
import { logEvent } from './log-event.js';
import { schedule } from './schedule.js';
import { offsets, pieces } from './spans.js';

/** The parts of the script that differ. Those of an opening would make other creates slower. */
const OPENING = {
  none: {
    known: `return 'inserted'`,
    keys: 'KEYS[2], KEYS[3]',
    prepare: '',
    note: `'1'`,
    record: 'ARGV[5]',
    result: `'inserted'`,
  },
  opening: {
    known: `local copied, origin = string.match(known, '^(%d+) (%d+)$')
  if copied then return {tonumber(copied), tonumber(origin)} end
  return 'inserted'`,
    // The journal is not checked, because a torn log may leave the journal of an opening without its record.
    keys: 'KEYS[2]',
    prepare: `
local origin, source, activeKey, deadlinesKey = KEYS[last - 3], KEYS[last - 2], KEYS[last - 1], KEYS[last]
last = last - 4
${pieces('source')}${offsets('source')}
local text, entries, position = '', 0, nil
if ARGV[17] ~= '' then
  ${readHead('origin')}
  if head == '' then return 'missing' end
  if not ${isRecord('head')} then return 'corrupt' end
  local length, span = ${numberField('head', 'bytes')}, ${numberField('head', 'span')}
  if redis.call('STRLEN', source) < length then return 'corrupt' end
  position = tonumber(ARGV[18]) or length
  local kept, bytes, found = offsetOf(span, length, ${numberField('head', 'entries')}, position)
  if not found then return kept == 'corrupt' and 'corrupt' or 'invalid_position' end
  if bytes > tonumber(ARGV[19]) then return 'too_large' end
  entries, text = kept, textOf((piecesBefore(span, length, 0, position, bytes, math.huge)))
end
local lines, count = text .. ARGV[11], entries + ARGV[12]
if count > tonumber(ARGV[13]) then return 'full' end
if ARGV[20] then
  local active = redis.call('ZCARD', activeKey)
  if active >= tonumber(ARGV[20]) then${eachEnded('deadlinesKey', 'ARGV[22]')}
    local isComplete = eachEnded(ARGV[21], function(_, head)
      if ${field('head', 'status')} == 'A' then active = active - 1 end
    end)
    if active >= tonumber(ARGV[20]) then return isComplete and 'too_many' or 'ended' end
  end
end
local sequence = 1 + (ARGV[14] == '' and 0 or 1) + (count == 0 and 0 or 1)
local function recordOf(bytes)
  local rest = string.sub(ARGV[5], ${HEADER_BYTES + 1})
  if position then rest = string.sub(rest, 1, -2) .. ARGV[17] .. position .. '}}' end
  return string.sub(ARGV[5], 1, ${SEQUENCE_START})
    .. string.format('${formatOf('sequence', 'entries', 'bytes', 'span', 'shown', 'size')}', sequence, count, bytes, 0, bytes, #rest) .. rest
end`,
    note: `position and entries .. ' ' .. position or '1'`,
    record: 'recordOf(bytes)',
    result: `(position and {entries, position} or 'inserted')`,
  },
} as const;

const WRITE_JOURNAL = `
  local bytes = 0
  if lines ~= '' then
    redis.call('SET', KEYS[3], lines)
    -- Counted by the server, because test doubles count characters.
    bytes = redis.call('STRLEN', KEYS[3])
  end`;

const LOG_OPENING = `
    if ARGV[15] ~= '' then log(ARGV[15]) end
    if count > 0 then log(ARGV[16] .. bytes) end`;

/**
 * Adds a session, unless anything is stored under its id.
 *
 * KEYS  1 this call, 2 record, 3 journal, then the indexes of the session: all sessions, its status, its labels; then
 *       the unleased sessions of its status, if there is such an index; then deadlines and tenants, if the session has
 *       a due time; then events, if they are enabled; then with an opening the record and the journal of the session to
 *       fork, the index of the ACTIVE sessions, and deadlines
 * ARGV  1-2 of this call, 3 member, 4 creation time, 5 record. The others are '' or missing if they are not used: 6
 *       when the session is due, 7 owner, 8 length of the stream, 9 event, 10 when the session became free; then with
 *       an opening: 11 the first lines, 12 their number, 13 the maximum number of entries of a history, 14 '1' if the
 *       session is started, 15 the event of its start or '', 16 the event of its history without the position at the
 *       end, 17 the origin as JSON up to its position, or '' if there is none, 18 that position or '' for the end, 19
 *       the maximum bytes to copy; then under a limit of ACTIVE sessions: 20 the limit, 21 now, 22 the prefix of the
 *       keys of records
 * Writes the journal, the indexes, the deadline, the key of this call, the events, and last the record.
 * Returns 'inserted', or for a fork {the number of copied entries, the position in its origin}; or 'taken', 'missing',
 * 'invalid_position', 'too_large', 'full', 'too_many', 'corrupt', or 'ended' if the clock has ended too many sessions
 * to count.
 */
const scriptFor = (kind: keyof typeof OPENING) => {
  const { known, keys, prepare, note, record, result } = OPENING[kind];
  const isOpening = kind === 'opening';
  return writeScript(`
if known then
  ${known}
end
if redis.call('EXISTS', ${keys}) > 0 then return 'taken' end
local last, isDue, events, unleased = #KEYS, (ARGV[6] or '') ~= '', nil, nil${prepare}
if (ARGV[8] or '') ~= '' then
  events = KEYS[last]
  last = last - 1
end
local deadlines, tenants = KEYS[last - 1], KEYS[last]
if isDue then last = last - 2 end
if (ARGV[10] or '') ~= '' then
  unleased = KEYS[last]
  last = last - 1
end
${schedule}${logEvent('events', 'ARGV[8]')}
local refused = attempt(function()${isOpening ? WRITE_JOURNAL : ''}
  for at = 4, last do redis.call('ZADD', KEYS[at], ARGV[4], ARGV[3]) end
  if unleased then redis.call('ZADD', unleased, ARGV[10], ARGV[3]) end
  if isDue then
    redis.call('ZADD', deadlines, ARGV[6], ARGV[3])
    local isEarliest = redis.call('ZRANGE', deadlines, '0', '0')[1] == ARGV[3]
    if isEarliest then redis.call('ZADD', tenants, ARGV[6], ARGV[7]) end
  end
  remember(${note})
  if events then
    log(ARGV[9])${isOpening ? LOG_OPENING : ''}
  end
  redis.call('SET', KEYS[2], ${record})
end, function()
  for at = 4, last do redis.pcall('ZREM', KEYS[at], ARGV[3]) end
  if unleased then redis.pcall('ZREM', unleased, ARGV[3]) end
  if isDue then reschedule(deadlines, tenants, ARGV[7], ARGV[3], '') end${isOpening ? `\n  redis.pcall('DEL', KEYS[3])` : ''}
end)
return refused or ${result}
`);
};

/** Adds a session without history. */
export const insertScript = scriptFor('none');

/** Adds a session with its opening. */
export const openScript = scriptFor('opening');
