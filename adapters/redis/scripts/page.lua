-- Finds a page of one index, or of several indexes by status merged. It finds all bounds as ranks
-- in O(log n), whatever the number of sessions beyond them. Indexes by status do not reflect expiry
-- that is not stored yet, so the script finds such sessions by their due times.
--
-- KEYS  1 the prefix of the keys of records, 2 that of journals, then the indexes, due times, and
--       further indexes: those that must also contain a session of a search, or the other indexes
--       by status
-- ARGV  1 to 7 as for list.lua; for a search, 4 is 'created' or 'updated'; 8 lower bound of the
--       creation time, exclusive, 9 upper bound, exclusive, 10 the letters of the statuses, 11
--       the time at which the sessions have them, 12 the time by which an expiry counts as an
--       update, 13 the number of indexes, 14 '1' for indexes by status; 8 to 10 may be ''
-- Returns {the total; the time of the last session in the order of the page if more follow, or '';
-- the bytes of the records, for 'size' those of the journals; then the members in the order of the
-- page; then for each its record, or the time by which a search orders it, if requested}. A record
-- is '' if it is missing, '-' if its key has a wrong type; a time is '' for a session outside the
-- search. Returns 'ended' if too many sessions have expired.

local isRising, part, maximum = ARGV[1] == 'oldest', ARGV[4], tonumber(ARGV[5])
local offset, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local positionTime, positionMember, after, before = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local statuses, now, updatedAt = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
local count, isByStatus = tonumber(ARGV[13]), ARGV[14] == '1'
local records, journals, due = KEYS[1], KEYS[2], KEYS[count + 3]

local MAX_ENDED = 10000

-- With `headerOf`, a search would take the server a fifth longer.
local TIMES = '^1 %d+ [%w_-]+ (%d+) (%d+) [%d ]+([IAPT]) (%d+) (%d+) %d+ %d+ %d+\n'
local function timesOf(text)
  local created, activity, status, deadline, inactivity = match(text, TIMES)
  return created and {
    created = created, activity = activity, status = status, deadline = tonumber(deadline),
    inactivity = inactivity,
  }
end

local function placeOf(text, idKey)
  return {text = text, time = tonumber(text), idKey = idKey}
end

-- Compares bytes, because Lua compares strings by the locale of the server.
local function comesBefore(a, b)
  if a.time ~= b.time then return a.time < b.time end
  a, b = a.idKey, b.idKey
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- Binary search for the first number from `low` up to `high` for which `isBelow` is false.
local function firstFrom(low, high, isBelow)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isBelow(middle) then low = middle + 1 else high = middle end
  end
  return low
end

-- Sessions by creation time: their number, a slice from one rank to another, exclusive, and the
-- rank of a place.
local function indexOf(key)
  local function slice(from, to)
    if from >= to then return {} end
    local found, items = call('ZRANGE', key, from .. '', to - 1 .. '', 'WITHSCORES'), {}
    for at = 1, #found, 2 do items[#items + 1] = placeOf(found[at + 1], found[at]) end
    return items
  end
  local function rank(place)
    local low = call('ZCOUNT', key, '-inf', '(' .. place.text)
    local high = call('ZCOUNT', key, '-inf', place.text)
    return firstFrom(low, high, function(at) return comesBefore(slice(at, at + 1)[1], place) end)
  end
  return {size = call('ZCARD', key), slice = slice, rank = rank}
end

