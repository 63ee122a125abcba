-- Finds the sessions that nobody holds at a time, the longest free first. The position after which
-- they begin is found by its rank, in O(log n), even if many sessions became free in the same
-- millisecond.
--
-- KEYS  1 the open sessions of a status by the time at which they became free
-- ARGV  1 now, 2 the maximum number of sessions, then if the page begins after a position: 3 its
--       time, 4 its member
-- Returns a flat list: each member, followed by its time.

local list, now, most, since, after = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- Compares bytes: the comparison of texts in Lua depends on the locale of the server.
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local first, count = 0, redis.call('ZCOUNT', list, '-inf', now)
if since then
  local last = redis.call('ZCOUNT', list, '-inf', since)
  first = redis.call('ZCOUNT', list, '-inf', '(' .. since)
  while first < last do
    local middle = math.floor((first + last) / 2)
    local member = redis.call('ZRANGE', list, middle .. '', middle .. '')[1]
    if isBefore(after, member) then last = middle else first = middle + 1 end
  end
end
if first >= count then return {} end
return redis.call('ZRANGE', list, first .. '', math.min(first + most, count) - 1 .. '', 'WITHSCORES')
