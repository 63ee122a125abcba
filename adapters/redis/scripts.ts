import { script } from './script.js';

/*
 * Each script changes the session by one write command, so that no crash leaves half of it. Everything else that they
 * write is absolute and can be derived from the session: an index entry that is to be there before the session is, one
 * that is to go after it. A key of a wrong type shows in a read before the first write, for Lua does not roll back.
 *
 * A script may arrive twice: clients send again what they got no answer to. So every write carries an id of its own,
 * which is kept in what it writes: in the journal, in the state's last field, or in what a removal leaves behind.
 */

/** So long a removal is remembered, in milliseconds: what arrives twice, arrives within that time. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** Of the ids that are kept of the last writes. Each has 12 characters, and a comma behind it. */
const ID_BYTES = 13;
const OLDER_IDS = 31 * ID_BYTES;

/** Of the mark that a write without a name leaves in the journal: its id in quotes, a comma and a line feed. */
const MARK_BYTES = 16;

/** Histories up to this many bytes are trimmed: beyond, the server keeps no more room than that in reserve. */
const TRIMMED_BYTES = 1024 * 1024;

/**
 * Adds a session.
 *
 * KEYS  state, journal, index, deadlines
 * ARGV  state text, journal text, creation time, member of index, deadline or '', member of deadlines, write id
 * Gives 'inserted' or 'taken'. A journal that begins with this very text, write id and all, is of an earlier
 * arrival of this call, and so is a removed session that has this id.
 */
export const insertScript = script(`
local state = redis.call('GET', KEYS[1])
local gone = state and string.match(state, '^gone|(.*)$')
if gone then
  if string.find(gone, ARGV[7], 1, true) then return 'inserted' end
elseif state or redis.call('EXISTS', KEYS[2]) > 0 then
  if redis.call('GETRANGE', KEYS[2], 0, #ARGV[2] - 1) == ARGV[2] then return 'inserted' end
  return 'taken'
end
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[4])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[4], ARGV[5], ARGV[6]) end
redis.call('MSET', KEYS[1], ARGV[1] .. ARGV[7] .. '|' .. (gone or ''), KEYS[2], ARGV[2])
return 'inserted'
`);

/**
 * Puts a state in place of the one with the expected revision.
 *
 * KEYS  state, deadlines, journal, a key to copy to
 * ARGV  expected revision, state text, write id, deadline or '', member of deadlines, '1' if the session ends
 * Gives 'replaced', 'stale', 'missing' or 'corrupt'. The last 32 write ids stay in the last field. A string that was
 * appended to has room for as much again; a history that has ended needs none, and a copy is of its length.
 */
export const replaceScript = script(`
local current = redis.call('GET', KEYS[1])
if not current then return 'missing' end
local revision, birth, writes = string.match(current, '^1 (%d+) [^|]*|([^|]*)|(.*)$')
if not revision then return string.sub(current, 1, 5) == 'gone|' and 'missing' or 'corrupt' end
if revision ~= ARGV[1] then
  if string.find(writes, ARGV[3], 1, true) then return 'replaced' end
  return 'stale'
end
redis.call('ZCARD', KEYS[2])
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5]) end
redis.call('SET', KEYS[1], ARGV[2] .. birth .. '|' .. ARGV[3] .. ',' .. string.sub(writes, 1, ${OLDER_IDS}))
if ARGV[4] == '' then redis.call('ZREM', KEYS[2], ARGV[5]) end
if ARGV[6] == '1' and redis.call('STRLEN', KEYS[3]) <= ${TRIMMED_BYTES} then
  if redis.pcall('COPY', KEYS[3], KEYS[4], 'REPLACE') == 1 then redis.pcall('RENAME', KEYS[4], KEYS[3]) end
end
return 'replaced'
`);

/**
 * Adds lines to a journal, if the session accepts history.
 *
 * KEYS  state, journal
 * ARGV  now, a length that the journal had before this call was made, the lines with their mark
 * Gives the length of the journal behind the mark, or 'missing', 'corrupt' or {'closed', state text}. An earlier
 * arrival of this call can only have written behind the given length: the search for the mark costs what others have
 * written since, however long the journal is.
 */
