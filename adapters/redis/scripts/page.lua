-- Finds a page of an index, or of several by status as one. All bounds are found as ranks, in
-- O(log n), independent of the number of sessions beyond them. An index by status does not reflect
-- ends by the clock that are not stored, so these are found by their due times.
--
-- KEYS  1 the prefix of the keys of records, 2 that of journals, then the indexes, due times, and
--       further indexes: those that a session of a search must be in, or the others by status
-- ARGV  1 to 7 those of list.lua; for a search, 4 is 'created' or 'updated'; 8 lower bound of the
--       creation time, exclusive, 9 upper bound, exclusive, 10 the letters of the statuses, 11
--       the time at which the sessions have them, 12 the time by which an end that the clock has
--       brought is an update, 13 the number of indexes, 14 '1' for indexes by status; 8 to 10 may
--       be ''
-- Returns {the total; the time of the last session in the order of the page if more follow, or '';
-- the bytes of the records, for 'size' those of the journals; then the members in the order of the
-- page; then for each its record, or the time by which a search orders it, if asked for}. A record
-- is '' if it is missing, '-' if it is no text; a time is '' for a session that does not belong to
-- the search. Returns 'ended' if the clock has ended too many sessions.

local isRising, part, maximum = ARGV[1] == 'oldest', ARGV[4], tonumber(ARGV[5])
local offset, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local positionTime, positionMember, after, before = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local statuses, now, updatedAt = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
local count, isByStatus = tonumber(ARGV[13]), ARGV[14] == '1'
local records, journals, due = KEYS[1], KEYS[2], KEYS[count + 3]

local MAX_ENDED = 10000

-- The fields of a header that a page needs, in less time than all of them.
local TIMES = '^1 %d+ [%w_-]+ (%d+) (%d+) [%d ]+([IAPT]) (%d+) (%d+) %d+ %d+ %d+\n'
local function timesOf(text)
  local created, activity, status, deadline, inactivity = match(text, TIMES)
  return created and {
    created = created, activity = activity, status = status, deadline = tonumber(deadline),
    inactivity = inactivity,
  }
end

-- A place in the order of creation.
local function placeOf(text, idKey)
  return {text = text, time = tonumber(text), idKey = idKey}
end

-- Compares bytes: the comparison of texts in Lua depends on the locale of the server.
local function comesBefore(a, b)
  if a.time ~= b.time then return a.time < b.time end
  a, b = a.idKey, b.idKey
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- The first number from `low` on that is not below, up to `high`.
local function firstFrom(low, high, isBelow)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isBelow(middle) then low = middle + 1 else high = middle end
  end
  return low
end

-- A source of sessions in the order of their creation: its size, its sessions from one rank to
-- another, exclusive, and the rank of a place.
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

-- Sessions that the clock has ended: members of the indexes to leave out, and sessions to add that
-- are not in any of them.
local without, isWithout, added = {}, {}, {}

local function statusOf(header)
  return endOf(header) <= now and 'T' or header.status
end

local function isAsked(letter)
  return string.find(statuses, letter, 1, true) ~= nil
end

-- The sessions that the clock may have moved: those that are due, or those in the indexes that it
-- takes sessions out of, if they are fewer. Many may be due that have ended long ago, and wait for
-- the report of their end.
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

-- Number of sessions of a source among the first ones of all.
local function shareOf(source, rank)
  local low = math.max(0, rank - (size + without.size - source.size))
  local high = math.min(source.size, rank + without.size)
  return firstFrom(low, high, function(at) return rankOf(source.slice(at, at + 1)[1]) < rank end)
end

-- No member begins with a character after this one.
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

-- The time by which a search orders a session. One that cannot be read keeps that of its creation,
-- so that it is reported.
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
local reply, bytes = {total, hasMore and page[#page].text or '', 0}, 0
for at, item in ipairs(page) do reply[at + 3] = item.idKey end
for at, item in ipairs(page) do
  local text
  if part == 'size' then
    -- What is no text has no size.
    bytes = bytes + (tonumber(try('STRLEN', journals .. item.idKey)) or 0)
  elseif part == 'record' then
    local length = try('STRLEN', records .. item.idKey)
    bytes = bytes + (tonumber(length) or 0)
    -- Returns no more than the maximum, but counts all.
    text = type(length) ~= 'number' and '-' or bytes <= maximum and call('GET', records .. item.idKey)
  elseif part ~= '' then
    text = timeOf(item)
  end
  if part ~= '' and part ~= 'size' then reply[#page + at + 3] = text or '' end
end
reply[3] = bytes
-- Unpacked, because test doubles return only arrays that are created in one expression.
return {unpack(reply)}
