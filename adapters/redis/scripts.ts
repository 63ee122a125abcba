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

/** Of the last writes so many bytes are kept, about 31 of them: each an id of 12 characters, its number and what was before. */
const OLDER_WRITES = 31 * 18;

/** A mark is no longer than this: a name of 64 characters, two numbers and what stands around them. */
const MARK_BYTES = 128;

/** Histories up to this many bytes are written once more when the session ends, for that needs less memory. */
const TRIMMED_BYTES = 64 * 1024;

/** What a mark is in a pattern of Lua: the id or the name, the number of the change, and how many entries there are. */
const MARK = '"([^"]*):(%d+):(%d+)",\\n';

/** The last one of a text, which begins a line. Sought from its end: the quotes before it would cost more than all else. */
const LAST_MARK = `^.*\\n${MARK}$`;

/** Defines `id`, `sequence` and `entries`, of which the journal's last mark tells. */
export const readLastMark = (journal: string): string => `
local id, sequence, entries = string.match(redis.call('GETRANGE', ${journal}, -${MARK_BYTES}, -1) or '', '${LAST_MARK}')
if not sequence then return 'corrupt' end`;

/**
 * Adds a session.
 *
 * KEYS  state, journal, index, deadlines
 * ARGV  state text, journal text, creation time, member of index, deadline or '', member of deadlines, write id
 * Gives {'inserted' or 'taken', 1 if the indexes know it, the id of the write that created the session, when}. A journal
 * that begins with this very text, write id and all, is of an earlier arrival of this call, and so is a removed session
 * that has this id.
 */
export const insertScript = script(`
local created = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[4]) or '')
local deadline = tonumber(redis.call('ZSCORE', KEYS[4], ARGV[6]) or '')
local known = (created == tonumber(ARGV[3]) and (ARGV[5] == '' or deadline and deadline <= tonumber(ARGV[5]))) and 1 or 0
local state = redis.call('GET', KEYS[1])
local birth, writes = string.match(state or '', '^gone|([^|]*)|%d+|(.*)$')
if state and string.sub(state, 1, 5) == 'gone|' then
  writes = (birth or '') .. ':1:-,' .. (writes or '')
  if string.find(writes, ARGV[7], 1, true) then return {'inserted', 1, ARGV[7], ARGV[3]} end
elseif state or redis.call('EXISTS', KEYS[2]) > 0 then
  if redis.call('GETRANGE', KEYS[2], 0, #ARGV[2] - 1) == ARGV[2] then return {'inserted', known, ARGV[7], ARGV[3]} end
  birth = string.match(state or '', '^1 [^|]*|([^|]*)|')
  return {'taken', created and 1 or 0, birth or '', created and string.format('%.0f', created) or ARGV[3]}
end
redis.call('MSET', KEYS[1], ARGV[1] .. ARGV[7] .. '|1|' .. (writes or ''), KEYS[2], ARGV[2])
return {'inserted', known, ARGV[7], ARGV[3]}
`);

/**
 * Puts a state in place of the one with the expected revision.
 *
 * KEYS  state, deadlines, journal
 * ARGV  expected revision, state text, write id, deadline or '', member of deadlines, '1' if the session ends
 * Gives {'replaced', 1 if the deadline is known, the id of the write that created the session, the number of this
 * change, the first letter of the status before}, or 'stale', 'missing' or 'corrupt'. The last writes stay in the last
 * field. A string that was appended to has room for as much again; one that is written as a whole has not.
 */
