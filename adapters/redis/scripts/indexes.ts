import { LETTERS } from '../status-letters.js';

/* Pieces of Lua that keep the entries of a session in indexes. */

/**
 * Defines `schedule(time)`: sets when the session is due, '' for never, and the tenant's earliest such time. Takes Lua
 * expressions for the keys of the deadlines and the tenants, the member and the owner.
 */
export const schedule = (deadlines: string, tenants: string, member: string, owner: string): string => `
local function schedule(time)
  if time == '' then redis.call('ZREM', ${deadlines}, ${member}) else redis.call('ZADD', ${deadlines}, time, ${member}) end
  local first = redis.call('ZRANGE', ${deadlines}, '0', '0', 'WITHSCORES')
  if first[1] then redis.call('ZADD', ${tenants}, first[2], ${owner}) else redis.call('ZREM', ${tenants}, ${owner}) end
end`;

/** The number of a status letter among the keys of the indexes by status, from 1. `letter` is a Lua expression. */
export const numberOf = (letter: string): string => `string.find('${LETTERS}', ${letter}, 1, true)`;

/**
 * Defines `log(text)`: writes an event to the stream `key`, if there is a length to keep. Returns the error if it is
 * refused. Both arguments are Lua expressions.
 */
export const log = (key: string, length: string): string => `
local function log(text)
  if (${length} or '') == '' then return nil end
  local added = redis.pcall('XADD', ${key}, 'MAXLEN', '~', ${length}, '*', 'e', text)
  return type(added) == 'table' and added.err and added or nil
end`;
