-- Reads a session and a part of its history, by bytes of the history: the part may begin or end
-- within a line, or within a character.
--
-- KEYS  1 record, 2 journal
-- ARGV  1 the offset at which the part begins, or '' for a part that ends at an offset, 2 that
--       offset, '' for the end of the history, 3 the number of bytes, or '' for 1.25 times the
--       average size of: 4 a number of entries, at least 5 and at most 6 bytes; 7 the maximum size
--       of the record and the text, or ''
-- Returns {the record; the text; 1 if the server counts bytes, or 0 if it counts characters, as
-- test doubles do; the beginning and the end of each piece of the history in the text}, or
-- {'too_large', their size}, 'missing', 'corrupt', or 'invalid_position' if no line ends at the
-- offset. For a number of entries, the record is cut after the line of the ranges.

local record, journal = KEYS[1], KEYS[2]
local from, upto, size = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local entries = tonumber(ARGV[4] or '')
local least, most, maximum = tonumber(ARGV[5] or ''), tonumber(ARGV[6] or ''), tonumber(ARGV[7] or '')
local call, match = redis.call, string.match

local HEADER = '^1 %d+ [%w_-]+ %d+ %d+ %d+ (%d+) (%d+) (%d+) %d+ %d+ [IAPT] [%d ]+\n([%d ;-]*)\n'

-- Of a part, the rest of the record is not read, unless the line of the ranges is long.
local text = entries and redis.pcall('GETRANGE', record, '0', '255')
if type(text) ~= 'string' or not match(text, HEADER) then text = call('GET', record) end
if not text then
  local first = call('EXISTS', journal) == 1 and string.sub(call('GET', journal), 1, 1) or '?'
  return first == '?' and 'missing' or 'corrupt'
end
local count, bytes, tail, ranges = match(text, HEADER)
if not bytes or call('STRLEN', journal) < bytes + 0 then return 'corrupt' end
bytes = tonumber(bytes)
local given = from or upto
if given then
  if given > bytes then return 'invalid_position' end
  if given > 0 and call('GETRANGE', journal, given - 1 .. '', given - 1 .. '') ~= '\n' then
    return 'invalid_position'
  end
end
tail = tonumber(tail)
local hidden, others = 0, ''
if tail > 0 then
  hidden, others = match(';' .. ranges, string.format(';%d (%%d+)([^;]*)', tail))
  if not hidden or tail > bytes then return 'corrupt' end
end
local shown = bytes - tonumber(hidden)
local whole = #text + math.min(shown, size or shown)
if maximum and whole > maximum then return {'too_large', whole} end
if not size then
  local wanted = count + 0 > 0 and math.ceil(1.25 * shown / count * entries) or 0
  size = math.max(least, math.min(most, wanted))
end

-- The pieces of the whole history.
local pieces, part = {}, {}
for first, last in string.gmatch(others, ' (%d+)%-(%d+)') do
  pieces[#pieces + 1] = {tonumber(first), tonumber(last)}
end
pieces[#pieces + 1] = {tail, bytes}
-- Those that are read, cut to the part.
if from then
  for at = 1, #pieces do
    local first, last = math.max(pieces[at][1], from), pieces[at][2]
    if first < last and size > 0 then
      last = math.min(last, first + size)
      size = size - (last - first)
      part[#part + 1] = {first, last}
    end
  end
else
  local rising = {}
  for at = #pieces, 1, -1 do
    local first, last = pieces[at][1], math.min(pieces[at][2], upto or bytes)
    if first < last and size > 0 then
      first = math.max(first, last - size)
      size = size - (last - first)
      rising[#rising + 1] = {first, last}
    end
  end
  for at = #rising, 1, -1 do part[#part + 1] = rising[at] end
end
local texts, sum = {}, 0
for at, piece in ipairs(part) do
  texts[at] = call('GETRANGE', journal, piece[1] .. '', piece[2] - 1 .. '')
  sum = sum + piece[2] - piece[1]
end
local read = table.concat(texts)
local reply = {entries and match(text, '^[^\n]*\n[^\n]*') or text, read, #read == sum and 1 or 0}
for _, piece in ipairs(part) do
  reply[#reply + 1] = piece[1]
  reply[#reply + 1] = piece[2]
end
-- Test doubles return only arrays that are created in one expression; a server cannot unpack long ones.
if #reply < 1000 then return {unpack(reply)} end
return reply