export const replaceScript = script(`
local current = redis.call('GET', KEYS[1])
if not current then return 'missing' end
local revision, before, birth, last, writes =
  string.match(current, '^1 (%d+) %d+ (%u)[^|]*|([^|]*)|(%d+)|(.*)$')
if not revision then return string.sub(current, 1, 5) == 'gone|' and 'missing' or 'corrupt' end
local deadline = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[5]) or '')
local known = (ARGV[4] == '' or deadline and deadline <= tonumber(ARGV[4])) and 1 or 0
if revision ~= ARGV[1] then
  local _, found = string.find(writes, ARGV[3], 1, true)
  if not found then return 'stale' end
  local number, from = string.match(writes, '^:(%d+):(%u)', found + 1)
  return {'replaced', 1, birth, tonumber(number), from}
end${readLastMark('KEYS[3]')}
local number = math.max(tonumber(last), tonumber(sequence)) + 1
local write = string.format('%s:%.0f:%s,', ARGV[3], number, before)
local older = string.match(string.sub(writes, 1, ${OLDER_WRITES}), '^.*,') or ''
local next = string.format('%s%s|%.0f|%s%s', ARGV[2], birth, number, write, older)
local length = ARGV[6] == '1' and redis.call('STRLEN', KEYS[3]) or 0
if length > 0 and length <= ${TRIMMED_BYTES} then
  redis.call('MSET', KEYS[1], next, KEYS[3], redis.call('GET', KEYS[3]))
else
  redis.call('SET', KEYS[1], next)
end
return {'replaced', known, birth, number, before}
`);

/** Defines `open`, `birth` and `last` of the state, or ends the script. */
export const readState = `
local state = redis.call('GET', KEYS[1])
if not state then return 'missing' end
local open, birth, last = string.match(state, '^1 %d+ (%d+) [^|]*|([^|]*)|(%d+)|')
if not open then return string.sub(state, 1, 5) == 'gone|' and 'missing' or 'corrupt' end`;

/** Adds `lines` with a mark of `id`, if the session accepts them; `now`, `added` and `most` are how texts hold them. */
const addLines = (now: string, id: string, lines: string, added: string, most: string): string => `
if tonumber(${now}) >= tonumber(open) then return {'closed', state} end
if ${most} ~= '' and entries + ${added} > tonumber(${most}) then return {'full'} end
local number = math.max(tonumber(last), tonumber(sequence)) + 1
local mark = string.format('"%s:%.0f:%.0f",\\n', ${id}, number, entries + ${added})
return {redis.call('APPEND', KEYS[2], ${lines} .. mark), number, birth}`;

/**
 * Adds lines to a journal, if the session accepts history.
 *
 * KEYS  state, journal
 * ARGV  now, a length that the journal had before this call was made, write id, the lines, how many, most of them or '',
 *       the id in the mark that ended the journal when it had that length
 * Gives {the length of the journal behind the lines' mark, the number of this change, the id of the write that created
 * the session}, or 'missing', 'corrupt', {'full'} or {'closed', state text}. An earlier arrival of this call can only
 * have written behind the given length: the search for the mark costs what others have written since, however long the
 * journal is. Where that mark is not there any more, the journal is another one, and is searched from its beginning.
 */
export const appendScript = script(`${readState}
local length = redis.call('STRLEN', KEYS[2])${readLastMark('KEYS[2]')}
local from = tonumber(ARGV[2])
if from ~= length or id ~= ARGV[7] then
  local before = redis.call('GETRANGE', KEYS[2], math.max(0, from - ${MARK_BYTES}), from - 1) or ''
  if from > length or string.match(before, '${LAST_MARK}') ~= ARGV[7] then from = 0 end
  local lately = redis.call('GETRANGE', KEYS[2], from, -1) or ''
  local mark = string.find(lately, '\\n"' .. ARGV[3] .. ':', 1, true)
  if mark then
    local number = string.match(lately, '^\\n"[^"]*:(%d+):%d+"', mark)
    return {from + string.find(lately, '\\n', mark + 1, true), tonumber(number), birth}
  end
end${addLines('ARGV[1]', 'ARGV[3]', 'ARGV[4]', 'ARGV[5]', 'ARGV[6]')}
`);

