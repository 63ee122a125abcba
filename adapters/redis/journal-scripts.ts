import { MARK_TAIL, markField, readTail } from './journal-text.js';
import { field, isFixed, REMOVED, readFixed } from './record-text.js';
import { script } from './script.js';

/** Bytes of a journal that are searched at a time. */
const SEARCHED_BYTES = 64 * 1024;

/** Length of a write id. */
export const ID_LENGTH = 12;

/**
 * Defines `head`, the fields of fixed width, and `birth`; or ends the script. An append that finds its session removed, or
 * removed and created again, may have arrived before: then what the removal remembers tells it.
 */
const readHead = (id: string, birth: string): string => `
local head = ${readFixed('KEYS[1]')}
if head == '' then return 'missing' end
if not ${isFixed('head')} then return 'corrupt' end
local birth = ${field('head', 'birth')}
if ${field('head', 'status')} == '${REMOVED}' or birth ~= ${birth} then
  local line = string.match(redis.call('GET', KEYS[1]), '^[^\\n]*')
  local _, found = string.find(line, ' ' .. ${id} .. ':', 1, true)
  if not found then _, found = string.find(line, ',' .. ${id} .. ':', 1, true) end
  local number, position = string.match(line, '^(%d+):(%d+),', (found or #line) + 1)
  if position then return {tonumber(position), tonumber(number)} end
  if ${field('head', 'status')} == '${REMOVED}' then return 'missing' end
  return {'reborn', tonumber(${field('head', 'created')})}
end`;

/** Defines `appends` and `entries` of a journal that ends with `tail`. */
const readCounts = `
local appends = ${markField('tail', 'appends')} or 0
local entries = ${markField('tail', 'entries')} or 0`;

/** Defines `find(from)`: where the mark of an id ends, and the number of its change, if it stands behind `from`. */
const findMark = (id: string): string => `
local function find(from)
  local pattern = '\\n"' .. ${id} .. ':'
  local length = redis.call('STRLEN', KEYS[2])
  local step = ${SEARCHED_BYTES} - #pattern
  for start = math.max(0, from - 1), length - 1, step do
    local part = redis.call('GETRANGE', KEYS[2], start, start + ${SEARCHED_BYTES} - 1)
    local at = string.find(part, pattern, 1, true)
    while at do
      local tail = start + at + #pattern - 2
      local text = redis.call('GETRANGE', KEYS[2], tail, tail + ${MARK_TAIL - 1})
      if string.sub(text, -3) == '",\\n' then return tail + ${MARK_TAIL}, ${markField('text', 'number')} end
      at = string.find(part, pattern, at + 1, true)
    end
  end
end`;

/** Ends the script if the session does not accept so many more entries now. */
const checkAccepts = (now: string, added: string, most: string): string => `
if ${field('head', 'open')} ~= '1' or tonumber(${now}) >= tonumber(${field('head', 'deadline')}) then
  return {'closed', string.match(redis.call('GET', KEYS[1]), '^[^\\n]*')}
end
if entries + ${added} > tonumber(${most}) then return 'full' end`;

/** Adds lines and a mark of `id`. */
const write = (id: string, lines: string, added: string): string => `
local changes = tonumber(${field('head', 'revision')}) - tonumber(${field('head', 'base')}) + 1
local number = changes + appends + 1
local mark = string.format('"%s:%06x:%06x:%06x",\\n', ${id}, appends + 1, number, entries + ${added})
return {redis.call('APPEND', KEYS[2], ${lines} .. mark), number}`;

/**
 * Adds lines to a journal, if the session accepts history.
 *
 * KEYS  record, journal
 * ARGV  birth, now, write id, the lines, how many, most entries of a history, a length that the journal had before this
 *       call was made, and the id of the mark that it ended with
 * Gives {the journal's length behind the lines' mark, the number of this change}, or 'missing', 'corrupt', 'full',
 * {'closed', state line} or {'reborn', time of creation}. An earlier arrival of this call can only have written behind the given
 * length: the search for its mark costs what others have written since, however long the journal is. Where the given
 * mark is not there any more, the journal is another one, and is searched from its beginning.
 */
