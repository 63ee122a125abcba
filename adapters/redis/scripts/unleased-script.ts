import { script } from '../connection.js';
import { isBefore } from './is-before.js';

/**
 * Finds the sessions that nobody holds at a time, the longest free first. The position after which they begin is found
 * by its rank, in O(log n), even if many sessions became free in the same millisecond.
 *
 * KEYS  1 the open sessions of a status by the time at which they became free
 * ARGV  1 now, 2 the maximum number of sessions, then if the page begins after a position: 3 its time, 4 its member
 * Returns a flat list: each member, followed by its time.
 */
export const unleasedScript = script(`${isBefore}
local first, count = 0, redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[1])
if ARGV[3] then
  local last = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[3])
  first = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[3])
  while first < last do
    local middle = math.floor((first + last) / 2)
    local member = redis.call('ZRANGE', KEYS[1], middle .. '', middle .. '')[1]
    if isBefore(ARGV[4], member) then last = middle else first = middle + 1 end
  end
end
if first >= count then return {} end
return redis.call('ZRANGE', KEYS[1], first .. '', math.min(first + ARGV[2], count) - 1 .. '', 'WITHSCORES')
`);
