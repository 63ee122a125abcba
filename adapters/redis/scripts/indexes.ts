import { endOf, field, HEADER_BYTES, isRecord } from '../record.js';
import { LETTERS } from '../status-letters.js';

/* Pieces of Lua that keep the entries of a session in indexes. */

/**
 * Defines `schedule(set, owners, owner, member, time)`, which sets when a member of `set` is due, '' for never, and in
 * `owners` the owner's earliest such time; and `reschedule`, which does the same but goes on where a command is refused.
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

/** The number of a status letter among the keys of the indexes by status, from 1. `letter` is a Lua expression. */
export const numberOf = (letter: string): string => `string.find('${LETTERS}', ${letter}, 1, true)`;

/** The most sessions that the clock has ended, and no sweep has stored, for which statuses are computed. */
const MAX_ENDED = 10_000;

/**
 * Defines `eachEnded(now, visit)`: calls `visit(member, head)` for each session that the clock has ended by `now`, a text, and
 * whose end is not stored; returns false if they are too many. Takes Lua expressions for the key of the deadlines and the
 * common beginning of the keys of records.
 */
export const eachEnded = (deadlines: string, records: string): string => `
local function eachEnded(now, visit)
  local due = redis.call('ZRANGEBYSCORE', ${deadlines}, '-inf', now, 'LIMIT', '0', '${MAX_ENDED + 1}')
  for _, member in ipairs(due) do
    local head = redis.pcall('GETRANGE', ${records} .. member, '0', '${HEADER_BYTES - 1}')
    if type(head) == 'string' and ${isRecord('head')} and ${field('head', 'status')} ~= 'T'
      and ${endOf('head')} <= tonumber(now) then visit(member, head) end
  end
  return #due <= ${MAX_ENDED}
end`;

/** Defines `isBefore(a, b)`, which compares bytes: the comparison of texts in Lua depends on the server's locale. */
export const isBefore = `
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end`;

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
