import { MARK_TAIL, markField, readTail } from './journal-text.js';
import { field, isFixed, REMOVED, readFixed } from './record-text.js';
import { script } from './script.js';

/*
 * Parts of a history are cut out on the server: it sees bytes, where a client sees text that may begin or end within a
 * character, and it sees the session at one moment. Both scripts read the journal in pieces that double from the first,
 * so that what is read follows from what is given. A raw line feed ends a line and stands nowhere else in a journal; a
 * line that begins with a brace is an entry.
 *
 * Each gives {lines, their length in the journal, how long the journal is, how many entries it has, birth}, or 'missing' or
 * 'corrupt'. The length is -1 where the server counts characters and not bytes, as doubles of a server do: then it is
 * that of the text.
 */

/** Bytes that are read first. */
const FIRST_BYTES = 16 * 1024;

/** Maximum number of bytes of one script, unless they are of one entry: others wait as long as it runs. */
const MAX_BYTES = 1024 * 1024;

/** Defines `birth`, `length`, that of the journal, and `entries`, how many it has; or ends the script. */
const readEnd = `
local head = ${readFixed('KEYS[1]')}
if head == '' then return 'missing' end
if not ${isFixed('head')} then return 'corrupt' end
if ${field('head', 'status')} == '${REMOVED}' then return 'missing' end
local birth = ${field('head', 'birth')}
local length = redis.call('STRLEN', KEYS[2])
local tail = ${readTail('KEYS[2]', MARK_TAIL)}
local entries = ${markField('tail', 'entries')}
if length > 0 and not entries then return 'corrupt' end
entries = entries or 0`;

/**
 * Cuts out the lines from a position: those of the given number of entries, with the mark behind the last of them if one
 * is there, or of fewer where they are long.
 *
 * KEYS  record, journal
 * ARGV  the position, the most entries
 * Gives 'astray' where no line begins at the position.
 */
export const readForwardScript = script(`${readEnd}
local from, most = tonumber(ARGV[1]), tonumber(ARGV[2])
if from > length then return 'astray' end
if from > 0 and redis.call('GETRANGE', KEYS[2], from - 1, from - 1) ~= '\\n' then return 'astray' end
local size = ${FIRST_BYTES}
local asked, text, count, at, whole
repeat
  asked = math.min(size, length - from)
  text = asked > 0 and redis.call('GETRANGE', KEYS[2], from, from + asked - 1) or ''
  count, at, whole = 0, 0, asked == length - from
  while true do
    local isEntry = string.byte(text, at + 1) == ${'{'.charCodeAt(0)}
    if isEntry and count == most then
      whole = true
      break
    end
    local stop = string.find(text, '\\n', at + 1, true)
    if not stop then break end
    if isEntry then count = count + 1 end
    at = stop
  end
  size = size * 2
until whole or (count > 0 and count < most and size > ${MAX_BYTES})
return {string.sub(text, 1, at), #text == asked and at or -1, length, entries, birth}
`);

/**
 * Cuts out the lines before a position, or before the end: those of the given number of entries, or of fewer where they are
 * long, beginning with an entry.
 *
 * KEYS  record, journal
 * ARGV  the position or '', the most entries
 */
export const readBackwardScript = script(`${readEnd}
local upto = tonumber(ARGV[1]) or length
local most = math.min(tonumber(ARGV[2]), entries)
local size = ${FIRST_BYTES}
local first, text, starts
repeat
  first = math.max(0, upto - size)
  text = upto > 0 and redis.call('GETRANGE', KEYS[2], first, upto - 1) or ''
  starts = {}
  if first == 0 and string.byte(text, 1) == ${'{'.charCodeAt(0)} then starts[1] = 0 end
  local at = string.find(text, '\\n{', 1, true)
  while at do
    starts[#starts + 1] = at
    at = string.find(text, '\\n{', at + 1, true)
  end
  size = size * 2
until #starts >= most or first == 0 or (#starts > 0 and size > ${MAX_BYTES})
local before = starts[math.max(1, #starts - most + 1)] or #text
local lines = most > 0 and string.sub(text, before + 1) or ''
return {lines, #text == upto - first and #lines or -1, length, entries, birth}
`);
