import { NEVER } from '../../shared/never.js';
import { writeScript } from '../connection.js';
import {
  endOf,
  field,
  formatOf,
  HEADER_BYTES,
  historyOf,
  isRecord,
  numberField,
  originOf,
  REPORT_START,
  withLaterActivity,
} from '../record.js';
import { numberOf } from '../status-letters.js';
import { eachEnded } from './each-ended.js';
import { logEvent } from './log-event.js';
import { schedule } from './schedule.js';

/**
 * Replaces the state of a session, if it has the expected revision. New labels move the session between the indexes of
 * labels.
 *
 * KEYS  1 this call, 2 record, 3 deadlines, 4 tenants, then ends and their tenants, if the next state is an end to
 *       report; then the indexes of the four statuses, if there are any; then the prefix of the keys of the unleased
 *       sessions, if they are indexed; then events, if they are enabled
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 expected revision, 6 the fields of the next state, 7 the letter of its
 *       status, 8 its labels and its JSON, each in a line, 9 when the session is due or '', 10 when its end is due or
 *       '', 11 type of the event, '' if there is none, so that the sequence stays, 12 time, path and detail of the
 *       event, with a space before each, 13 length of the stream, '' if there is none, 14 when the session became free,
 *       '-' if it has ended, '' if the unleased sessions are not indexed; then if the session becomes ACTIVE under a
 *       limit: 15 the limit, 16 now
 * Adds the session to indexes by status, by label and of unleased sessions; writes the end, the deadline, the key of
 * this call and the event; removes the session from indexes; and last writes the record.
 * Returns 'replaced', 'stale', 'missing', 'too_many', 'corrupt', or 'ended' if the clock has ended too many sessions to
 * count.
 */
export const replaceScript = writeScript(`${schedule}${logEvent('KEYS[#KEYS]', 'ARGV[13]')}
local record = redis.call('GET', KEYS[2])
if not record then return known and 'replaced' or 'missing' end
if not ${isRecord('record')} then return 'corrupt' end
local incarnation, revision, status = ${field('record', 'incarnation')}, ${field('record', 'revision')}, ${field('record', 'status')}
if known and (known ~= incarnation or revision ~= ARGV[5]) then return 'replaced' end
if revision ~= ARGV[5] then return 'stale' end
local labels, head = string.match(record, '^([^\\n]*)\\n[^\\n]*\\n(.*)$', ${HEADER_BYTES + 1})
if not head then return 'corrupt' end

local hasMoved, sequence, created = status ~= ARGV[7], ${numberField('record', 'sequence')}, ${field('record', 'created')}
local nextLabels = string.sub(ARGV[8], 1, string.find(ARGV[8], '\\n', 1, true) - 1)
local isLabelled = nextLabels ~= labels
if ARGV[11] ~= '' then sequence = sequence + 1 end
local statuses, from, to = ARGV[10] ~= '' and 6 or 4, nil, nil
if #KEYS > statuses + 3 then from, to = KEYS[statuses + ${numberOf('status')}], KEYS[statuses + ${numberOf('ARGV[7]')}] end
-- An end is queued once. Until it is reported, the session is not due, and its field report stays.
local owes, fields, time = ${field('record', 'report')}, ARGV[6], ARGV[9]
local isEnd, waits = ARGV[10] ~= '' and owes == '1' and status ~= 'T', owes == '1' and status == 'T'
if status == 'T' then fields = string.sub(fields, 1, ${REPORT_START}) .. owes .. string.sub(fields, ${REPORT_START + 2}) end
if isEnd then time = '' end
local before = ${endOf('record')}
local isDue = not waits and (time ~= '' or before < ${NEVER})
local ending = ARGV[3] .. ':' .. incarnation
if ARGV[15] then
  local active = redis.call('ZCARD', to)
  if active >= tonumber(ARGV[15]) then
    local records = string.sub(KEYS[2], 1, -1 - #ARGV[3])${eachEnded('KEYS[3]', 'records')}
    local isComplete = eachEnded(ARGV[16], function(_, head)
      if ${field('head', 'status')} == ARGV[7] then active = active - 1 end
    end)
    if active >= tonumber(ARGV[15]) then return isComplete and 'too_many' or 'ended' end
  end
end
local hasEvents = ARGV[13] ~= ''
local unleased = ARGV[14] ~= '' and KEYS[hasEvents and #KEYS - 1 or #KEYS]
local waitedSince = unleased and redis.call('ZSCORE', unleased .. status, ARGV[3])
-- The lists that the session leaves, and those that it joins by its creation time.
local leaving, joining = {}, {}
if hasMoved and to then leaving[1], joining[1] = from, to end
if unleased and hasMoved then leaving[#leaving + 1] = unleased .. status end
if isLabelled then
  -- Adds the indexes of the labels that are in the first text but not in the second.
  local function without(texts, others, lists)
    local beginning = string.sub(KEYS[2], 1, -1 - #('record:' .. ARGV[4] .. ':' .. ARGV[3])) .. 'label:' .. ARGV[4] .. ':'
    for text in string.gmatch(texts, '%S+') do
      if not string.find(' ' .. others .. ' ', ' ' .. text .. ' ', 1, true) then lists[#lists + 1] = beginning .. text end
    end
  end
  without(labels, nextLabels, leaving)
  without(nextLabels, labels, joining)
end
local refused = attempt(function()
  -- Removes nothing, but fails before anything is written if ZREM is refused.
  for _, list in ipairs(#leaving > 0 and leaving or joining) do redis.call('ZREM', list, '') end
  for _, list in ipairs(joining) do redis.call('ZADD', list, created, ARGV[3]) end
  if unleased and ARGV[14] ~= '-' then redis.call('ZADD', unleased .. ARGV[7], ARGV[14], ARGV[3]) end
  if isEnd then schedule(KEYS[5], KEYS[6], ARGV[4], ending, ARGV[10]) end
  if isDue then schedule(KEYS[3], KEYS[4], ARGV[4], ARGV[3], time) end
  remember(incarnation)
  if hasEvents and ARGV[11] ~= '' then
    log('1 ' .. ARGV[11] .. ' ' .. incarnation .. ' ' .. sequence .. ARGV[12])
  end
  -- From here on no command can be refused, so this is never undone.
  for _, list in ipairs(leaving) do redis.call('ZREM', list, ARGV[3]) end
  local rest = ARGV[8] .. '\\n' .. head
  local counts = string.format('${formatOf('sequence')}', sequence) .. ${historyOf('record')}
    .. string.format('${formatOf('size')}', #rest)
  redis.call('SET', KEYS[2], ${withLaterActivity('fields', 'record')} .. ${originOf('record')} .. counts .. rest)
end, function()
  for _, list in ipairs(joining) do redis.pcall('ZREM', list, ARGV[3]) end
  if unleased and hasMoved then redis.pcall('ZREM', unleased .. ARGV[7], ARGV[3]) end
  if unleased and not hasMoved and waitedSince then redis.pcall('ZADD', unleased .. status, waitedSince, ARGV[3]) end
  if isEnd then reschedule(KEYS[5], KEYS[6], ARGV[4], ending, '') end
  if isDue then
    reschedule(KEYS[3], KEYS[4], ARGV[4], ARGV[3], before >= ${NEVER} and '' or string.format('%.0f', before))
  end
end)
return refused or 'replaced'
`);