export const appendScript = script(`
local state = redis.call('GET', KEYS[1])
if not state then return 'missing' end
local open = string.match(state, '^1 %d+ (%d+) ')
if not open then return string.sub(state, 1, 5) == 'gone|' and 'missing' or 'corrupt' end
local length = redis.call('STRLEN', KEYS[2])
if length == 0 then return 'corrupt' end
local from = tonumber(ARGV[2])
if from ~= length then
  if from > length then from = 0 end
  local lately = redis.call('GETRANGE', KEYS[2], from, -1)
  local _, last = string.find(lately, string.sub(ARGV[3], -${MARK_BYTES}), 1, true)
  if last then return from + last end
end
if tonumber(ARGV[1]) >= tonumber(open) then return {'closed', state} end
return redis.call('APPEND', KEYS[2], ARGV[3])
`);

/**
 * The same for lines that the caller has named, which may have arrived at any time before, through any process.
 *
 * KEYS  state, journal, names
 * ARGV  now, the name, the mark, the lines with their mark
 * Where the mark will stand is written down before it stands there. It counts only if it does stand there, so a crash
 * between the two is as if the call had never come.
 */
export const appendNamedScript = script(`
local state = redis.call('GET', KEYS[1])
if not state then return 'missing' end
local open = string.match(state, '^1 %d+ (%d+) ')
if not open then return string.sub(state, 1, 5) == 'gone|' and 'missing' or 'corrupt' end
local length = redis.call('STRLEN', KEYS[2])
if length == 0 then return 'corrupt' end
local behind = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or '')
if behind and redis.call('GETRANGE', KEYS[2], behind - #ARGV[3], behind - 1) == ARGV[3] then return behind end
if tonumber(ARGV[1]) >= tonumber(open) then return {'closed', state} end
redis.call('HSET', KEYS[3], ARGV[2], length + #ARGV[4])
return redis.call('APPEND', KEYS[2], ARGV[4])
`);

/**
 * Removes a session. In the place of its state its last writes stay for a while, and this one, so that neither brings
 * the session back or takes away the next one of its id when it arrives again.
 *
 * KEYS  state, journal, names, index, deadlines
 * ARGV  member of index, member of deadlines, write id
 * Gives 'removed' or 'missing'. What cannot be read is removed too, and a server without memory for anything new can
 * still remove. An earlier removal that a crash has cut short is carried on.
 */
export const removeScript = script(`
redis.call('ZCARD', KEYS[4])
redis.call('ZCARD', KEYS[5])
local state = redis.pcall('GET', KEYS[1])
local text = type(state) == 'string' and state or ''
local writes = string.match(text, '^gone|(.*)$')
local outcome = 'missing'
if writes then
  if string.find(writes, ARGV[3], 1, true) then outcome = 'removed' end
elseif redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  outcome = 'removed'
  local birth, last = string.match(text, '^[^|]*|([^|]*)|(.*)$')
  if last and string.find(last, ARGV[3], 1, true) then return outcome end
  writes = (birth or '') .. ',' .. (last or '')
  local kept = redis.pcall('SET', KEYS[1], 'gone|' .. ARGV[3] .. ',' .. string.sub(writes, 1, ${OLDER_IDS}))
  if type(kept) == 'table' and kept.err then redis.call('DEL', KEYS[1], KEYS[2]) end
end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('ZREM', KEYS[5], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[1])
if writes then redis.call('PEXPIRE', KEYS[1], ${REMEMBERED_MS}) end
return outcome
`);

/**
 * Takes a session out of the indexes if it is not there any more, and removes what a crash may have left of it.
 *
 * KEYS  state, journal, names, index, deadlines
 * ARGV  member of index, member of deadlines
 */
export const unlistScript = script(`
local state = redis.call('GET', KEYS[1])
local gone = state and string.sub(state, 1, 5) == 'gone|'
if gone then redis.call('DEL', KEYS[2], KEYS[3]) end
if gone or redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[5], ARGV[2])
  redis.call('ZREM', KEYS[4], ARGV[1])
  if gone then redis.call('PEXPIRE', KEYS[1], ${REMEMBERED_MS}) end
end
return 'done'
`);
