import { writeScript } from '../connection.js';
import { field, formatOf, historyVersion, readHead, SEQUENCE_START, SIZE_START } from '../record.js';
import { eachEnded } from './each-ended.js';
import { logEvent } from './log-event.js';
import { schedule } from './schedule.js';

/** The parts of the script that differ. Those of an opening would make other creates slower. */
const OPENING = {
  none: { keys: 'KEYS[2], KEYS[3]', prepare: '', record: 'ARGV[5]' },
  opening: {
    // The journal is not checked, because a torn log may leave the journal of an opening without its record.
    keys: 'KEYS[2]',
    prepare: `
local source, activeKey, deadlinesKey = KEYS[last - 2], KEYS[last - 1], KEYS[last]
last = last - 3
if ARGV[16] ~= '' then
  ${readHead('source')}
  if ${historyVersion('head')} ~= ARGV[16] then return 'source_changed' end
end
if ARGV[17] then
  local active = redis.call('ZCARD', activeKey)
  if active >= tonumber(ARGV[17]) then${eachEnded('deadlinesKey', 'ARGV[19]')}
    local isComplete = eachEnded(ARGV[18], function(_, head)
      if ${field('head', 'status')} == 'A' then active = active - 1 end
    end)
    if active >= tonumber(ARGV[17]) then return isComplete and 'too_many' or 'ended' end
  end
end
local count = tonumber(ARGV[12])
local sequence = 1 + (ARGV[13] == '' and 0 or 1) + (count == 0 and 0 or 1)
local function recordOf(bytes)
  return string.sub(ARGV[5], 1, ${SEQUENCE_START})
    .. string.format('${formatOf('sequence', 'entries', 'bytes', 'span', 'shown')}', sequence, count, bytes, 0, bytes)
    .. string.sub(ARGV[5], ${SIZE_START + 1})
end`,
    record: 'recordOf(bytes)',
  },
} as const;

const WRITE_JOURNAL = `
  local bytes = 0
  if count > 0 then
    redis.call('SET', KEYS[3], ARGV[11])
    -- Counted by the server, because test doubles count characters.
    bytes = redis.call('STRLEN', KEYS[3])
  end`;

const LOG_OPENING = `
    if ARGV[14] ~= '' then log(ARGV[14]) end
    if count > 0 then log(ARGV[15] .. bytes) end`;

/**
 * Adds a session, unless anything is stored under its id.
 *
 * KEYS  1 this call, 2 record, 3 journal, then the indexes of the session: all sessions, its status, its labels; then
 *       the unleased sessions of its status, if there is such an index; then deadlines and tenants, if the session has
 *       a due time; then events, if they are enabled; then with an opening the record of the session that a fork was
 *       read from, the index of the ACTIVE sessions, and deadlines
 * ARGV  1-2 of this call, 3 member, 4 creation time, 5 record. The others are '' or missing if they are not used: 6
 *       when the session is due, 7 owner, 8 length of the stream, 9 event, 10 when the session became free; then with
 *       an opening: 11 the first lines, 12 their number, 13 '1' if the session is started, 14 the event of its start or
 *       '', 15 the event of its history without the position at the end, 16 the version of the history that a fork was
 *       read from, or ''; then under a limit of ACTIVE sessions: 17 the limit, 18 now, 19 the prefix of the keys of
 *       records
 * Writes the journal, the indexes, the deadline, the key of this call, the events, and last the record.
 * Returns 'inserted', 'taken', 'source_changed', 'too_many', or 'ended' if the clock has ended too many sessions to
 * count.
 */
const scriptFor = (kind: keyof typeof OPENING) => {
  const { keys, prepare, record } = OPENING[kind];
  const isOpening = kind === 'opening';
  return writeScript(`
if known then return 'inserted' end
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
  remember('1')
  if events then
    log(ARGV[9])${isOpening ? LOG_OPENING : ''}
  end
  redis.call('SET', KEYS[2], ${record})
end, function()
  for at = 4, last do redis.pcall('ZREM', KEYS[at], ARGV[3]) end
  if unleased then redis.pcall('ZREM', unleased, ARGV[3]) end
  if isDue then reschedule(deadlines, tenants, ARGV[7], ARGV[3], '') end${isOpening ? `\n  redis.pcall('DEL', KEYS[3])` : ''}
end)
return refused or 'inserted'
`);
};

/** Adds a session without history. */
export const insertScript = scriptFor('none');

/** Adds a session with its opening. */
export const openScript = scriptFor('opening');
