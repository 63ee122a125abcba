import { script, writeScript } from '../connection.js';
import { field, formatOf, isRecord, numberField, REDACTIONS_START, readHead } from '../record.js';
import { logEvent } from './log-event.js';

/**
 * Reads the lines of a journal that end at some positions.
 *
 * KEYS  1 record, 2 journal
 * ARGV  positions
 * Returns {incarnation, then for each position the beginning of its line and the line}, 'missing', 'corrupt', or
 * 'invalid_position' if no line ends at one of them.
 */
export const linesScript = script(`
${readHead('KEYS[1]').trim()}
if head == '' then return redis.call('EXISTS', KEYS[2]) == 1 and 'corrupt' or 'missing' end
if not ${isRecord('head')} then return 'corrupt' end
local length = ${numberField('head', 'bytes')}
if redis.call('STRLEN', KEYS[2]) < length then return 'corrupt' end
local reply = {${field('head', 'incarnation')}}
for _, text in ipairs(ARGV) do
  local finish = tonumber(text)
  if finish > length or redis.call('GETRANGE', KEYS[2], finish - 1 .. '', finish - 1 .. '') ~= '\\n' then
    return 'invalid_position'
  end
  local size, from, line = 1024, nil, nil
  repeat
    from = math.max(0, finish - size)
    line = redis.call('GETRANGE', KEYS[2], from .. '', finish - 1 .. '')
    local start = string.match(string.sub(line, 1, -2), '^.*\\n()')
    size = size * 4
    if start then
      from, line = from + start - 1, string.sub(line, start)
      break
    end
  until from == 0
  reply[#reply + 1] = from
  reply[#reply + 1] = line
end
return {unpack(reply)}
`);

/**
 * Replaces lines with texts of the same length. A position always belongs to the same line, so the lines are unchanged
 * if the session has the same incarnation.
 *
 * KEYS  1 this call, 2 record, 3 journal, 4 events
 * ARGV  1-2 of this call, 3 incarnation, 4 now, 5 length of the stream or '', 6 path and positions of the event, then
 *       for each line its beginning and the text
 * Writes the key of this call, the event, the lines, and last the counts of the record.
 * Returns 'redacted', 'missing' or 'corrupt'.
 */
export const redactScript = writeScript(`${logEvent('KEYS[4]', 'ARGV[5]')}${readHead('KEYS[2]')}
if head == '' then return known and 'redacted' or 'missing' end
if not ${isRecord('head')} then return 'corrupt' end
if ${field('head', 'incarnation')} ~= ARGV[3] then return known and 'redacted' or 'missing' end
if known then return 'redacted' end
local redactions, sequence = ${numberField('head', 'redactions')} + 1, ${numberField('head', 'sequence')} + 1
local refused = attempt(function()
  -- Writes nothing, but fails before anything is lost if SETRANGE is refused. An erased line could not be restored.
  redis.call('SETRANGE', KEYS[3], '0', '')
  remember('1')
  if ARGV[5] ~= '' then
    log('1 redacted ' .. ARGV[3] .. ' ' .. sequence .. ' ' .. ARGV[4] .. ' ' .. ARGV[6])
  end
  for at = 7, #ARGV, 2 do redis.call('SETRANGE', KEYS[3], ARGV[at], ARGV[at + 1]) end
  redis.call('SETRANGE', KEYS[2], '${REDACTIONS_START}',
    string.format('${formatOf('redactions', 'sequence')}', redactions, sequence))
end, function() end)
return refused or 'redacted'
`);
