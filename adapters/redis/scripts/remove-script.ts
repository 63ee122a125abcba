import { writeScript } from '../connection.js';
import { field, HEADER_BYTES, isRecord, numberField } from '../record.js';
import { numberOf } from '../status-letters.js';
import { logEvent } from './log-event.js';
import { schedule } from './schedule.js';

/**
 * Removes a session from every index and deletes its keys. A session that cannot be read is also removed, but only if
 * no revision is expected, and not from the indexes of its labels, which are not known. If its end must still be
 * reported, its labels and its state remain until then, in a separate key.
 *
 * KEYS  1 this call, 2 record, 3 journal, 4 names, 5 deadlines, 6 tenants, 7 events, 8 the prefix of all keys of the
 *       partition, then all sessions, and the indexes of the four statuses if there are any; then the prefix of the
 *       keys of the unleased sessions, if they are indexed
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 expected revision or '', 6 now, 7 length of the stream or '', 8 path of
 *       the event, 9 '1' if the unleased sessions are indexed, otherwise missing
 * Begins with a command that a server accepts even without free memory; then it accepts the others too. Writes the
 * deadline, the indexes, the end and the remains, the key of this call, the event, and last deletes the keys.
 * Returns 'removed', 'stale' or 'missing'.
 */
export const removeScript = writeScript(`${schedule}${logEvent('KEYS[7]', 'ARGV[7]')}
local record = redis.pcall('GET', KEYS[2])
if not record and redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then return known and 'removed' or 'missing' end
local isReadable = type(record) == 'string' and ${isRecord('record')}
local incarnation = isReadable and ${field('record', 'incarnation')} or ''
if known and known ~= incarnation then return 'removed' end
if ARGV[5] ~= '' and (not isReadable or ${field('record', 'revision')} ~= ARGV[5]) then return 'stale' end

local last, unleased, waitedSince = #KEYS, nil, nil
if ARGV[9] then
  unleased, last = KEYS[last], last - 1
  waitedSince = isReadable and redis.pcall('ZSCORE', unleased .. ${field('record', 'status')}, ARGV[3])
end
local labels = isReadable and string.match(record, '^[^\\n]*', ${HEADER_BYTES + 1}) or ''
local labelled = KEYS[8] .. 'label:' .. ARGV[4] .. ':'
local due = redis.pcall('ZSCORE', KEYS[5], ARGV[3])
local ending = ARGV[3] .. ':' .. incarnation
local ends, reporting = KEYS[8] .. 'ends:' .. ARGV[4], KEYS[8] .. 'reporting'
local remains = KEYS[8] .. 'remains:' .. ARGV[4] .. ':' .. ending
local owes = isReadable and ${field('record', 'report')} == '1'
local isEnd = owes and ${field('record', 'status')} ~= 'T'
local refused = attempt(function()
  -- Needs no memory, and fails early if DEL is refused, which comes last.
  redis.call('DEL', KEYS[1])
  schedule(KEYS[5], KEYS[6], ARGV[4], ARGV[3], '')
  for at = 9, last do redis.call('ZREM', KEYS[at], ARGV[3]) end
  if unleased then
    for _, letter in ipairs({'I', 'A', 'P'}) do redis.call('ZREM', unleased .. letter, ARGV[3]) end
  end
  for label in string.gmatch(labels, '%S+') do redis.call('ZREM', labelled .. label, ARGV[3]) end
  if isEnd then schedule(ends, reporting, ARGV[4], ending, ARGV[6]) end
  if owes then
    redis.call('SET', remains, ARGV[6] .. ' ' .. ${field('record', 'lastActivity')} .. ' ' .. labels .. string.match(record, '\\n[^\\n]*', ${HEADER_BYTES + 1}))
  end
  remember(incarnation)
  if isReadable and ARGV[7] ~= '' then
    log('1 deleted ' .. incarnation .. ' ' .. ${field('record', 'sequence')} + 1 .. ' ' .. ARGV[6] .. ' ' .. ARGV[8] .. ' -')
  end
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
end, function()
  if isReadable then
    local created = ${numberField('record', 'created')}
    redis.pcall('ZADD', KEYS[9], created, ARGV[3])
    if last > 9 then redis.pcall('ZADD', KEYS[9 + ${numberOf(field('record', 'status'))}], created, ARGV[3]) end
    for label in string.gmatch(labels, '%S+') do redis.pcall('ZADD', labelled .. label, created, ARGV[3]) end
    if type(waitedSince) == 'string' then
      redis.pcall('ZADD', unleased .. ${field('record', 'status')}, waitedSince, ARGV[3])
    end
  end
  if owes then redis.pcall('DEL', remains) end
  if isEnd then reschedule(ends, reporting, ARGV[4], ending, '') end
  if type(due) == 'string' then reschedule(KEYS[5], KEYS[6], ARGV[4], ARGV[3], due) end
end)
return refused or 'removed'
`);
