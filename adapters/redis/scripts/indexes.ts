import { LETTERS } from '../status-letters.js';

/* Pieces of Lua that keep the entries of a session in indexes. */

/**
 * Defines `schedule(time)`, which sets when the session is due, '' for never, and the tenant's earliest such time; and
 * `reschedule(time)`, which does the same but goes on where a command is refused. Takes Lua expressions for the keys of the
 * deadlines and the tenants, the member and the owner.
 */
export const schedule = (deadlines: string, tenants: string, member: string, owner: string): string => `
local function schedule(time)
  if time ~= '' then redis.call('ZADD', ${deadlines}, time, ${member}) end
  local first = redis.call('ZRANGE', ${deadlines}, '0', time == '' and '1' or '0', 'WITHSCORES')
  local at = time == '' and first[1] == ${member} and 3 or 1
  if first[at] then redis.call('ZADD', ${tenants}, first[at + 1], ${owner}) else redis.call('ZREM', ${tenants}, ${owner}) end
  if time == '' then redis.call('ZREM', ${deadlines}, ${member}) end
end
local function reschedule(time)
  if time == '' then redis.pcall('ZREM', ${deadlines}, ${member}) end
  pcall(schedule, time)
end`;

/** The number of a status letter among the keys of the indexes by status, from 1. `letter` is a Lua expression. */
export const numberOf = (letter: string): string => `string.find('${LETTERS}', ${letter}, 1, true)`;

/** Number of events above the length to keep at which a stream is cut to it: to cut it for each event costs more. */
const SURPLUS = 100;

/**
 * Defines `log(text)`: writes an event to the stream `key`, which keeps `length` events. Both are Lua expressions.
 * `MAXLEN ~` would be logged with the length of the stream as it was: after a torn log that takes an event too many.
 */
export const log = (key: string, length: string): string => `
local function log(text)
  if redis.call('XLEN', ${key}) < ${length} + ${SURPLUS} then
    redis.call('XADD', ${key}, '*', 'e', text)
  else
    redis.call('XADD', ${key}, 'MAXLEN', ${length}, '*', 'e', text)
  end
end`;
