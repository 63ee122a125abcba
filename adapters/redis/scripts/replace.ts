import { NEVER } from '../../../src/store/never.js';
import { writeScript } from '../connection.js';
import { COUNTS_FORMAT, field, HEADER_BYTES, isRecord, numberField, originOf, SIZE_FORMAT } from '../record.js';
import { eachEnded, log, numberOf, schedule } from './indexes.js';

/**
 * Replaces the state of a session, if it has the expected revision. Another status is a change, with the next number
 * and an event, and so is a lease that is taken or released: one with another fencing token, or without an end.
 *
 * KEYS  1 this call, 2 record, 3 deadlines, 4 tenants, then the indexes of the four statuses, if there are any; then the
 *       beginning of the keys of the sessions that nobody holds, if they are indexed; then events, if they are kept
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 expected revision, 6 the fields of the next state, 7 its letter, 8 its JSON,
 *       9 when the session is due or '', 10 '1' if it stays due where it is due before that, then if events are kept:
 *       11 length of the stream, 12 type of the event, 13 the same if the session was PAUSED, 14 time, path and detail of
 *       the event, with a space before each; then if somebody has leased the session: 15 and 16 as 12 and 14, if the
 *       status stays; then if those are indexed: 17 from when on nobody holds the session, '-' if it has ended; then if the
 *       session becomes ACTIVE under a limit: 18 the limit, 19 now; '' for what is not used before one that is
 * Writes the indexes by status, the deadline, this call, the event, the record.
 * Returns 'replaced', 'stale', 'missing', 'too_many', 'corrupt', or 'ended' if the clock has ended too many sessions to count.
 */
export const replaceScript =
  writeScript(`${schedule('KEYS[3]', 'KEYS[4]', 'ARGV[3]', 'ARGV[4]')}${log('KEYS[#KEYS]', 'ARGV[11]')}
local record = redis.call('GET', KEYS[2])
if not record then return known and 'replaced' or 'missing' end
if not ${isRecord('record')} then return 'corrupt' end
local birth, revision, status = ${field('record', 'birth')}, ${field('record', 'revision')}, ${field('record', 'status')}
if known and (known ~= birth or revision ~= ARGV[5]) then return 'replaced' end
if revision ~= ARGV[5] then return 'stale' end
local labels, head = string.match(record, '^([^\\n]*)\\n[^\\n]*\\n(.*)$', ${HEADER_BYTES + 1})
if not head then return 'corrupt' end

local hasMoved, sequence, created = status ~= ARGV[7], ${numberField('record', 'sequence')}, ${field('record', 'created')}
local token = ${field('ARGV[6]', 'fencingToken')}
local isChange = hasMoved or tonumber(token) > 0 and (token ~= ${field('record', 'fencingToken')}
  or ${numberField('ARGV[6]', 'leasedUntil')} == 0 and ${numberField('record', 'leasedUntil')} ~= 0)
if isChange then sequence = sequence + 1 end
local from, to
if #KEYS > 7 then from, to = KEYS[4 + ${numberOf('status')}], KEYS[4 + ${numberOf('ARGV[7]')}] end
local due = ARGV[10] ~= '' and tonumber(redis.call('ZSCORE', KEYS[3], ARGV[3]) or '')
local isDue = ARGV[9] ~= '' or ${field('record', 'deadline')} ~= '${NEVER}'
if ARGV[18] then
  local active = redis.call('ZCARD', to)
  if active >= tonumber(ARGV[18]) then
    local records = string.sub(KEYS[2], 1, -1 - #ARGV[3])${eachEnded('KEYS[3]', 'records')}
    local isComplete = eachEnded(ARGV[19], function(_, head)
      if ${field('head', 'status')} == ARGV[7] then active = active - 1 end
    end)
    if active >= tonumber(ARGV[18]) then return isComplete and 'too_many' or 'ended' end
  end
end
local hasEvents = (ARGV[11] or '') ~= ''
local unleased = (ARGV[17] or '') ~= '' and KEYS[hasEvents and #KEYS - 1 or #KEYS]
local waitedSince = unleased and redis.call('ZSCORE', unleased .. status, ARGV[3])
local refused = attempt(function()
  if hasMoved and to then
    -- Nothing to remove yet: what must not be refused once the session is in the other list.
    redis.call('ZREM', to, ARGV[3])
    redis.call('ZADD', to, created, ARGV[3])
    redis.call('ZREM', from, ARGV[3])
  end
  if unleased and hasMoved then redis.call('ZREM', unleased .. status, ARGV[3]) end
  if unleased and ARGV[17] ~= '-' then redis.call('ZADD', unleased .. ARGV[7], ARGV[17], ARGV[3]) end
  if isDue and (not due or (ARGV[9] ~= '' and tonumber(ARGV[9]) < due)) then schedule(ARGV[9]) end
  remember(birth)
  if isChange and hasEvents then
    local kind, rest = status == 'P' and ARGV[13] or ARGV[12], ARGV[14]
    if not hasMoved then kind, rest = ARGV[15], ARGV[16] end
    log('1 ' .. kind .. ' ' .. birth .. ' ' .. sequence .. rest)
  end
  local rest = labels .. '\\n' .. ARGV[8] .. '\\n' .. head
  local counts = string.format('${COUNTS_FORMAT}${SIZE_FORMAT}', sequence, ${field('record', 'entries')},
    ${field('record', 'bytes')}, #rest)
  redis.call('SET', KEYS[2], ARGV[6] .. ${originOf('record')} .. counts .. rest)
end, function()
  if hasMoved and to then
    redis.pcall('ZADD', from, created, ARGV[3])
    redis.pcall('ZREM', to, ARGV[3])
  end
  if unleased then
    redis.pcall('ZREM', unleased .. ARGV[7], ARGV[3])
    if waitedSince then redis.pcall('ZADD', unleased .. status, waitedSince, ARGV[3]) end
  end
  local time = due or ${numberField('record', 'deadline')}
  if isDue then reschedule(time >= ${NEVER} and '' or string.format('%.0f', time)) end
end)
return refused or 'replaced'
`);
