import { MARK_LENGTH, MARK_PATTERN, readMark } from './journal-text.js';
import { script } from './script.js';
import { field, isFixed, REMOVED, readFixed, recall } from './state-line.js';
import { ID_LENGTH } from './write-id.js';

/** Bytes of a journal that are searched at a time. */
const SEARCHED_BYTES = 64 * 1024;

/**
 * Defines `find(from, start, id)`: where the mark that begins so ends, and its number, if it stands behind `from`. Comes
 * behind `readCounts`.
 */
const findMark = `
local function find(from, start, id)
  for first = math.max(0, from - 1), length - 1, ${SEARCHED_BYTES} - #start - #id do
    local part = redis.call('GETRANGE', KEYS[2], first, first + ${SEARCHED_BYTES} - 1)
    local at = string.find(part, start .. id, 1, true)
    while at do
      local mark = first + at - 1 + #start
      local text = redis.call('GETRANGE', KEYS[2], mark, mark + ${MARK_LENGTH - 1})
      local _, _, number = string.match(text, '^${MARK_PATTERN}$')
      if number then return mark + ${MARK_LENGTH}, tonumber(number, 16) end
      at = string.find(part, start .. id, at + 1, true)
    end
  end
end`;

/**
 * Defines `length` of a journal, `last`, the mark at its end, and `appends` and `entries` as that counts them; or ends the
 * script.
 */
const readCounts = `
local length = redis.call('STRLEN', KEYS[2])
local last = length > 0 and redis.call('GETRANGE', KEYS[2], -${MARK_LENGTH}, -1) or ''
local _, appends, _, entries = string.match(last, '^${MARK_PATTERN}$')
if last ~= '' and not entries then return 'corrupt' end
appends, entries = tonumber(appends or '0', 16), tonumber(entries or '0', 16)`;

/** A condition of Lua: whether a session accepts history at the time in ARGV[2]. */
const isOpen = `(${field('head', 'open')} == '1' and tonumber(ARGV[2]) < tonumber(${field('head', 'deadline')}))`;

/**
 * Adds lines to a journal, if the session accepts history.
 *
 * KEYS  record, journal, and where the caller has named the append: names
 * ARGV  birth, now, write id, the lines, how many, most entries of a history, a length that the journal had before this
 *       call was made, the write id in the mark that it ended with, and the name if there is one
 * Gives {the journal's length behind the lines' mark, the number of this change, 1 if they were there before}, or
 * {'closed', state line}, 'missing', 'reborn' where there is another session of this id by now, 'full', 'corrupt', or
 * 'unlisted' where the name is not noted.
 *
 * A call may arrive twice. An earlier arrival has written behind the given length, so that the search for its mark costs
 * what others have written since, however long the journal is. Where the given mark is not there any more, the journal is
 * another one, and is searched from its beginning. The mark of a name stands behind the length that is noted for it.
 */
export const appendScript = script(`${recall}
local head = ${readFixed('KEYS[1]')}
if head == '' then return 'missing' end
if not ${isFixed('head')} then return 'corrupt' end
if ${field('head', 'status')} == '${REMOVED}' or ${field('head', 'birth')} ~= ARGV[1] then
  local line = string.match(redis.call('GET', KEYS[1]), '^[^\\n]*')
  local number, position = recall(line, ARGV[3])
  if number then return {tonumber(position), number, 1} end
  return ${field('head', 'status')} == '${REMOVED}' and 'missing' or 'reborn'
end${readCounts}${findMark}
local from, name = tonumber(ARGV[7]), ARGV[9]
local noted = name and tonumber(redis.call('HGET', KEYS[3], name) or '')
local finish, number
if noted then
  finish, number = find(noted, '\\n"' .. name .. '/', '')
elseif not name and (from ~= length or string.sub(last, 1, ${ID_LENGTH}) ~= ARGV[8]) then
  local known = from > 0 and last ~= ''
    and redis.call('GETRANGE', KEYS[2], from - ${MARK_LENGTH}, from - ${MARK_LENGTH - ID_LENGTH + 1})
  finish, number = find(known == ARGV[8] and from or 0, '\\n"', ARGV[3])
end
if finish then return {finish, number, 1} end
if not ${isOpen} then return {'closed', string.match(redis.call('GET', KEYS[1]), '^[^\\n]*')} end
if entries + ARGV[5] > tonumber(ARGV[6]) then return 'full' end
if name and not noted then return 'unlisted' end
number = tonumber(${field('head', 'revision')}) - tonumber(${field('head', 'base')}) + 1 + appends + 1
local mark = string.format('%s:%06x:%06x:%06x",\\n', ARGV[3], appends + 1, number, entries + ARGV[5])
return {redis.call('APPEND', KEYS[2], ARGV[4] .. '"' .. (name and name .. '/' or '') .. mark), number, 0}
`);

