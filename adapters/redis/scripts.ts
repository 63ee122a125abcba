import { script } from './script.js';

/*
 * Each script writes with one command at most: more than one would be logged between MULTI and EXEC, and where a crash
 * tears the log inside of that, Redis 7 leaves a MULTI without an end, which swallows what is logged after it. So what
 * belongs to a session beside its two strings, the entries of indexes above all, is written by commands of its own. An
 * entry stands before the session does, and goes after it; one that leads nowhere is taken out by whoever meets it.
 * A key of a wrong type shows in a read before the write.
 *
 * A script may arrive twice: clients send again what they got no answer to. So every write carries an id of its own,
 * which is kept in what it writes: in the journal, in the state's last field, or in what a removal leaves behind.
 */

/** Of the ids that are kept of the last writes. Each has 12 characters, and a comma behind it. */
const ID_BYTES = 13;
const OLDER_IDS = 31 * ID_BYTES;

/** Of the mark that a write without a name leaves in the journal: its id in quotes, a comma and a line feed. */
const MARK_BYTES = 16;

/** Histories up to this many bytes are written once more when the session ends, for that needs less memory. */
const TRIMMED_BYTES = 64 * 1024;

/**
 * Adds a session.
 *
 * KEYS  state, journal, index, deadlines
 * ARGV  state text, journal text, creation time, member of index, deadline or '', member of deadlines, write id
 * Gives {'inserted' or 'taken', 1 if the indexes know it}. A journal that begins with this very text, write id and all,
 * is of an earlier arrival of this call, and so is a removed session that has this id.
 */
export const insertScript = script(`
local created = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[4]) or '')
local deadline = tonumber(redis.call('ZSCORE', KEYS[4], ARGV[6]) or '')
local known = (created == tonumber(ARGV[3]) and (ARGV[5] == '' or deadline and deadline <= tonumber(ARGV[5]))) and 1 or 0
local state = redis.call('GET', KEYS[1])
local gone = state and string.match(state, '^gone|(.*)$')
if gone then
  if string.find(gone, ARGV[7], 1, true) then return {'inserted', 1} end
elseif state or redis.call('EXISTS', KEYS[2]) > 0 then
  if redis.call('GETRANGE', KEYS[2], 0, #ARGV[2] - 1) == ARGV[2] then return {'inserted', known} end
  return {'taken', created and 1 or 0}
end
redis.call('MSET', KEYS[1], ARGV[1] .. ARGV[7] .. '|' .. (gone or ''), KEYS[2], ARGV[2])
return {'inserted', known}
`);

/**
 * Puts a state in place of the one with the expected revision.
 *
 * KEYS  state, deadlines, journal
 * ARGV  expected revision, state text, write id, deadline or '', member of deadlines, '1' if the session ends
 * Gives {'replaced', 1 if the deadline is known}, 'stale', 'missing' or 'corrupt'. The last 32 write ids stay in the
 * last field. A string that was appended to has room for as much again; one that is written as a whole has not.
 */
export const replaceScript = script(`
local current = redis.call('GET', KEYS[1])
if not current then return 'missing' end
local revision, birth, writes = string.match(current, '^1 (%d+) [^|]*|([^|]*)|(.*)$')
if not revision then return string.sub(current, 1, 5) == 'gone|' and 'missing' or 'corrupt' end
local deadline = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[5]) or '')
local known = (ARGV[4] == '' or deadline and deadline <= tonumber(ARGV[4])) and 1 or 0
if revision ~= ARGV[1] then
  if string.find(writes, ARGV[3], 1, true) then return {'replaced', 1} end
  return 'stale'
end
local next = ARGV[2] .. birth .. '|' .. ARGV[3] .. ',' .. string.sub(writes, 1, ${OLDER_IDS})
local length = ARGV[6] == '1' and redis.call('STRLEN', KEYS[3]) or 0
if length > 0 and length <= ${TRIMMED_BYTES} then
  redis.call('MSET', KEYS[1], next, KEYS[3], redis.call('GET', KEYS[3]))
else
  redis.call('SET', KEYS[1], next)
end
return {'replaced', known}
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
 * Notes where the mark of lines that the caller has named will stand, if they are the next to be added. The note counts
 * only if the mark does stand there.
 *
 * KEYS  state, journal, names
 * ARGV  now, the name, the mark, the lines' length in bytes
 */
export const announceScript = script(`
local open = string.match(redis.call('GET', KEYS[1]) or '', '^1 %d+ (%d+) ')
if not open or tonumber(ARGV[1]) >= tonumber(open) then return 0 end
local behind = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or '')
if behind and redis.call('GETRANGE', KEYS[2], behind - #ARGV[3], behind - 1) == ARGV[3] then return 0 end
return redis.call('HSET', KEYS[3], ARGV[2], redis.call('STRLEN', KEYS[2]) + ARGV[4])
`);

/**
 * Adds lines that the caller has named and that were announced. They may have arrived at any time before, through any
 * process.
 *
 * KEYS  state, journal, names
 * ARGV  now, the name, the mark, the lines with their mark
 * Gives what \`appendScript\` gives, or 'moved' where the announcement is missing or others have come in between.
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
if behind ~= length + #ARGV[4] then return 'moved' end
return redis.call('APPEND', KEYS[2], ARGV[4])
`);

/**
 * Removes a session. In the place of its state its last writes stay, and this one, so that neither brings the session
 * back or takes away the next one of its id when it arrives again.
 *
 * KEYS  state, journal
 * ARGV  write id, expected revision or ''
 * Gives 'removed', 'stale' or 'missing'. What cannot be read is removed too, and a server without memory for anything new can
 * still remove.
 */
export const removeScript = script(`
local state = redis.pcall('GET', KEYS[1])
local text = type(state) == 'string' and state or ''
local writes = string.match(text, '^gone|(.*)$')
if writes then return string.find(writes, ARGV[1], 1, true) and 'removed' or 'missing' end
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return 'missing' end
local birth, last = string.match(text, '^[^|]*|([^|]*)|(.*)$')
if last and string.find(last, ARGV[1], 1, true) then return 'removed' end
if ARGV[2] ~= '' and string.match(text, '^1 (%d+) ') ~= ARGV[2] then return 'stale' end
writes = (birth or '') .. ',' .. (last or '')
local kept = redis.pcall('SET', KEYS[1], 'gone|' .. ARGV[1] .. ',' .. string.sub(writes, 1, ${OLDER_IDS}))
if type(kept) == 'table' and kept.err then redis.call('DEL', KEYS[1], KEYS[2]) end
return 'removed'
`);
