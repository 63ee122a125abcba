/**
 * Defines `schedule(set, owners, owner, member, time)`, which sets the due time of a member of `set`, '' for never, and
 * in `owners` the owner's earliest due time; and `reschedule`, which does the same but continues if a command is
 * refused.
 */
export const schedule = `
local function schedule(set, owners, owner, member, time)
  if time ~= '' then redis.call('ZADD', set, time, member) end
  local first = redis.call('ZRANGE', set, '0', time == '' and '1' or '0', 'WITHSCORES')
  local at = time == '' and first[1] == member and 3 or 1
  if first[at] then redis.call('ZADD', owners, first[at + 1], owner) else redis.call('ZREM', owners, owner) end
  if time == '' then redis.call('ZREM', set, member) end
end
local function reschedule(set, owners, owner, member, time)
  if time == '' then redis.pcall('ZREM', set, member) end
  pcall(schedule, set, owners, owner, member, time)
end`;
