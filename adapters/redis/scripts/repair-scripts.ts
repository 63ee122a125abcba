import { NEVER } from '../../shared/never.js';
import { script } from '../connection.js';
import { endOf, field, HEADER_BYTES, isRecord, numberField } from '../record.js';
import { numberOf } from '../status-letters.js';
import { schedule } from './schedule.js';

/**
 * Makes the entries of a session in indexes match its record.
 *
 * KEYS  1 record, 2 deadlines, 3 tenants, 4 ends, 5 their tenants, 6 the prefix of the keys of the indexes of labels, 7
 *       all sessions, then the indexes of the four statuses if there are any, then the prefix of the keys of the
 *       unleased sessions if they are indexed
 * ARGV  1 member, 2 owner, 3 when it entered its status, then if the unleased sessions are indexed: 4 when it became
 *       free, '' if it has ended
 * Returns {1 if it was missing in a list or in the wrong place, 1 if its deadline or its end was missing or wrong,
 * number of removed entries of other statuses}, or false if there is no record that can be read.
 */
export const repairSessionScript = script(`${schedule}
local record = redis.call('GET', KEYS[1])
if not record or not ${isRecord('record')} then return false end
local created, status = ${numberField('record', 'created')}, ${field('record', 'status')}
local listed, rescheduled, removed = 0, 0, 0
local function enlist(list, time)
  if tonumber(redis.call('ZSCORE', list, ARGV[1]) or '') == time then return end
  redis.call('ZADD', list, string.format('%.0f', time), ARGV[1])
  listed = 1
end
enlist(KEYS[7], created)
local last = ARGV[4] and #KEYS - 1 or #KEYS
if ARGV[4] then
  for _, letter in ipairs({'I', 'A', 'P'}) do
    local list = KEYS[#KEYS] .. letter
    if letter == status then enlist(list, tonumber(ARGV[4])) else removed = removed + redis.call('ZREM', list, ARGV[1]) end
  end
end
for at = 8, last do
  if at == 7 + ${numberOf('status')} then enlist(KEYS[at], created) else removed = removed + redis.call('ZREM', KEYS[at], ARGV[1]) end
end
for label in string.gmatch(string.match(record, '^[^\\n]*', ${HEADER_BYTES + 1}), '%S+') do enlist(KEYS[6] .. label, created) end
local waits = status == 'T' and ${field('record', 'report')} == '1'
local deadline = ${endOf('record')}
local due = (waits or deadline >= ${NEVER}) and '' or string.format('%.0f', deadline)
local ending = ARGV[1] .. ':' .. ${field('record', 'incarnation')}
local noted = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '')
-- An activity postpones an end without a new deadline, which a sweep moves later.
local isEarly = noted and status == 'A' and ${numberField('record', 'inactivity')} < ${NEVER} and noted <= deadline
if noted ~= tonumber(due) and not isEarly then
  schedule(KEYS[2], KEYS[3], ARGV[2], ARGV[1], due)
  rescheduled = 1
end
if waits and not redis.call('ZSCORE', KEYS[4], ending) then
  schedule(KEYS[4], KEYS[5], ARGV[2], ending, ARGV[3])
  rescheduled = 1
end
return {listed, rescheduled, removed}
`);

/**
 * Removes a session from an index that it does not belong to.
 *
 * KEYS  1 record, 2 index, 3 deadlines, 4 tenants
 * ARGV  1 member, 2 owner, 3 the letter of the status of the index or '', 4 the label of the index or ''
 * Returns the number of removed entries.
 */
export const removeEntryScript = script(`${schedule}
local record = redis.pcall('GET', KEYS[1])
if record and (type(record) ~= 'string' or not ${isRecord('record')}) then return 0 end
if record then
  if ARGV[3] == '' and ARGV[4] == '' then return 0 end
  if ARGV[3] ~= '' and ${field('record', 'status')} == ARGV[3] then return 0 end
  local labels = ' ' .. string.match(record, '^[^\\n]*', ${HEADER_BYTES + 1}) .. ' '
  if ARGV[4] ~= '' and string.find(labels, ' ' .. ARGV[4] .. ' ', 1, true) then return 0 end
end
if KEYS[2] ~= KEYS[3] then return redis.call('ZREM', KEYS[2], ARGV[1]) end
local count = redis.call('ZSCORE', KEYS[2], ARGV[1]) and 1 or 0
schedule(KEYS[3], KEYS[4], ARGV[2], ARGV[1], '')
return count
`);

/**
 * Deletes the names of appends of a session that does not exist.
 *
 * KEYS  1 record, 2 names
 * Returns the number of deleted keys.
 */
export const removeNamesScript = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('DEL', KEYS[2])
`);

/**
 * Makes an end that must be reported match the record of its session, or the remains of the session.
 *
 * KEYS  1 record, 2 remains, 3 ends, 4 their tenants
 * ARGV  1 the member of the session in the ends, 2 owner, 3 incarnation
 * Returns {1 if the end was missing, number of removed entries and remains}.
 */
export const repairEndScript = script(`${schedule}
local record = redis.pcall('GET', KEYS[1])
if record and (type(record) ~= 'string' or not ${isRecord('record')}) then return {0, 0} end
local noted, rescheduled, removed = redis.call('ZSCORE', KEYS[3], ARGV[1]), 0, 0
local waits, time = false, nil
if record and ${field('record', 'incarnation')} == ARGV[3] then
  waits = ${field('record', 'status')} == 'T' and ${field('record', 'report')} == '1'
  removed = redis.call('DEL', KEYS[2])
else
  time = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ')
end
if time and not noted then
  schedule(KEYS[3], KEYS[4], ARGV[2], ARGV[1], time)
  rescheduled = 1
elseif noted and not time and not waits then
  schedule(KEYS[3], KEYS[4], ARGV[2], ARGV[1], '')
  removed = removed + 1
elseif noted then
  -- Corrects the time of the tenant, which may be wrong after a torn log.
  schedule(KEYS[3], KEYS[4], ARGV[2], ARGV[1], noted)
end
return {rescheduled, removed}
`);
