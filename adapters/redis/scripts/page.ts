import { script } from '../connection.js';
import { field, HEADER_BYTES, isRecord, numberField } from '../record.js';

/** A character that no record contains, because JSON escapes it. */
export const RECORD_SEPARATOR = '\x1e';

/** The most bytes of one record that the script returns. */
const RECORD_BYTES = 8 * 1024;

/** The most sessions that the clock has ended, and no sweep has stored, in one list by status. */
export const MAX_ENDED = 10_000;

/**
 * Finds a page of an index. All bounds are found as ranks, in O(log n), however many sessions are beyond them. An index by
 * status does not know which sessions the clock has ended since: they are found by their deadlines.
 *
 * KEYS  1 index, 2 the beginning of the keys of records, 3 deadlines
 * ARGV  1 'newest' or 'oldest', 2 the time before the first or '', 3 the time after the last or '', 4 and 5 the time and
 *       the member of the place that the page begins after or '', 6 offset, 7 limit, 8 the most bytes of records to
 *       return, 9 the letter of the status of the index or '', 10 now
 * Returns the total, 1 if there are more after the page, then for each session from the oldest on: member, creation time,
 * bytes of its record and of its journal, 0 without a record, -1 if it cannot be read. If the records are within the
 * maximum they follow, with `RECORD_SEPARATOR` before each. Or 'ended' if the clock has ended too many sessions.
 */
export const pageScript = script(`
-- Compares bytes: the comparison of texts in Lua depends on the server's locale.
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local function comesBefore(a, b)
  if a.time ~= b.time then return a.time < b.time end
  return isBefore(a.member, b.member)
end

local function upTo(time)
  return redis.call('ZCOUNT', KEYS[1], '-inf', time)
end

-- Number of members of the index before a place, in ascending order. A binary search within the millisecond: it may have
-- many members.
local function rankOf(place)
  local low, high = upTo('(' .. place.text), upTo(place.text)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if isBefore(found, place.member) then low = middle + 1 else high = middle end
  end
  return low
end

local function countBefore(list, place)
  local count = 0
  for _, item in ipairs(list) do
    if comesBefore(item, place) then count = count + 1 end
  end
  return count
end

local after, before = tonumber(ARGV[2]), tonumber(ARGV[3])
local function isWithin(time)
  return (not after or time > after) and (not before or time < before)
end

-- Sessions that the clock has ended: members of the index that do not count, and sessions that count but are not in it.
local without, isWithout, added = {}, {}, {}
if ARGV[9] ~= '' then
  local due = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[10], 'LIMIT', 0, ${MAX_ENDED + 1})
  if #due > ${MAX_ENDED} then return 'ended' end
  for _, member in ipairs(due) do
    local head = redis.pcall('GETRANGE', KEYS[2] .. member, 0, ${HEADER_BYTES - 1})
    if type(head) == 'string' and ${isRecord('head')} and ${numberField('head', 'deadline')} <= tonumber(ARGV[10]) then
      local status, item = ${field('head', 'status')}, {time = ${numberField('head', 'created')}, member = member}
      if status ~= 'T' and isWithin(item.time) then
        if ARGV[9] == 'T' then added[#added + 1] = item
        elseif status == ARGV[9] then
          without[#without + 1] = item
          isWithout[member] = true
        end
      end
    end
  end
end

local low = after and upTo(ARGV[2]) or 0
local high = math.max(low, before and upTo('(' .. ARGV[3]) or redis.call('ZCARD', KEYS[1]))
local total = high - low - #without + #added

-- The page as ranks among the sessions that count, in ascending order.
local first, last = 0, total
local isRising = ARGV[1] == 'oldest'
if ARGV[4] ~= '' then
  -- An ascending page begins after the place itself: no character of a member sorts before a space.
  local place = {time = tonumber(ARGV[4]), text = ARGV[4], member = ARGV[5] .. (isRising and ' ' or '')}
  local rank = rankOf(place) - low - countBefore(without, place) + countBefore(added, place)
  if isRising then first = math.max(0, rank) else last = math.min(total, rank) end
end
local offset, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
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
if first >= last then return total .. ' 0' end

-- A rank among the sessions that count differs from the rank in the index by at most the number of corrections.
local from = math.max(low, low + first - #added)
local found = redis.call('ZRANGE', KEYS[1], from, math.min(high, low + last + #without) - 1, 'WITHSCORES')
local rank = from - low
if #without + #added > 0 then
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
  found = {}
  for at, item in ipairs(items) do
    found[2 * at - 1], found[2 * at] = item.member, string.format('%.0f', item.time)
  end
end

-- Records are read while all of them are within the maximum; of the others, only their first fields.
local records, left = {}, tonumber(ARGV[8])
local reply, length = {total, hasMore and 1 or 0}, 2
for at = 2 * (first - rank) + 1, math.min(#found, 2 * (last - rank)), 2 do
  local bytes = left > 0 and ${RECORD_BYTES} or ${HEADER_BYTES}
  local record = redis.pcall('GETRANGE', KEYS[2] .. found[at], 0, bytes - 1)
  local size, journal = -1, -1
  if record == '' then
    size, journal = 0, 0
  elseif type(record) == 'string' and ${isRecord('record')} then
    size, journal = ${HEADER_BYTES} + ${numberField('record', 'size')}, ${numberField('record', 'bytes')}
  end
  left = size >= 0 and size <= bytes and left - size or -1
  if left >= 0 then records[#records + 1] = record end
  reply[length + 1], reply[length + 2], reply[length + 3], reply[length + 4] = found[at], found[at + 1], size, journal
  length = length + 4
end
local text = table.concat(reply, ' ')
if left < 0 or ARGV[8] == '0' then return text end
return text .. '${RECORD_SEPARATOR}' .. table.concat(records, '${RECORD_SEPARATOR}')
`);
