import { script } from './script.js';
import { FIXED_LENGTH } from './state-line.js';

/*
 * Scripts that only read: a server runs them while it refuses writes. Of histories none reads more than their end. Those
 * that give several sessions give text, its fields divided by a space or its lines by a line feed: that costs the client
 * less than a list, and members hold neither.
 */

/** Defines `lengthOf(key)`: the bytes of a string, -1 where the key is of a wrong type. */
const lengthOf = `
local function lengthOf(key)
  local length = redis.pcall('STRLEN', key)
  return type(length) == 'number' and length or -1
end`;

/**
 * Finds a page of an index. All bounds are found as ranks, in O(log n), however many sessions lie beyond them. Members
 * that are to be left out, and sessions that are to be on the page though they are not in the index, are few.
 *
 * KEYS  index, and what the keys of records and of journals begin with
 * ARGV  'newest' or 'oldest', the time before the first or '', the time behind the last or '', the time and the member
 *       of the place that the page begins behind or '' and '', offset, limit, how many members to leave out, those, then
 *       the time of creation and the member of each that is to be added
 * Gives the total, 1 if there are more behind the page, then for each session from the oldest on: member, time of
 * creation, bytes of its record and of its journal, -1 for a key of a wrong type.
 */
export const pageScript = script(`${lengthOf}
-- By bytes: how Lua compares texts depends on the server's locale.
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

-- How many of the index come before a place, in rising order, or with it. Those of one millisecond are halved: there may
-- be many.
local function rankOf(place, orAt)
  local low, high = upTo('(' .. place.text), upTo(place.text)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if isBefore(found, place.member) or (orAt and found == place.member) then low = middle + 1 else high = middle end
  end
  return low
end

-- How many of a list come before a place, or with it.
local function countBefore(list, place, orAt)
  local count = 0
  for _, item in ipairs(list) do
    if comesBefore(item, place) or (orAt and not comesBefore(place, item)) then count = count + 1 end
  end
  return count
end

local after, before = tonumber(ARGV[2]), tonumber(ARGV[3])
local function isWithin(time)
  return (not after or time > after) and (not before or time < before)
end

-- Corrections: what is in the index and does not count, and what counts and is not in the index.
local without, isWithout, added = {}, {}, {}
local names = tonumber(ARGV[8])
for at = 9, 8 + names do
  local time = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[at]) or '')
  if time and isWithin(time) then
    without[#without + 1] = {time = time, member = ARGV[at]}
    isWithout[ARGV[at]] = true
  end
end
for at = 9 + names, #ARGV, 2 do
  local time = tonumber(ARGV[at])
  if isWithin(time) and not redis.call('ZSCORE', KEYS[1], ARGV[at + 1]) then
    added[#added + 1] = {time = time, member = ARGV[at + 1]}
  end
end

local low = after and upTo(ARGV[2]) or 0
local high = math.max(low, before and upTo('(' .. ARGV[3]) or redis.call('ZCARD', KEYS[1]))
local total = high - low - #without + #added

-- The page as ranks among those that count, in rising order.
local first, last = 0, total
local isRising = ARGV[1] == 'oldest'
if ARGV[4] ~= '' then
  local place = {time = tonumber(ARGV[4]), text = ARGV[4], member = ARGV[5]}
  local rank = rankOf(place, isRising) - low - countBefore(without, place, isRising) + countBefore(added, place, isRising)
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

-- A rank among those that count differs from that in the index by no more than there are corrections.
local from = math.max(low, low + first - #added)
local found = redis.call('ZRANGE', KEYS[1], from, math.min(high, low + last + #without) - 1, 'WITHSCORES')
local items, rank, start = {}, from - low, nil
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
if #added > 0 then table.sort(items, comesBefore) end

local reply = {total, hasMore and 1 or 0}
for at = first - rank + 1, math.min(#items, last - rank) do
  local item = items[at]
  local record, journal = lengthOf(KEYS[2] .. item.member), lengthOf(KEYS[3] .. item.member)
  reply[#reply + 1] = string.format('%s %.0f %.0f %.0f', item.member, item.time, record, journal)
end
return table.concat(reply, ' ')
`);

/**
 * What a tenant's deadlines say, beside what the records themselves say.
 *
 * KEYS  deadlines, and what the keys of records begin with
 * ARGV  now, how many entries to pass over, how many to give
 * Gives for each entry that has passed, the earliest first, two lines: its member, and the fields of fixed width of its
 * record, '' where there is none, or 'corrupt'.
 */
export const dueScript = script(`${lengthOf}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[2], ARGV[3])
local reply = {}
for _, member in ipairs(found) do
  local record = KEYS[2] .. member
  local length = lengthOf(record)
  local head = length > 0 and redis.call('GETRANGE', record, 0, ${FIXED_LENGTH - 1}) or ''
  if length < 0 or string.find(head, '\\n', 1, true) then head = 'corrupt' end
  reply[#reply + 1] = member
  reply[#reply + 1] = head
end
return table.concat(reply, '\\n')
`);

/**
 * How large one session is.
 *
 * KEYS  record, journal
 * Gives {bytes of its record, bytes of its journal}.
 */
export const sizeScript = script(`
return {redis.call('STRLEN', KEYS[1]), redis.call('STRLEN', KEYS[2])}
`);

/**
 * A session and the end of its journal, as they are at one moment.
 *
 * KEYS  record, journal
 * ARGV  how many bytes of the journal
 * Gives {the record or '', the end of the journal, the length of the journal}.
 */
export const tailScript = script(`
local length = redis.call('STRLEN', KEYS[2])
local tail = length > 0 and redis.call('GETRANGE', KEYS[2], -math.min(length, tonumber(ARGV[1])), -1) or ''
return {redis.call('GET', KEYS[1]) or '', tail, length}
`);
