import { script } from './connection.js';
import { MARK_LENGTH } from './journal-text.js';

/** A character that no record contains, because JSON escapes it. */
export const RECORD_SEPARATOR = '\x1e';

/**
 * Finds a page of an index. It finds all bounds as ranks, in O(log n), however many sessions are beyond them. Few
 * members are left out, and few sessions are added that are not in the index.
 *
 * KEYS  index, and the common beginning of the keys of records and of journals
 * ARGV  'newest' or 'oldest', the time before the first or '', the time after the last or '', the time and the member
 *       of the place that the page begins after or '' and '', offset, limit, maximum number of bytes of records to
 *       return or '' if histories are wanted, the number of members to leave out, these members, then the creation time
 *       and the member of each session to add
 * Returns the total, 1 if there are more after the page, then for each session from the oldest on: member, creation
 * time, bytes of its record, -1 for a key of a wrong type; and if histories are wanted, bytes of its journal, otherwise
 * the number of appends and of entries in it, as hexadecimal numbers, or '-' and '-' if they cannot be read.
 *
 * If no histories are wanted, and all records are within the maximum and of the right type, they follow, with
 * `RECORD_SEPARATOR` before each.
 */
export const pageScript = script(`
local function lengthOf(key)
  local length = redis.pcall('STRLEN', key)
  return type(length) == 'number' and length or -1
end

-- The numbers of appends and entries in the last mark of a journal.
local function countsOf(key)
  local mark = redis.pcall('GETRANGE', key, -${MARK_LENGTH}, -1)
  if mark == '' then return '0 0' end
  if type(mark) ~= 'string' then return lengthOf(key) == 0 and '0 0' or '- -' end
  local appends, entries = string.match(mark, '^[%w_-]+:(%x+):%x+:(%x+)",\\n$')
  return appends and appends .. ' ' .. entries or '- -'
end

-- Reads a record of the page while all are within the maximum. Returns its length.
local records, left = {}, tonumber(ARGV[8])
local function readRecord(key)
  local record = left >= 0 and (redis.pcall('GET', key) or '')
  if type(record) ~= 'string' then
    left = -1
    return lengthOf(key)
  end
  records[#records + 1] = record
  left = left - #record
  return #record
end

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

-- Corrections: members of the index that do not count, and sessions that count but are not in the index.
local without, isWithout, added = {}, {}, {}
local names = tonumber(ARGV[9])
for at = 10, 9 + names do
  local time = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[at]) or '')
  if time and isWithin(time) then
    without[#without + 1] = {time = time, member = ARGV[at]}
    isWithout[ARGV[at]] = true
  end
end
for at = 10 + names, #ARGV, 2 do
  local time = tonumber(ARGV[at])
  if isWithin(time) and not redis.call('ZSCORE', KEYS[1], ARGV[at + 1]) then
    added[#added + 1] = {time = time, member = ARGV[at + 1]}
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

local reply, length = {total, hasMore and 1 or 0}, 2
for at = 2 * (first - rank) + 1, math.min(#found, 2 * (last - rank)), 2 do
  local record, journal = KEYS[2] .. found[at], KEYS[3] .. found[at]
  reply[length + 1], reply[length + 2] = found[at], found[at + 1]
  reply[length + 3] = left and readRecord(record) or lengthOf(record)
  reply[length + 4] = left and countsOf(journal) or lengthOf(journal)
  length = length + 4
end
local text = table.concat(reply, ' ')
if not left or left < 0 then return text end
return text .. '${RECORD_SEPARATOR}' .. table.concat(records, '${RECORD_SEPARATOR}')
`);