export const appendScript = script(`${readHead('ARGV[3]', 'ARGV[1]')}
local length = redis.call('STRLEN', KEYS[2])
local tail = length > 0 and redis.call('GETRANGE', KEYS[2], -${MARK_TAIL + ID_LENGTH}, -1) or ''
local from = tonumber(ARGV[7])
if from ~= length or string.sub(tail, 1, ${ID_LENGTH}) ~= ARGV[8] then${findMark('ARGV[3]')}
  local known = from > 0 and length > 0 and redis.call('GETRANGE', KEYS[2], from - ${MARK_TAIL + ID_LENGTH}, from - ${MARK_TAIL + 1}) or ''
  local finish, number = find(known == ARGV[8] and from or 0)
  if finish then return {finish, number} end
end${readCounts}${checkAccepts('ARGV[2]', 'ARGV[5]', 'ARGV[6]')}${write('ARGV[3]', 'ARGV[4]', 'ARGV[5]')}
`);

/**
 * Notes where to look for the mark of lines that the caller has named: from the journal's present length on. A name that
 * is noted and has its mark stays as it is, and so does a session that accepts no more history.
 *
 * KEYS  record, journal, names
 * ARGV  birth, now, the name, how many lines, most entries of a history
 */
export const noteNameScript = script(`
local head = ${readFixed('KEYS[1]')}
if not ${isFixed('head')} or ${field('head', 'birth')} ~= ARGV[1] or ${field('head', 'status')} == '${REMOVED}' then return 0 end
if ${field('head', 'open')} ~= '1' or tonumber(ARGV[2]) >= tonumber(${field('head', 'deadline')}) then return 0 end
local tail = ${readTail('KEYS[2]', MARK_TAIL)}${readCounts}
if entries + ARGV[4] > tonumber(ARGV[5]) then return 0 end
local length = redis.call('STRLEN', KEYS[2])
local noted = tonumber(redis.call('HGET', KEYS[3], ARGV[3]) or '')
if noted then
  if noted == length then return 0 end${findMark('ARGV[3]')}
  if find(noted) then return 0 end
end
redis.call('HSET', KEYS[3], ARGV[3], string.format('%.0f', length))
return 1
`);

/**
 * Adds lines that the caller has named, and that may have been added at any time before, through any process.
 *
 * KEYS  record, journal, names
 * ARGV  birth, now, the name, the lines, how many, most entries of a history
 * Gives what \`appendScript\` gives, or 'unlisted' where the name is not noted.
 */
export const appendNamedScript = script(`${readHead('ARGV[3]', 'ARGV[1]')}
local noted = tonumber(redis.call('HGET', KEYS[3], ARGV[3]) or '')
if noted then${findMark('ARGV[3]')}
  local finish, number = find(noted)
  if finish then return {finish, number} end
end
local tail = ${readTail('KEYS[2]', MARK_TAIL)}${readCounts}${checkAccepts('ARGV[2]', 'ARGV[5]', 'ARGV[6]')}
if not noted then return 'unlisted' end${write('ARGV[3]', 'ARGV[4]', 'ARGV[5]')}
`);

/**
 * Which session there is, and how its journal ends.
 *
 * KEYS  record, journal
 * Gives {birth, length of the journal, the last characters of the id in its last mark}, or 'missing' or 'corrupt'.
 */
export const endScript = script(`
local head = ${readFixed('KEYS[1]')}
if head == '' then return 'missing' end
if not ${isFixed('head')} then return 'corrupt' end
if ${field('head', 'status')} == '${REMOVED}' then return 'missing' end
local length = redis.call('STRLEN', KEYS[2])
local tail = length > 0 and redis.call('GETRANGE', KEYS[2], -${MARK_TAIL + ID_LENGTH}, -${MARK_TAIL + 1}) or ''
return {${field('head', 'birth')}, length, tail}
`);
