import { script } from './script.js';
import { FIXED_LENGTH, field, isFixed, NEVER, REMOVED } from './state-line.js';

/*
 * What stands beside a session's record. Each of these scripts writes once at most, and only what is true of the session
 * as the script finds it: any other write may come before or after.
 */

/** Defines `head`, empty where it cannot be read, and `isAlive`: whether there is a session, readable or not. */
const readHead = `
local length = redis.pcall('STRLEN', KEYS[1])
local isAlive = length ~= 0
local head = type(length) == 'number' and length > 0 and redis.call('GETRANGE', KEYS[1], 0, ${FIXED_LENGTH - 1}) or ''
if not ${isFixed('head')} then head = '' end
if head ~= '' and ${field('head', 'status')} == '${REMOVED}' then isAlive = false end`;

/**
 * Lists a session that is about to be added, unless there is one already.
 *
 * KEYS  record, an index
 * ARGV  member, time of creation
 */
export const listScript = script(`${readHead}
if isAlive or tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') == tonumber(ARGV[2]) then return 0 end
return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
`);

/**
 * Makes the entry of a session in an index what its record says.
 *
 * KEYS  record, an index
 * ARGV  member, the letter of the status that the session must have, or '' for any
 * Gives 1 if there was none, or another.
 */
export const relistScript = script(`${readHead}
if not isAlive or head == '' or (ARGV[2] ~= '' and ${field('head', 'status')} ~= ARGV[2]) then return 0 end
local created = tonumber(${field('head', 'created')})
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') == created then return 0 end
redis.call('ZADD', KEYS[2], string.format('%.0f', created), ARGV[1])
return 1
`);

/**
 * Takes a session out of an index that it does not belong to.
 *
 * KEYS  record, an index
 * ARGV  member, the letter of the status that the index is of, or '' for one of any status
 * Gives 1 if it was there.
 */
export const unlistScript = script(`${readHead}
if isAlive and (ARGV[2] == '' or head == '' or ${field('head', 'status')} == ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
`);

/**
 * Notes a time in a sorted set, unless an earlier one is noted.
 *
 * KEYS  the sorted set
 * ARGV  member, time
 */
export const noteScript = script(`
local noted = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '')
if noted and noted <= tonumber(ARGV[2]) then return 0 end
return redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
`);

/**
 * Makes the noted deadline of a session what its record says.
 *
 * KEYS  record, deadlines
 * ARGV  member
 * Gives 1 if there was none, or a later one.
 */
export const rescheduleScript = script(`${readHead}
if isAlive and head == '' then return 0 end
local deadline = isAlive and tonumber(${field('head', 'deadline')}) or ${NEVER}
local noted = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') or ${NEVER}
if noted == deadline then return 0 end
if deadline == ${NEVER} then redis.call('ZREM', KEYS[2], ARGV[1])
else redis.call('ZADD', KEYS[2], string.format('%.0f', deadline), ARGV[1]) end
return noted > deadline and 1 or 0
`);

/**
 * Makes the noted time of a tenant the earliest of its deadlines.
 *
 * KEYS  deadlines, tenants
 * ARGV  owner
 */
export const rescheduleTenantScript = script(`
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return redis.call('ZREM', KEYS[2], ARGV[1]) end
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') == tonumber(first[2]) then return 0 end
return redis.call('ZADD', KEYS[2], first[2], ARGV[1])
`);

/**
 * Deletes what is left of a session that was removed: its journal and the names of its appends. A journal without a record
 * is a session that cannot be read, and stays.
 *
 * KEYS  record, journal, names
 * Gives how many keys were deleted.
 */
export const dropScript = script(`${readHead}
if isAlive or (head == '' and redis.call('EXISTS', KEYS[2]) == 1) then return 0 end
return redis.call('DEL', KEYS[2], KEYS[3])
`);

/**
 * Forgets a removal: deletes the line that it has left, and whatever else is left, unless there was a later one.
 *
 * KEYS  record, journal, names, removals
 * ARGV  path, the latest time
 */
export const forgetScript = script(`${readHead}
local noted = tonumber(redis.call('ZSCORE', KEYS[4], ARGV[1]) or '')
if isAlive or head == '' or not noted or noted > tonumber(ARGV[2]) then return 0 end
return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
`);

/**
 * Takes a removal off the list of removals, unless the line that it has left is there, or there was a later one.
 *
 * KEYS  record, removals
 * ARGV  path, the latest time
 */
export const unlistRemovalScript = script(`${readHead}
local noted = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '')
if (not isAlive and head ~= '') or not noted or noted > tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
`);
