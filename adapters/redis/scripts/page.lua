-- Finds a page of an index, or of several by status as one, or takes a page that is known. All
-- bounds are found as ranks, in O(log n), independent of the number of sessions beyond them. An
-- index by status does not reflect ends by the clock that are not stored, so these are found by
-- their due times.
--
-- KEYS  1 index, 2 the prefix of the keys of records, 3 the index of all sessions; for indexes by
--       status: 4 due times, then the indexes of further statuses
-- ARGV  1 'newest', 'oldest', or 'known' for a page that is known, 2 offset, or the total of a
--       known page, 3 limit, or the edge of a known page, 4 what to return of each session: 'ids',
--       'times', 'size' for that of all, 'sizes', or the maximum bytes of records. For a known page
--       its members follow. The others are '' or missing if they are not used: 5 lower bound of the
--       creation time, exclusive, 6 upper bound, exclusive, 7 and 8 the time and the member of the
--       position after which the page begins, 9 the letters of the statuses of the indexes, 10 now,
--       11 for 'times' the time up to which ends by the clock count as updates
-- Returns {the total; the creation time of the last session in the order of the page if more
-- follow, or ''; for 'size' the bytes of all sessions of the page; then for each, oldest first: its
-- member, for 'times' the time of its last update, or '' if its record is missing, and for 'sizes'
-- or records the size of its record, that of its history, and its record, or '' if it is not
-- returned}. The sizes are '' for a missing record, and '-' for one that cannot be read. Returns
-- 'ended' if the clock has ended too many sessions.

local indexes, records, all, due = {KEYS[1], unpack(KEYS, 5)}, KEYS[2], KEYS[3], KEYS[4]
local order, offset, limit, parts = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local after, before = tonumber(ARGV[5] or ''), tonumber(ARGV[6] or '')
local afterText, beforeText, positionTime, positionMember = ARGV[5], ARGV[6], ARGV[7] or '', ARGV[8]
local statuses, now, updatedAt = ARGV[9] or '', ARGV[10], tonumber(ARGV[11] or '')
local call, try, match = redis.call, redis.pcall, string.match

local MAX_ENDED = 10000
local HEADER = '^1 %d+ [%w_-]+ (%d+) (%d+) [%d ]+([IAPT]) %d+ %d+ (%d+) (%d+) %d+ %d+\n'

-- Bytes of a journal that a rewind has superseded, from the first 272 bytes of a record, which have them. A history
-- that was never rewound has no tail.
local function hiddenIn(text, tail)
  if tail == 0 then return 0 end
  return tonumber(match(text, '\n[%d ;-]*' .. string.format('%d', tail) .. ' (%d+)')) or 0
end

-- The bytes of all sessions, without those that are missing or cannot be read.
local function sizeOf(members)
  local sum = 0
  for _, member in ipairs(members) do
    local key = records .. member
    local bytes = try('STRLEN', key)
    if type(bytes) == 'number' and bytes > 0 then
      -- The length and the tail, in fields of fixed width.
      local history, tail = match(call('GETRANGE', key, '87', '111'), '^(%d+) (%d+)$')
      if tail and tail + 0 > 0 then history = history - hiddenIn(call('GETRANGE', key, '0', '271'), tonumber(tail)) end
      if history then sum = sum + bytes + history end
    end
  end
  return string.format('%.0f', sum)
end

-- The text up to the end of the header of a record: '' if it is missing, nil if it cannot be read.
local function headerOf(member)
  local text = try('GETRANGE', records .. member, '0', '255')
  return type(text) == 'string' and text or nil
end

local function endOf(used, letter, deadline, inactivity)
  local ends = tonumber(deadline)
  if letter == 'A' then ends = math.min(ends, used + inactivity) end
  return ends
end

-- A session that cannot be read keeps its place among those of its creation, so that it is reported.
local function updateOf(member)
  local text = headerOf(member)
  if text == '' then return '' end
  local _, used, letter, deadline, inactivity = match(text or '', HEADER)
  if not used then return call('ZSCORE', all, member) or '0' end
  if letter == 'T' then return used end
  local ends = endOf(used, letter, deadline, inactivity)
  return string.format('%.0f', ends <= updatedAt and math.max(ends, used) or used)
end