/** Defines `mark`, where the noted mark of a name begins, and what stands there if it is that mark. */
const readNamedMark = (name: string): string => `
local mark = tonumber(redis.call('HGET', KEYS[3], ${name}) or '')
local found, number, _, behind
if mark then
  found, number, _, behind =
    string.match(redis.call('GETRANGE', KEYS[2], mark, mark + ${MARK_BYTES}) or '', '^${MARK}()')
end`;

/**
 * Notes where the mark of lines that the caller has named will stand, if they are the next to be added. The note counts
 * only if the mark does stand there.
 *
 * KEYS  state, journal, names
 * ARGV  now, the name, the lines' length in bytes
 */
export const announceScript = script(`
local open = string.match(redis.call('GET', KEYS[1]) or '', '^1 %d+ (%d+) ')
if not open or tonumber(ARGV[1]) >= tonumber(open) then return 0 end${readNamedMark('ARGV[2]')}
if found == ARGV[2] then return 0 end
return redis.call('HSET', KEYS[3], ARGV[2], string.format('%.0f', redis.call('STRLEN', KEYS[2]) + ARGV[3]))
`);

/**
 * Adds lines that the caller has named and that were announced. They may have arrived at any time before, through any
 * process.
 *
 * KEYS  state, journal, names
 * ARGV  now, the name, the lines' length in bytes, the lines, how many, most of them or ''
 * Gives what \`appendScript\` gives, or 'moved' where the announcement is missing or others have come in between.
 */
export const appendNamedScript = script(`${readState}${readLastMark('KEYS[2]')}${readNamedMark('ARGV[2]')}
if found == ARGV[2] then return {mark + behind - 1, tonumber(number), birth} end
local length = redis.call('STRLEN', KEYS[2])
if mark ~= length + ARGV[3] and tonumber(ARGV[1]) < tonumber(open) then return 'moved' end${addLines('ARGV[1]', 'ARGV[2]', 'ARGV[4]', 'ARGV[5]', 'ARGV[6]')}
`);

/**
 * Removes a session. In the place of its state its last writes stay, and this one, so that neither brings the session
 * back or takes away the next one of its id when it arrives again.
 *
 * KEYS  state, journal
 * ARGV  write id, expected revision or ''
 * Gives {'removed' or 'missing', the id of the write that created the session, the number of the removal}, without the
 * two where nothing is known of it, or 'stale'. What cannot be read is removed too, and a server without memory for
 * anything new can still remove.
 */
export const removeScript = script(`
local state = redis.pcall('GET', KEYS[1])
local text = type(state) == 'string' and state or ''
local birth, last, writes = string.match(text, '^gone|([^|]*)|(%d+)|(.*)$')
if string.sub(text, 1, 5) == 'gone|' then
  local outcome = string.find(writes or '', ARGV[1], 1, true) and 'removed' or 'missing'
  return {outcome, birth, tonumber(last or 0)}
end
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return {'missing'} end
birth, last, writes = string.match(text, '^[^|]*|([^|]*)|(%d+)|(.*)$')
if writes and string.find(writes, ARGV[1], 1, true) then return {'removed'} end
if ARGV[2] ~= '' and string.match(text, '^1 (%d+) ') ~= ARGV[2] then return 'stale' end
local tail = redis.pcall('GETRANGE', KEYS[2], -${MARK_BYTES}, -1)
local sequence = string.match(type(tail) == 'string' and tail or '', ':(%d+):%d+",\\n$')
local number = math.max(tonumber(last or 0), tonumber(sequence or 0)) + 1
local write = string.format('%s:%.0f:-,', ARGV[1], number)
local older = string.match(string.sub(writes or '', 1, ${OLDER_WRITES}), '^.*,') or ''
local kept = redis.pcall('SET', KEYS[1], string.format('gone|%s|%.0f|%s%s', birth or '', number, write, older))
if type(kept) == 'table' and kept.err then redis.call('DEL', KEYS[1], KEYS[2]) end
return {'removed', birth or '', number}
`);
