-- The indexes of sessions: lists by creation time, and queues by a time. Follows group.lua.

local function timesOf(queue)
  local first = call('ZRANGE', queue.set, '0', '0', 'WITHSCORES')
  return first[2] or false, call('ZSCORE', queue.tenants, queue.tenantKey)
end

-- Gives the tenant the first time in its queue, unless it has a later turn; only turns have a
-- fraction.
local function settle(queue)
  local first, noted = timesOf(queue)
  if first == noted then return end
  if first and noted and noted % 1 > 0 and noted + 0 > first + 0 then return end
  if first then
    try('ZADD', queue.tenants, first, queue.tenantKey)
  else
    try('ZREM', queue.tenants, queue.tenantKey)
  end
end

-- The queues of this group by their sets. The group settles each queue once, at its end.
local queues = {}

-- A set of sessions by time, and the tenants of the partition by their first session. Reads both,
-- so that a missing right or a wrong type fails before anything is written.
local function queueOf(set, tenants, tenantKey)
  if queues[set] then return queues[set] end
  local queue = {set = set, tenants = tenants, tenantKey = tenantKey}
  local first, noted = timesOf(queue)
  queue.isWrong = first ~= noted
  queues[set] = queue
  return queue
end

local function settleAll()
  for _, queue in pairs(queues) do
    if queue.isChanged then settle(queue) end
  end
end

local function placeIn(set, tenants, idKey, tenantKey, at)
  local found = tonumber(call('ZSCORE', set, idKey) or '')
  return {queue = queueOf(set, tenants, tenantKey), idKey = idKey, found = found,
    at = at ~= 'never' and at or nil}
end

-- An entry that is too early does no harm, so this precedes the record; `moveLater` follows it.
local function moveEarlier(place)
  local at, queue = place.at, place.queue
  if not at or place.found and place.found <= at + 0 then return end
  call('ZADD', queue.set, at, place.idKey)
  local first = tonumber(call('ZSCORE', queue.tenants, queue.tenantKey) or '')
  if not first or at + 0 < first then call('ZADD', queue.tenants, at, queue.tenantKey) end
end

local function moveLater(place)
  local at, found, queue = place.at, place.found, place.queue
  if found and not at then
    try('ZREM', queue.set, place.idKey)
  elseif found and at + 0 > found then
    try('ZADD', queue.set, at, place.idKey)
  end
  queue.isChanged = true
end

-- The sets that the user may add to and remove from, as this group has seen.
local mayGrow, mayShrink = {}, {}

-- Fails before anything is written if a key has a wrong type or the user lacks a right.
local function beginIndexes(change)
  local growing, shrinking = change.gained[1], change.lost[1]
  for _, list in ipairs(change.gained) do call('ZCARD', list) end
  for _, list in ipairs(change.lost) do call('ZCARD', list) end
  for _, place in ipairs(change.places) do
    if place.at then growing = place.queue.set else shrinking = place.queue.set end
  end
  begin()
  -- Commands without an effect that require the right.
  if growing and not mayGrow[growing] then call('ZADD', growing, 'XX', '0', '') end
  if shrinking and not mayShrink[shrinking] then call('ZREM', shrinking, '') end
  mayGrow[growing or ''], mayShrink[shrinking or ''] = true, true
end

-- Without effect, but requires the right to write a part of a record.
local function needRange(record) call('SETRANGE', record, '0', '') end

-- Before the record: new entries and earlier times. Readers ignore superfluous entries.
local function addToIndexes(change, created)
  for _, list in ipairs(change.gained) do call('ZADD', list, created, change.idKey) end
  for _, place in ipairs(change.places) do moveEarlier(place) end
end

-- After the record: old entries and later times. A failure leaves a superfluous entry.
local function removeFromIndexes(change)
  for _, list in ipairs(change.lost) do try('ZREM', list, change.idKey) end
  for _, place in ipairs(change.places) do moveLater(place) end
end