local function listOf(items)
  table.sort(items, comesBefore)
  local function slice(from, to) return {unpack(items, from + 1, to)} end
  local function rank(place)
    return firstFrom(0, #items, function(at) return comesBefore(items[at + 1], place) end)
  end
  return {size = #items, slice = slice, rank = rank}
end

-- Sessions past their expiry: members of the indexes to leave out, and sessions to add that none of
-- the indexes contains.
local without, isWithout, added = {}, {}, {}

local function statusOf(header)
  return endOf(header) <= now and 'T' or header.status
end

local function isAsked(letter)
  return string.find(statuses, letter, 1, true) ~= nil
end

-- Candidates for expiry: the due sessions, or the sessions in the indexes that expiry would take
-- them out of, whichever are fewer. Many due sessions may have ended long ago and only await a
-- report.
local function movable()
  local from, to = 3, count + 2
  if isAsked('T') then from, to = count + 4, #KEYS end
  local listed, dueCount = 0, call('ZCOUNT', due, '-inf', ARGV[11])
  for at = from, to do listed = listed + call('ZCARD', KEYS[at]) end
  if math.min(listed, dueCount) > MAX_ENDED then return nil end
  if dueCount <= listed then return call('ZRANGEBYSCORE', due, '-inf', ARGV[11]) end
  local idKeys = {}
  for at = from, to do
    for _, idKey in ipairs(call('ZRANGE', KEYS[at], '0', '-1')) do idKeys[#idKeys + 1] = idKey end
  end
  return idKeys
end

if isByStatus then
  local idKeys = movable()
  if not idKeys then return 'ended' end
  for _, idKey in ipairs(idKeys) do
    local header = timesOf(beginningOf(records .. idKey))
    local isMoved = header and isAsked(header.status) ~= isAsked(statusOf(header))
    if isMoved and isWithout[idKey] == nil then
      local list = isAsked('T') and added or without
      list[#list + 1] = placeOf(header.created, idKey)
      isWithout[idKey] = list == without
    end
  end
end
without, added = listOf(without), listOf(added)

local sources, size = {}, -without.size
for at = 3, count + 2 do sources[#sources + 1] = indexOf(KEYS[at]) end
if added.size > 0 then sources[#sources + 1] = added end
for _, source in ipairs(sources) do size = size + source.size end

local function rankOf(place)
  local rank = -without.rank(place)
  for _, source in ipairs(sources) do rank = rank + source.rank(place) end
  return rank
end

local function shareOf(source, rank)
  local low = math.max(0, rank - (size + without.size - source.size))
  local high = math.min(source.size, rank + without.size)
  return firstFrom(low, high, function(at) return rankOf(source.slice(at, at + 1)[1]) < rank end)
end

-- No member contains a character after this one.
local low = after == '' and 0 or rankOf(placeOf(after, '\255'))
local high = before == '' and size or rankOf(placeOf(before, ''))
local total = math.max(0, high - low)
local first, last = low, high
if positionTime ~= '' and isRising then
  -- The page begins after the session itself: no member contains a character before a space.
  first = math.max(low, rankOf(placeOf(positionTime, positionMember .. ' ')))
elseif positionTime ~= '' then
  last = math.min(high, rankOf(placeOf(positionTime, positionMember)))
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
if first >= last then return {total, '', 0} end

local page = {}
for _, source in ipairs(sources) do
  for _, item in ipairs(source.slice(shareOf(source, first), shareOf(source, last))) do
    if not isWithout[item.idKey] then page[#page + 1] = item end
  end
end
if #sources > 1 then table.sort(page, comesBefore) end

-- The time by which a search orders a session. An unreadable session keeps its creation time, so
-- that it is reported.
local function timeOf(item)
  for at = count + 4, isByStatus and 0 or #KEYS do
    if not call('ZSCORE', KEYS[at], item.idKey) then return '' end
  end
  if part == 'created' and statuses == '' then return item.text end
  local text = beginningOf(records .. item.idKey)
  if text == '' then return '' end
  local header = timesOf(text)
  if not header then return item.text end
  if statuses ~= '' and not isAsked(statusOf(header)) then return '' end
  if part == 'created' then return item.text end
  local ends = endOf(header)
  if header.status == 'T' or ends > updatedAt then return header.activity end
  return format('%.0f', math.max(ends, header.activity + 0))
end

if not isRising then
  for at = 1, math.floor(#page / 2) do
    page[at], page[#page + 1 - at] = page[#page + 1 - at], page[at]
  end
end
local reply = {total, hasMore and page[#page].text or '', 0}
for at, item in ipairs(page) do
  reply[at + 3] = item.idKey
  if part == 'created' or part == 'updated' then reply[#page + at + 3] = timeOf(item) end
end