local function replyWith(total, edge, members)
  if parts == 'size' then return {total, edge, sizeOf(members), unpack(members)} end
  local reply, left = {total, edge}, tonumber(parts) or 0
  for _, member in ipairs(members) do
    reply[#reply + 1] = member
    if parts == 'times' then
      reply[#reply + 1] = updateOf(member)
    elseif parts ~= 'ids' then
      local key = records .. member
      local bytes = try('STRLEN', key)
      local size, history, record = '-', '-', ''
      if bytes == 0 then
        size, history = '', ''
      elseif type(bytes) == 'number' then
        local isWhole = bytes <= left
        local text = call('GETRANGE', key, '0', isWhole and '-1' or '271')
        local found, tail = match(text, '^1 %d+ [%w_-]+ %d+ %d+ %d+ %d+ (%d+) (%d+) ')
        if found then size, history = bytes, string.format('%d', found - hiddenIn(text, tonumber(tail))) end
        if isWhole and found then left, record = left - bytes, text end
      end
      local at = #reply
      reply[at + 1], reply[at + 2], reply[at + 3] = size, history, record
    end
  end
  -- Unpacked, because test doubles return only arrays that are created in one expression.
  return {unpack(reply)}
end

if order == 'known' then return replyWith(ARGV[2], ARGV[3], {unpack(ARGV, 5)}) end

-- Compares bytes: the comparison of texts in Lua depends on the locale of the server.
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
  local count = 0
  for _, index in ipairs(indexes) do count = count + call('ZCOUNT', index, '-inf', time) end
  return count
end

local sizes, size = {}, 0
for at, index in ipairs(indexes) do
  sizes[at] = call('ZCARD', index)
  size = size + sizes[at]
end

-- Number of members of the indexes before a position, in ascending order. Uses a binary search
-- within the millisecond, which may have many members.
local function rankOf(position)
  local rank = 0
  for _, index in ipairs(indexes) do
    local low = call('ZCOUNT', index, '-inf', '(' .. position.text)
    local high = call('ZCOUNT', index, '-inf', position.text)
    while low < high do
      local middle = math.floor((low + high) / 2)
      local found = call('ZRANGE', index, middle .. '', middle .. '')[1]
      if isBefore(found, position.member) then low = middle + 1 else high = middle end
    end
    rank = rank + low
  end
  return rank
end

-- Number of members of one index among the first ones of all indexes, in ascending order.
local function shareOf(at, count)
  local low, high = math.max(0, count - (size - sizes[at])), math.min(count, sizes[at])
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = call('ZRANGE', indexes[at], middle .. '', middle .. '', 'WITHSCORES')
    if rankOf({text = found[2], member = found[1]}) < count then low = middle + 1 else high = middle end
  end
  return low
end

-- The items of the indexes from one rank to another, exclusive, in ascending order.
local function slice(from, to)
  local items = {}
  for at, index in ipairs(indexes) do
    local first, last = shareOf(at, from), shareOf(at, to)
    local found = first < last and call('ZRANGE', index, first .. '', last - 1 .. '', 'WITHSCORES') or {}
    for each = 1, #found, 2 do items[#items + 1] = {time = tonumber(found[each + 1]), member = found[each]} end
  end
  if #indexes > 1 then table.sort(items, comesBefore) end
  return items
end

local function countBefore(list, position)
  local count = 0
  for _, item in ipairs(list) do
    if comesBefore(item, position) then count = count + 1 end
  end
  return count
end

-- Sessions that the clock has ended: members of the indexes to leave out, and sessions to add that
-- are not in any of them.
local without, isWithout, added = {}, {}, {}

local function correct(member)
  local created, used, letter, deadline, inactivity = match(headerOf(member) or '', HEADER)
  if not created or letter == 'T' then return end
  if endOf(used, letter, deadline, inactivity) > now + 0 then return end
  local item = {time = tonumber(created), member = member}
  if after and item.time <= after or before and item.time >= before then return end
  local isListed, isAsked = string.find(statuses, letter, 1, true), string.find(statuses, 'T', 1, true)
  if isAsked and not isListed then
    added[#added + 1] = item
  elseif isListed and not isAsked then
    without[#without + 1] = item
    isWithout[member] = true
  end
end

if statuses ~= '' then
  local ended = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', '0', MAX_ENDED + 1 .. '')
  if #ended > MAX_ENDED then return 'ended' end
  for _, member in ipairs(ended) do correct(member) end
end

local low = after and upTo(afterText) or 0
local high = math.max(low, before and upTo('(' .. beforeText) or size)
local total = high - low - #without + #added

-- The page as ranks among the corrected sessions, in ascending order.
local first, last = 0, total
local isRising = order == 'oldest'
if positionTime ~= '' then
  -- An ascending page begins after the position itself: no member contains a character that sorts before a
  -- space.
  local member = positionMember .. (isRising and ' ' or '')
  local position = {time = tonumber(positionTime), text = positionTime, member = member}
  local rank = rankOf(position) - low - countBefore(without, position) + countBefore(added, position)
  if isRising then first = math.max(0, rank) else last = math.min(total, rank) end
end
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

local function timeOf(member)
  local time = call('ZSCORE', all, member)
  for _, index in ipairs(indexes) do time = time or call('ZSCORE', index, member) end
  return time
end

local members = {}
if #indexes == 1 and #without + #added == 0 then
  members = call('ZRANGE', KEYS[1], low + first .. '', low + last - 1 .. '')
else
  -- A rank among the corrected sessions differs from the rank in the indexes by at most the number of
  -- corrections.
  local from = math.max(low, low + first - #added)
  local found = from < high and slice(from, math.min(high, low + last + #without)) or {}
  local rank = from - low
  local items, start = {}, nil
  if from > low then
    start = found[1]
    rank = rank - countBefore(without, start) + countBefore(added, start)
  end
  for _, item in ipairs(found) do
    if not isWithout[item.member] then items[#items + 1] = item end
  end
  for _, item in ipairs(added) do
    if not start or not comesBefore(item, start) then items[#items + 1] = item end
  end
  table.sort(items, comesBefore)
  for at = first - rank + 1, math.min(#items, last - rank) do members[#members + 1] = items[at].member end
end

local edge = ''
if hasMore then
  edge = timeOf(members[isRising and #members or 1])
end
return replyWith(total, edge, members)
