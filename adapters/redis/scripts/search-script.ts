import { LABEL_SEARCH_LIMIT } from '../../../src/session/session-limits.js';
import { script } from '../connection.js';
import { field, LAST_ACTIVITY_END, startsRecord } from '../record.js';
import { isBefore } from './is-before.js';

/** A field of `head`. Uses the local name of string.sub, which saves a lookup for each session. */
const inHead = (name: Parameters<typeof field>[1]): string => field('head', name).replace('string.sub', 'sub');

/** Maximum number of sessions that one call examines, so that other clients get their turn: about a millisecond. */
const PART = 300;

/**
 * Finds, in parts, the sessions that have several labels, a label and a status, or a label in the order of their last
 * update. Examines the sessions between the two times that have the label with the fewest of them, in the order of their
 * creation, and reads from the records what no index contains.
 *
 * KEYS  1 the prefix of the keys of records, then the indexes of the labels
 * ARGV  1 'updated' or another order, 2 lower bound of the creation time, exclusive, or '', 3 upper bound, exclusive, or
 *       '', 4 the letter of a status or '', 5 the time at which the sessions must have it, 6 the time up to which ends by
 *       the clock count as updates, then after the first part: 7 the number of the label whose sessions are examined, 8
 *       and 9 the time and the member of the last one
 * Returns {the number of that label, the time and the member of the last session that was examined or '' if none
 * follows, then each session that was found, followed by its time in the order}. Or {'many', the number of the label} if
 * that has too many sessions.
 */
export const searchScript = script(`${isBefore}
local lists, chosen = {unpack(KEYS, 2)}, tonumber(ARGV[7] or '')
local low, high = ARGV[2] == '' and '-inf' or '(' .. ARGV[2], ARGV[3] == '' and '+inf' or '(' .. ARGV[3]
if not chosen then
  local count
  for at, list in ipairs(lists) do
    local found = redis.call('ZCOUNT', list, low, high)
    if not count or found < count then chosen, count = at, found end
  end
  if count > ${LABEL_SEARCH_LIMIT} then return {'many', chosen} end
end
local list = table.remove(lists, chosen)
local first = ARGV[2] == '' and 0 or redis.call('ZCOUNT', list, '-inf', ARGV[2])
local beyond = redis.call('ZCOUNT', list, '-inf', high)
if ARGV[8] then
  -- By the position, because other sessions may have been removed since the last part.
  local last = redis.call('ZCOUNT', list, '-inf', ARGV[8])
  first = redis.call('ZCOUNT', list, '-inf', '(' .. ARGV[8])
  while first < last do
    local middle = math.floor((first + last) / 2)
    local member = redis.call('ZRANGE', list, middle .. '', middle .. '')[1]
    if isBefore(ARGV[9], member) then last = middle else first = middle + 1 end
  end
end

local isByUpdate, status = ARGV[1] == 'updated', ARGV[4]
local statusAt, updatedAt = tonumber(ARGV[5]), tonumber(ARGV[6])
local get, sub, number = redis.pcall, string.sub, tonumber
-- nil if there is no such session, or it has another status. Keeps a session that cannot be read, so that it is
-- reported.
local function timeOf(member, created)
  local head = get('GETRANGE', KEYS[1] .. member, '0', '${LAST_ACTIVITY_END - 1}')
  if head == '' then return nil end
  if type(head) ~= 'string' or not ${startsRecord('head')} then return created end
  local letter, used, deadline = ${inHead('status')}, number(${inHead('lastActivity')}), number(${inHead('deadline')})
  local inactivity = number(${inHead('inactivity')})
  if not (used and deadline and inactivity) then return created end
  if letter ~= 'T' then
    local ends = deadline
    if letter == 'A' and used + inactivity < ends then ends = used + inactivity end
    if ends <= statusAt then letter = 'T' end
    if ends <= updatedAt and ends > used then used = ends end
  end
  if status ~= '' and letter ~= status then return nil end
  return isByUpdate and used or created
end

local upto = math.min(first + ${PART}, beyond)
local found = first < upto and redis.call('ZRANGE', list, first .. '', upto - 1 .. '', 'WITHSCORES') or {}
local reply = {chosen, '', ''}
if upto < beyond then reply[2], reply[3] = found[#found], found[#found - 1] end
local isInHead = isByUpdate or status ~= ''
for at = 1, #found, 2 do
  local member, time = found[at], number(found[at + 1])
  for _, other in ipairs(lists) do
    if time and not redis.call('ZSCORE', other, member) then time = nil end
  end
  if time and isInHead then time = timeOf(member, time) end
  if time then reply[#reply + 1], reply[#reply + 2] = member, string.format('%.0f', time) end
end
-- Unpacked, because test doubles return only arrays that are created in one expression.
return {unpack(reply)}
`);
