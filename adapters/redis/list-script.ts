import { script } from './script.js';

/**
 * A page of an index by its bounds, with the strings of its sessions. Changes nothing. All bounds are found as ranks, in
 * O(log n), however many sessions lie beyond them; those of one millisecond are halved until the place is found, for
 * there may be many.
 *
 * KEYS  index, and what the keys of states and of journals begin with
 * ARGV  'newest' or 'oldest', the time before the first or '', the time behind the last or '', the time and the member
 *       of the place that the page begins behind or '' and '', offset, limit
 * Gives {how many there are between the times, the last one's time if there are more behind the page, else '', the
 * members of the page from the oldest on, then lists of their states and journals in turn: as many lists as it takes,
 * for Lua passes on only so many values}.
 */
export const listScript = script(`
local newest = ARGV[1] == 'newest'

local function upTo(time)
  return redis.call('ZCOUNT', KEYS[1], '-inf', time)
end

-- By bytes: how Lua compares texts depends on the server's locale.
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- How many come before the place, in rising order, or with it.
local function upToPlace(time, member, orAt)
  local low, high = upTo('(' .. time), upTo(time)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if isBefore(found, member) or (orAt and found == member) then low = middle + 1 else high = middle end
  end
  return low
end

local low = ARGV[2] == '' and 0 or upTo(ARGV[2])
local high = ARGV[3] == '' and redis.call('ZCARD', KEYS[1]) or upTo('(' .. ARGV[3])
local total = math.max(0, high - low)
if ARGV[4] ~= '' and newest then high = math.min(high, upToPlace(ARGV[4], ARGV[5], false)) end
if ARGV[4] ~= '' and not newest then low = math.max(low, upToPlace(ARGV[4], ARGV[5], true)) end
local count = math.min(tonumber(ARGV[7]), high - low - tonumber(ARGV[6]))
if count <= 0 then return {total, '', {}} end
local first = newest and high - tonumber(ARGV[6]) - count or low + tonumber(ARGV[6])
local found = redis.call('ZRANGE', KEYS[1], first, first + count - 1)
local keys, strings = {}, {}
for at, member in ipairs(found) do
  keys[2 * at - 1] = KEYS[2] .. member
  keys[2 * at] = KEYS[3] .. member
end
for at = 1, #keys, 1000 do
  strings[#strings + 1] = redis.call('MGET', unpack(keys, at, math.min(#keys, at + 999)))
end
local hasMore = newest and first > low or not newest and first + count < high
local last = hasMore and redis.call('ZSCORE', KEYS[1], found[newest and 1 or #found]) or ''
return {total, last, found, unpack(strings)}
`);
