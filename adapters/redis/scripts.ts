import { createHash } from 'node:crypto';

/** A Lua script and the SHA-1 by which the server knows it. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

const script = (lua: string): Script => ({ lua, sha1: createHash('sha1').update(lua).digest('hex') });

/*
 * Each script changes the session by one write command, so that no crash leaves half of it. The indexes are written
 * absolutely and can be derived from the session: an entry that is to be there before the session is, one that is to
 * go after it. A key of a wrong type shows in a read before the first write, for Lua does not roll back.
 */

/**
 * Adds a session.
 *
 * KEYS  state, journal, index, deadlines
 * ARGV  state text, journal text, creation time, member of index, deadline or '', member of deadlines
 * Gives 'inserted' or 'taken'. A journal that begins with this very text, write id and all, is of an earlier
 * arrival of this call.
 */
export const insertScript = script(`
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  if redis.call('GETRANGE', KEYS[2], 0, #ARGV[2] - 1) == ARGV[2] then return 'inserted' end
  return 'taken'
end
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[4])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[4], ARGV[5], ARGV[6]) end
redis.call('MSET', KEYS[1], ARGV[1], KEYS[2], ARGV[2])
return 'inserted'
`);

/**
 * Puts a state in place of the one with the expected revision.
 *
 * KEYS  state, deadlines
 * ARGV  expected revision, state text up to the bar, write id, deadline or '', member of deadlines
 * Gives 'replaced', 'stale', 'missing' or 'corrupt'. The last 32 write ids stay behind the bar.
 */
export const replaceScript = script(`
local current = redis.call('GET', KEYS[1])
if not current then return 'missing' end
local revision, writes = string.match(current, '^1 (%d+) [^|]*|(.*)$')
if not revision then return 'corrupt' end
if revision ~= ARGV[1] then
  if string.find(writes, ARGV[3], 1, true) then return 'replaced' end
  return 'stale'
end
redis.call('ZCARD', KEYS[2])
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5]) end
redis.call('SET', KEYS[1], ARGV[2] .. ARGV[3] .. ',' .. string.sub(writes, 1, 31 * (#ARGV[3] + 1)))
if ARGV[4] == '' then redis.call('ZREM', KEYS[2], ARGV[5]) end
return 'replaced'
`);

/**
 * Adds lines to a journal, if the session accepts history.
 *
 * KEYS  state, journal
 * ARGV  now, a length that the journal had before this call was made, the mark that the lines end with, the lines
 * Gives {'appended', length of the journal behind the mark}, {'closed', state text}, {'missing'} or {'corrupt'}.
 * An earlier arrival of this call can only have written behind the given length: the search for the mark costs what
 * others have written since, however long the journal is.
 */
export const appendScript = script(`
local state = redis.call('GET', KEYS[1])
if not state then return {'missing'} end
local open = string.match(state, '^1 %d+ (%d+) ')
local length = redis.call('STRLEN', KEYS[2])
if not open or length == 0 then return {'corrupt'} end
local from = tonumber(ARGV[2])
if from > length then from = 0 end
if length > from then
  local _, last = string.find(redis.call('GETRANGE', KEYS[2], from, -1), ARGV[3], 1, true)
  if last then return {'appended', from + last} end
end
if tonumber(ARGV[1]) >= tonumber(open) then return {'closed', state} end
return {'appended', redis.call('APPEND', KEYS[2], ARGV[4])}
`);

/**
 * Removes a session.
 *
 * KEYS  state, journal, index, deadlines
 * ARGV  member of index, member of deadlines
 * Gives 'removed' or 'missing'.
 */
export const removeScript = script(`
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[4])
local removed = redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[2])
if removed > 0 then return 'removed' end
return 'missing'
`);

/**
 * Takes a session out of the index if it is not there any more.
 *
 * KEYS  state, journal, index
 * ARGV  member of index
 */
export const unlistScript = script(`
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then redis.call('ZREM', KEYS[3], ARGV[1]) end
return 'done'
`);
