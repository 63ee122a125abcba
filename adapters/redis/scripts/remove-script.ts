import { writeScript } from '../connection.js';
import { field, HEADER_BYTES, isRecord } from '../record.js';
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
 * Begins with a command that a server accepts even without free memory; then it accepts the others too. Writes the end,
 * the deadline and the remains, the key of this call and the event; removes the session from the indexes; and last
 * deletes the keys.
 * Returns 'removed', 'stale' or 'missing'.
 */
export const removeScript = writeScript(`${schedule}${logEvent('KEYS[7]', 'ARGV[7]')}
local record = redis.pcall('GET', KEYS[2])
if not record and redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then return known and 'removed' or 'missing' end
local isReadable = type(record) == 'string' and ${isRecord('record')}
local incarnation = isReadable and ${field('record', 'incarnation')} or ''
if known and known ~= incarnation then return 'removed' end
if ARGV[5] ~= '' and (not isReadable or ${field('record', 'revision')} ~= ARGV[5]) then return 'stale' end

local last, unleased = #KEYS, nil
if ARGV[9] then unleased, last = KEYS[last], last - 1 end
local labels = isReadable and string.match(record, '^[^\\n]*', ${HEADER_BYTES + 1}) or ''
local labelled = KEYS[8] .. 'label:' .. ARGV[4] .. ':'
local due = redis.pcall('ZSCORE', KEYS[5], ARGV[3])
local ending = ARGV[3] .. ':' .. incarnation
local ends, reporting = KEYS[8] .. 'ends:' .. ARGV[4], KEYS[8] .. 'reporting'
local remains = KEYS[8] .. 'remains:' .. ARGV[4] .. ':' .. ending
local owes = isReadable and ${field('record', 'report')} == '1'
local isEnd = owes and ${field('record', 'status')} ~= 'T'
-- Removes a member from all lists.
local function unlist(member)
  for at = 9, last do redis.call('ZREM', KEYS[at], member) end
  if unleased then
    for _, letter in ipairs({'I', 'A', 'P'}) do redis.call('ZREM', unleased .. letter, member) end
  end
  for label in string.gmatch(labels, '%S+') do redis.call('ZREM', labelled .. label, member) end
end
local refused = attempt(function()
  -- These need no memory and remove nothing, but fail early if DEL or ZREM is refused.
  redis.call('DEL', KEYS[1])
  unlist('')
  if isEnd then schedule(ends, reporting, ARGV[4], ending, ARGV[6]) end
  schedule(KEYS[5], KEYS[6], ARGV[4], ARGV[3], '')
  if owes then
    redis.call('SET', remains, ARGV[6] .. ' ' .. ${field('record', 'lastActivity')} .. ' ' .. labels .. string.match(record, '\\n[^\\n]*', ${HEADER_BYTES + 1}))
  end
  remember(incarnation)
  if isReadable and ARGV[7] ~= '' then
    log('1 deleted ' .. incarnation .. ' ' .. ${field('record', 'sequence')} + 1 .. ' ' .. ARGV[6] .. ' ' .. ARGV[8] .. ' -')
  end
  -- From here on no command can be refused, so this is never undone.
  unlist(ARGV[3])
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
end, function()
  if owes then redis.pcall('DEL', remains) end
  if isEnd then reschedule(ends, reporting, ARGV[4], ending, '') end
  if type(due) == 'string' then reschedule(KEYS[5], KEYS[6], ARGV[4], ARGV[3], due) end
end)
return refused or 'removed'
`);
