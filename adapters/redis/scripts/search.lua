-- Finds, in parts, the sessions that have several labels, a label and a status, or a label in the
-- order of their last update. Examines the sessions between the two times that have the label with
-- the fewest of them, in the order of their creation, and reads from the records what no index
-- contains.
--
-- KEYS  1 the prefix of the keys of records, then the indexes of the labels
-- ARGV  1 'updated' or another order, 2 lower bound of the creation time, exclusive, or '', 3 upper
--       bound, exclusive, or '', 4 the letters of statuses or '', 5 the time at which the sessions
--       must have one, 6 the time up to which ends by the clock count as updates, 7 the maximum
--       number of sessions with the label, then after the first part: 8 the number of the label
--       whose sessions are examined, 9 and 10 the time and the member of the last one
-- Returns {the number of that label, the time and the member of the last session that was examined
-- or '' if none follows, then each session that was found, followed by its time in the order}. Or
-- {'many'} if each label has too many sessions.

local records, lists = KEYS[1], {unpack(KEYS, 2)}
local order, after, before, statuses = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local statusAt, updatedAt, most = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local chosen, lastTime, lastMember = tonumber(ARGV[8] or ''), ARGV[9], ARGV[10]
local call, try, match, number = redis.call, redis.pcall, string.match, tonumber

-- Number of sessions that one call examines, so that others get their turn: about a millisecond.
local PART = 300
local HEADER = '^1 %d+ [%w_-]+ %d+ (%d+) [%d ]+([IAPT]) %d+ %d+ (%d+) (%d+) %d+ %d+\n'

-- Compares bytes: the comparison of texts in Lua depends on the locale of the server.
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local low, high = after == '' and '-inf' or '(' .. after, before == '' and '+inf' or '(' .. before
if not chosen then
  local least
  for at, list in ipairs(lists) do
    local found = call('ZCOUNT', list, low, high)
    if not least or found < least then chosen, least = at, found end
  end
  if least > most then return {'many'} end
end
local list = table.remove(lists, chosen)
local first = after == '' and 0 or call('ZCOUNT', list, '-inf', after)
local beyond = call('ZCOUNT', list, '-inf', high)
if lastTime then
  -- By the position, because other sessions may have been removed since the last part.
  local last = call('ZCOUNT', list, '-inf', lastTime)
  first = call('ZCOUNT', list, '-inf', '(' .. lastTime)
  while first < last do
    local middle = math.floor((first + last) / 2)
    local member = call('ZRANGE', list, middle .. '', middle .. '')[1]
    if isBefore(lastMember, member) then last = middle else first = middle + 1 end
  end
end

-- nil if there is no such session, or it has no status that is asked for. Keeps a session that
-- cannot be read, so that it is reported.
local function timeOf(member, created)
  local text = try('GETRANGE', records .. member, '0', '255')
  if text == '' then return nil end
  if type(text) ~= 'string' then return created end
  local used, letter, deadline, inactivity = match(text, HEADER)
  if not used then return created end
  used = number(used)
  if letter ~= 'T' then
    local ends = number(deadline)
    if letter == 'A' then ends = math.min(ends, used + inactivity) end
    if ends <= statusAt then letter = 'T' end
    if ends <= updatedAt and ends > used then used = ends end
  end
  if statuses ~= '' and not string.find(statuses, letter, 1, true) then return nil end
  return order == 'updated' and used or created
end

local upto = math.min(first + PART, beyond)
local found = {}
if first < upto then found = call('ZRANGE', list, first .. '', upto - 1 .. '', 'WITHSCORES') end
local reply = {chosen, '', ''}
if upto < beyond then reply[2], reply[3] = found[#found], found[#found - 1] end
local isInRecord = order == 'updated' or statuses ~= ''
for at = 1, #found, 2 do
  local member, time = found[at], number(found[at + 1])
  for _, other in ipairs(lists) do
    if time and not call('ZSCORE', other, member) then time = nil end
  end
  if time and isInRecord then time = timeOf(member, time) end
  if time then reply[#reply + 1], reply[#reply + 2] = member, string.format('%.0f', time) end
end
-- Unpacked, because test doubles return only arrays that are created in one expression.
return {unpack(reply)}