/**
 * Notes where to look for the mark of lines that the caller has named: from the journal's present length on. A name that
 * is noted and has its mark stays as it is, and where the lines would be refused nothing is noted.
 *
 * KEYS  record, journal, names
 * ARGV  birth, now, the name, how many lines, most entries of a history
 */
export const noteNameScript = script(`
local head = ${readFixed('KEYS[1]')}
if not ${isFixed('head')} or ${field('head', 'birth')} ~= ARGV[1] then return 0 end
if ${field('head', 'status')} == '${REMOVED}' or not ${isOpen} then return 0 end${readCounts}
if entries + ARGV[4] > tonumber(ARGV[5]) then return 0 end
local noted = tonumber(redis.call('HGET', KEYS[3], ARGV[3]) or '')
if noted == length then return 0 end${findMark}
if noted and find(noted, '\\n"' .. ARGV[3] .. '/', '') then return 0 end
redis.call('HSET', KEYS[3], ARGV[3], string.format('%.0f', length))
return 1
`);

/**
 * Which session there is, and how its journal ends.
 *
 * KEYS  record, journal
 * Gives {birth, length of the journal, the write id in its last mark}, or 'missing' or 'corrupt'.
 */
export const endScript = script(`
local head = ${readFixed('KEYS[1]')}
if head == '' then return 'missing' end
if not ${isFixed('head')} then return 'corrupt' end
if ${field('head', 'status')} == '${REMOVED}' then return 'missing' end
return {${field('head', 'birth')}, redis.call('STRLEN', KEYS[2]), string.sub(${readMark('KEYS[2]')}, 1, ${ID_LENGTH})}
`);

/**
 * Reads a piece of a journal, in bytes: it may begin or end within a line, or within a character. It is as long as so many
 * entries are on average, and a little longer.
 *
 * KEYS  record, journal
 * ARGV  where it begins, or '' for one that ends at a position; that position or '' for the end; how many entries are
 *       wanted; the least and the greatest length
 * Gives {the piece, where it begins, where it ends, the length of the journal, how many entries it has, birth, 1 if the
 * server counts bytes and 0 if it counts characters, as doubles do}, or 'missing', 'corrupt', or 'astray' where no line
 * begins at the position.
 */
export const partScript = script(`
local head = ${readFixed('KEYS[1]')}
if head == '' then return 'missing' end
if not ${isFixed('head')} then return 'corrupt' end
if ${field('head', 'status')} == '${REMOVED}' then return 'missing' end${readCounts}
local from, upto = tonumber(ARGV[1]), tonumber(ARGV[2]) or length
local wanted = entries > 0 and math.ceil(1.25 * length / entries * ARGV[3]) or 0
local size = math.max(tonumber(ARGV[4]), math.min(tonumber(ARGV[5]), wanted))
if not from then from = math.max(0, upto - size)
elseif from < 0 or from > length then return 'astray'
elseif from > 0 and redis.call('GETRANGE', KEYS[2], from - 1, from - 1) ~= '\\n' then return 'astray'
else upto = math.min(length, from + size) end
local text = upto > from and redis.call('GETRANGE', KEYS[2], from, upto - 1) or ''
return {text, from, upto, length, entries, ${field('head', 'birth')}, #text == upto - from and 1 or 0}
`);
