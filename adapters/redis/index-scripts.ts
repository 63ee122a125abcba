import { script } from './script.js';

/*
 * What stands beside a session's strings, and what is left of a removed one. Each of these scripts writes at most once,
 * and only what is true of the session as it finds it: any other write may come before or after.
 */

/**
 * Notes a deadline that a session is about to have. One that is noted already stays if it is earlier: whoever comes at
 * that time looks at the session itself.
 *
 * KEYS  deadlines
 * ARGV  member of deadlines, deadline
 */
export const scheduleScript = script(`
local noted = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '')
if noted and noted <= tonumber(ARGV[2]) then return 0 end
return redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
`);

/**
 * Makes the noted deadline the one that the session's state has.
 *
 * KEYS  state, deadlines
 * ARGV  member of deadlines, the number that stands for never
 * Gives 1 if it was another.
 */
export const rescheduleScript = script(`
local state = redis.call('GET', KEYS[1])
if state and string.sub(state, 1, 5) ~= 'gone|' and not string.find(state, '^1 ') then return 0 end
local deadline = state and string.match(state, '^1 %d+ %d+ %u+ %d+ %d+ %d+ (%d+) ')
local noted = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '')
if not deadline or deadline == ARGV[2] then return redis.call('ZREM', KEYS[2], ARGV[1]) end
if noted == tonumber(deadline) then return 0 end
redis.call('ZADD', KEYS[2], deadline, ARGV[1])
return 1
`);

/**
 * Puts a session into its tenant's list at its place.
 *
 * KEYS  state, index
 * ARGV  member of index, creation time
 * Gives 1 if it was not there.
 */
export const relistScript = script(`
if not string.find(redis.call('GET', KEYS[1]) or '', '^1 ') then return 0 end
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') == tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1
`);

/** Ends a script whose first keys are the state and the journal of a session that is there, or of which only one is. */
const unlessThere = `
local state = redis.call('GET', KEYS[1])
if state and string.sub(state, 1, 5) ~= 'gone|' then return 0 end
if not state and redis.call('EXISTS', KEYS[2]) > 0 then return 0 end`;

/**
 * Removes the history of a session that is not there, and what named its appends.
 *
 * KEYS  state, journal, names
 * Gives how many keys were removed.
 */
export const dropScript = script(`${unlessThere}
return redis.call('DEL', KEYS[2], KEYS[3])
`);

/**
 * Takes a session that is not there out of an index.
 *
 * KEYS  state, journal, the index
 * ARGV  its member
 */
export const unlistScript = script(`${unlessThere}
return redis.call('ZREM', KEYS[3], ARGV[1])
`);

/**
 * Notes when a session was removed, and gives others whose removal need be remembered no longer.
 *
 * KEYS  state, removals
 * ARGV  member of removals, now, until when removals are forgotten
 * Gives members. A time to live would be simpler, but Redis 7 logs an expiry that a command meets in one transaction with
 * that command, which a torn log may leave open.
 */
export const noteRemovalScript = script(`
local state = redis.call('GET', KEYS[1])
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[3], 'LIMIT', 0, 4)
if state and string.sub(state, 1, 5) == 'gone|' and not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
end
return old
`);

/**
 * Forgets a removal.
 *
 * KEYS  state
 */
export const forgetScript = script(`
local state = redis.call('GET', KEYS[1])
if not state or string.sub(state, 1, 5) ~= 'gone|' then return 0 end
return redis.call('DEL', KEYS[1])
`);

/**
 * Puts a session into the list of those with a status, at its place in the list of all.
 *
 * KEYS  index, the index of the status
 * ARGV  member of both
 * Gives 1 if it was not there.
 */
export const enterScript = script(`
local created = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not created or redis.call('ZSCORE', KEYS[2], ARGV[1]) == created then return 0 end
redis.call('ZADD', KEYS[2], created, ARGV[1])
return 1
`);

/**
 * Takes a session out of the list of those with a status, if it has another or none.
 *
 * KEYS  state, the index of the status
 * ARGV  member, status
 */
export const leaveScript = script(`
if string.match(redis.call('GET', KEYS[1]) or '', '^1 %d+ %d+ (%u+) ') == ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
`);
