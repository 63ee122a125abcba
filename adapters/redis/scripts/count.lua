-- Counts the sessions of a tenant that wait for a worker, and those in a part of its queue that
-- have ended. Ended sessions are due, so it examines the due sessions if they are fewer.
--
-- KEYS  the work set of the tenant, its due sessions, the prefix of its records
-- ARGV  1 now, 2 the number to count to, 3 the place to continue at, 4 the number to examine
-- Returns {the number that waits, the number of the part that has ended, the next place or 0}.

local work, due, records = KEYS[1], KEYS[2], KEYS[3]
local now, limit, from, size = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local waiting, dueCount = call('ZCOUNT', work, '-inf', now), call('ZCOUNT', due, '-inf', now)
if dueCount == 0 or waiting - dueCount >= limit then return {waiting, 0, 0} end
local set = dueCount < waiting and due or work
local page = call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', ARGV[3], ARGV[4])
local ended = 0
for _, idKey in ipairs(page) do
  local at = set == due and tonumber(call('ZSCORE', work, idKey) or '') or 0
  if set == work or (at > 0 and at <= now + 0) then
    local header = headerOf(beginningOf(records .. idKey))
    if header and (header.status == 'T' or endOf(header) <= now + 0) then ended = ended + 1 end
  end
end
return {waiting, ended, #page == size and from + size or 0}
