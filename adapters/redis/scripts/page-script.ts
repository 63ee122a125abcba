import { script } from '../connection.js';
import { field, HEADER_BYTES, numberField, startsRecord, wasRewound } from '../record.js';
import { eachEnded } from './each-ended.js';
import { isBefore } from './is-before.js';

/**
 * Returns `total`, `edge` and the sessions of `members`, with their records as long as these fit into ARGV[4] bytes.
 * `records` is a Lua expression for the prefix of the keys of records.
 */
const replyWithMembers = (records: string): string => `
local reply, left = {total, edge}, tonumber(ARGV[4])
for _, member in ipairs(members) do
  -- A record is text in UTF-8. If it was cut, it has fewer bytes than its header says.
  local key = ${records} .. member
  local text = redis.pcall('GETRANGE', key, '0', math.max(left, ${HEADER_BYTES}) - 1 .. '')
  local size, bytes, record = '-', '-', ''
  if type(text) ~= 'string' or text == '' then
    if redis.call('EXISTS', key) == 0 then size, bytes = '', '' end
  elseif ${startsRecord('text')} then
    size, bytes = ${field('text', 'size')}, ${field('text', 'bytes')}
    if ${wasRewound('text')} then bytes = 'r' .. ${field('text', 'shown')} end
    if #text <= left and tonumber(size) == #text - ${HEADER_BYTES} then
      left, record = left - #text, text
    end
  end
  local at = #reply
  reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4] = member, size, bytes, record
end
-- Unpacked, because test doubles return only arrays that are created in one expression.
return {unpack(reply)}
`;

/**
 * Finds a page of an index. All bounds are found as ranks, in O(log n), independent of the number of sessions beyond
 * them. An index by status does not reflect ends by the clock that are not stored, so the script finds these by their
 * deadlines.
 *
 * KEYS  1 index, 2 the prefix of the keys of records, 3 the index of all sessions, 4 deadlines, for an index by status
 * ARGV  1 'newest' or 'oldest', 2 offset, 3 limit, 4 the maximum bytes of records to return, 0 for none. The others are
 *       '' or missing if they are not used: 5 lower bound of the creation time, exclusive, 6 upper bound, exclusive, 7
 *       and 8 the time and the member of the position after which the page begins, 9 the letter of the status of the
 *       index, 10 now
 * Returns {the total; the creation time of the last session in the order of the page if more follow, or ''; then for
 * each session of the page, oldest first: its member, the size of its record after the header, the size of its journal,
 * or `r` and the size of its history if it was rewound, and its record, or '' if it is not returned}. The sizes are
 * copied from the header. Both are '' for a missing record, and '-' for one that cannot be read. Returns 'ended' if the
 * clock has ended too many sessions.
 */
export const pageScript = script(`${isBefore}${eachEnded('KEYS[4]', 'KEYS[2]')}
local function comesBefore(a, b)
  if a.time ~= b.time then return a.time < b.time end
  return isBefore(a.member, b.member)
end

local function upTo(time)
  return redis.call('ZCOUNT', KEYS[1], '-inf', time)
end

-- Number of members of the index before a position, in ascending order. Uses a binary search within the millisecond,
-- which may have many members.
local function rankOf(position)
  local low, high = upTo('(' .. position.text), upTo(position.text)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if isBefore(found, position.member) then low = middle + 1 else high = middle end
  end
  return low
end

local function countBefore(list, position)
  local count = 0
  for _, item in ipairs(list) do
    if comesBefore(item, position) then count = count + 1 end
  end
  return count
end

local after, before, status = tonumber(ARGV[5] or ''), tonumber(ARGV[6] or ''), ARGV[9] or ''
local function isWithin(time)
  return (not after or time > after) and (not before or time < before)
end

-- Sessions that the clock has ended: members of the index to leave out, and sessions to add that are not in the index.
local without, isWithout, added = {}, {}, {}
if status ~= '' then
  local isComplete = eachEnded(ARGV[10], function(member, head)
    local item = {time = ${numberField('head', 'created')}, member = member}
    if not isWithin(item.time) then return end
    if status == 'T' then added[#added + 1] = item
    elseif ${field('head', 'status')} == status then
      without[#without + 1] = item
      isWithout[member] = true
    end
  end)
  if not isComplete then return 'ended' end
end

local low = after and upTo(ARGV[5]) or 0
local high = math.max(low, before and upTo('(' .. ARGV[6]) or redis.call('ZCARD', KEYS[1]))
local total = high - low - #without + #added

-- The page as ranks among the corrected sessions, in ascending order.
local first, last = 0, total
local isRising = ARGV[1] == 'oldest'
if (ARGV[7] or '') ~= '' then
  -- An ascending page begins after the position itself: no member contains a character that sorts before a space.
  local position = {time = tonumber(ARGV[7]), text = ARGV[7], member = ARGV[8] .. (isRising and ' ' or '')}
  local rank = rankOf(position) - low - countBefore(without, position) + countBefore(added, position)
  if isRising then first = math.max(0, rank) else last = math.min(total, rank) end
end
local offset, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local hasMore
if isRising then
  first = first + offset
  hasMore = last > first + limit
  last = math.min(last, first + limit)
else
  last = last - offset
  hasMore = last - limit > first
  first = math.max(first, last - limit)
end
if first >= last then return {total, ''} end

local members = {}
if #without + #added == 0 then
  members = redis.call('ZRANGE', KEYS[1], low + first .. '', low + last - 1 .. '')
else
  -- A rank among the corrected sessions differs from the rank in the index by at most the number of corrections.
  local from = math.max(low, low + first - #added)
  local found = redis.call('ZRANGE', KEYS[1], from, math.min(high, low + last + #without) - 1, 'WITHSCORES')
  local rank = from - low
  local items, start = {}, nil
  if from > low then
    start = {time = tonumber(found[2]), member = found[1]}
    rank = rank - countBefore(without, start) + countBefore(added, start)
  end
  for at = 1, from < high and #found or 0, 2 do
    if not isWithout[found[at]] then items[#items + 1] = {time = tonumber(found[at + 1]), member = found[at]} end
  end
  for _, item in ipairs(added) do
    if not start or not comesBefore(item, start) then items[#items + 1] = item end
  end
  table.sort(items, comesBefore)
  for at = first - rank + 1, math.min(#items, last - rank) do members[#members + 1] = items[at].member end
end

local edge = ''
if hasMore then
  edge = members[isRising and #members or 1]
  edge = redis.call('ZSCORE', KEYS[3], edge) or redis.call('ZSCORE', KEYS[1], edge)
end
${replyWithMembers('KEYS[2]')}`);

/**
 * Reads the sessions of a page that is known.
 *
 * KEYS  1 the prefix of the keys of records
 * ARGV  1 the total, 2 the edge, 3 the number of members, 4 the maximum bytes of records to return, 0 for none, then the
 *       members
 * Returns the same as `pageScript`.
 */
export const membersScript = script(`
local total, edge, members = ARGV[1], ARGV[2], {unpack(ARGV, 5, 4 + ARGV[3])}
${replyWithMembers('KEYS[1]')}`);
