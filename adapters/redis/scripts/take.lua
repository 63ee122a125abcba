-- Claims sessions of tenants that wait for a worker: moves them to a later time, and returns them.
-- Sessions past their expiry leave the queue: at first until a minute after it, then for good. A
-- session whose lease has expired is claimed alone, or stays.
--
-- KEYS  of each claim: the tenants of the partition by their turn, the prefix of work sets, that of
--       records
-- ARGV  of each claim: now; the time to move sessions to; the maximum number; that of each tenant;
--       '1' if the caller has claimed others or '0'; the number of tenants; the tenants in turn
-- Returns 'claimed', or 'alone' for a session that must be alone; '1' if more may wait or '0'; then
-- for each session its tenant, its idKey and the time from which it waited for a worker. A first
-- reply also contains, for each session after '\r', its record with tabs between its lines, or
-- nothing if it is missing.

-- The maximum of examined sessions, the milliseconds after an expiry in which a clock that is
-- behind may postpone it, and the step between turns of a millisecond.
local MAX_EXAMINED, ENDED_MS, STEP = 1000, 60000, 1 / 1024

-- Gives a tenant its next turn: behind all tenants that wait in this partition, and behind those
-- that other calls have served by now.
local function giveWay(queue, now)
  local count = call('ZCOUNT', queue.tenants, '-inf', '(' .. format('%.0f', now + 1))
  local last = call('ZRANGE', queue.tenants, count - 1 .. '', count - 1 .. '', 'WITHSCORES')
  local turn = math.max(math.min(now, math.floor(clock)), tonumber(last[2]) or 0) + STEP
  try('ZADD', queue.tenants, format('%.10f', turn), queue.tenantKey)
end

-- 'over' with the time until which the expiry may be postponed, 'alone' after an expired lease, or
-- 'free'.
local function claimable(record, at)
  local header = headerOf(beginningOf(record))
  if not header then return 'free' end
  if header.status == 'T' then return 'over', 0 end
  if endOf(header) <= at then return 'over', endOf(header) + ENDED_MS end
  return header.leased > 0 and header.leased <= at and 'alone' or 'free'
end

local function take(claim, part, record, idKey, time)
  local text = try('GET', record)
  local isThere = type(text) == 'string' and not isRemoved(text)
  part.taken[#part.taken + 1] = idKey
  claim.told[#claim.told + 1] = part.queue.tenantKey .. ' ' .. idKey .. ' ' .. time
  claim.texts[#claim.texts + 1] = '\r' .. (isThere and string.gsub(text, '\n', '\t') or '')
  claim.room = claim.room - 1
end

local function choose(claim, part, records)
  local from, most = 0, math.min(claim.share, claim.room)
  local size = most
  while true do
    local page = call('ZRANGEBYSCORE', part.queue.set, '-inf', claim.now, 'WITHSCORES', 'LIMIT',
      from .. '', size .. '')
    for place = 1, #page, 2 do
      local idKey, record = page[place], records .. page[place]
      local is, till = claimable(record, claim.now + 0)
      claim.left = claim.left - 1
      if is == 'over' then
        part.over[#part.over + 1] = {idKey, till}
      elseif is == 'free' or not claim.hasCompany then
        take(claim, part, record, idKey, page[place + 1])
        claim.isAlone, claim.hasCompany = is == 'alone', true
      end
      if claim.isAlone or #part.taken == most or claim.left == 0 then
        claim.hasMore = true
        return
      end
    end
    if #page < 2 * size then return end
    from, size = from + size, 100
  end
end

local function claimNext()
  local tenants, works, records = KEYS[keyAt + 1], KEYS[keyAt + 2], KEYS[keyAt + 3]
  local now, upto, most = ARGV[argAt + 1], ARGV[argAt + 2], ARGV[argAt + 3]
  local share, company, count = ARGV[argAt + 4], ARGV[argAt + 5], ARGV[argAt + 6]
  local firstAt = argAt + 7
  keyAt, argAt = keyAt + 3, argAt + 6 + count
  local claim = {now = now, room = most + 0, share = share + 0, left = MAX_EXAMINED,
    hasCompany = company == '1', isAlone = false, told = {}, texts = {}}
  local parts, isWrong = {}, false
  for place = firstAt, argAt do
    local tenantKey = ARGV[place]
    if claim.room == 0 or claim.left == 0 or claim.isAlone then break end
    local part = {queue = queueOf(works .. tenantKey, tenants, tenantKey), taken = {}, over = {}}
    choose(claim, part, records .. tenantKey .. ':')
    parts[#parts + 1] = part
    isWrong = isWrong or #part.taken + #part.over > 0 or part.queue.isWrong
  end
  local more = claim.hasMore and ' 1' or ' 0'
  if not isWrong then return 'claimed' .. more end
  begin()
  for _, part in ipairs(parts) do
    local queue = part.queue
    for _, idKey in ipairs(part.taken) do call('ZADD', queue.set, upto, idKey) end
    for _, each in ipairs(part.over) do
      if each[2] > now + 0 then
        call('ZADD', queue.set, format('%.0f', each[2]), each[1])
      else
        try('ZREM', queue.set, each[1])
      end
    end
    queue.isChanged, queue.now = true, now + 0
    queue.isServed = queue.isServed or part.taken[1] ~= nil
  end
  local outcome = (claim.isAlone and 'alone' or 'claimed') .. more
  return table.concat({outcome, unpack(claim.told)}, ' '), table.concat(claim.texts)
end

-- A served tenant gets its next turn if more of its sessions wait.
local function giveWayAll()
  for _, queue in pairs(queues) do
    local first = queue.isServed and timesOf(queue)
    if first and first + 0 <= queue.now then
      giveWay(queue, queue.now)
      queue.isChanged = false
    end
  end
  settleAll()
end

return makeAll(claimNext, giveWayAll)
