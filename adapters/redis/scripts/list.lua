-- Finds a page of one index, by number or after a session in the index. It follows no other script
-- and defines no functions, because defining them would take the server longer than this page.
--
-- KEYS  1 the prefix of the keys of records, 2 that of journals, 3 the index
-- ARGV  1 'newest' or 'oldest', 2 offset, 3 limit, 4 what to read of each session: '' for nothing,
--       'size' or 'record', 5 the maximum bytes of records, 6 and 7 the time and the member of the
--       session after which the page begins, or ''
-- Returns the same as page.lua, or 'moved' if that session is not in its place.

local call, try = redis.call, redis.pcall
local records, journals, index = KEYS[1], KEYS[2], KEYS[3]
local isRising, part, maximum = ARGV[1] == 'oldest', ARGV[4], tonumber(ARGV[5])
local time, member = ARGV[6], ARGV[7]

local total = call('ZCARD', index)
local from = tonumber(ARGV[2])
if member ~= '' then
  if tonumber(call('ZSCORE', index, member) or '') ~= tonumber(time) then return 'moved' end
  local rank = call('ZRANK', index, member)
  from = from + 1 + (isRising and rank or total - 1 - rank)
end
local to = math.min(total, from + tonumber(ARGV[3]))
if from >= to then return {total, '', 0} end

local low, high = from, to
if not isRising then low, high = total - to, total - from end
local found = call('ZRANGE', index, low .. '', high - 1 .. '')
local reply = {total, '', 0}
for at = 1, #found do reply[at + 3] = found[isRising and at or #found + 1 - at] end
if to < total then reply[2] = call('ZSCORE', index, reply[#reply]) end
