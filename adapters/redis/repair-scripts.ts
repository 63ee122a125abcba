import { script } from './script.js';

/*
 * Scripts of `repair`. What they write is absolute, and true of the session as they find it: any other write may come
 * before or after.
 */

/**
 * Puts a session's index entries right.
 *
 * KEYS  state, index, deadlines
 * ARGV  revision that the deadline belongs to, member of index, creation time, member of deadlines, deadline or ''
 * Gives {listed, rescheduled}, each 1 if it had to be. A state that has changed since has written its own deadline.
 */
export const mendScript = script(`
local state = redis.call('GET', KEYS[1])
local revision = state and string.match(state, '^1 (%d+) ')
if not revision then return {0, 0} end
local listed, rescheduled = 0, 0
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or '') ~= tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
  listed = 1
end
if revision == ARGV[1] then
  local deadline = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[4]) or '')
  if deadline ~= tonumber(ARGV[5]) then
    if ARGV[5] == '' then redis.call('ZREM', KEYS[3], ARGV[4]) else redis.call('ZADD', KEYS[3], ARGV[5], ARGV[4]) end
    rescheduled = 1
  end
end
return {listed, rescheduled}
`);

/**
 * Removes the names of appends of a session that is not there.
 *
 * KEYS  state, journal, names
 * Gives how many keys were removed.
 */
export const dropNamesScript = script(`
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end
return redis.call('DEL', KEYS[3])
`);
