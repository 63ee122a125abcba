-- Reads the lines of a journal that end at some positions.
--
-- KEYS  1 record, 2 journal
-- ARGV  positions
-- Returns {the beginning of the record, then for each position the beginning of its line and the
-- line}, 'missing', 'corrupt', or 'invalid_position' if no line ends at one of them.

local record, journal = KEYS[1], KEYS[2]
local call = redis.call
local text = call('GET', record)
if not text then
  local first = call('EXISTS', journal) == 1 and string.sub(call('GET', journal), 1, 1) or '?'
  return first == '?' and 'missing' or 'corrupt'
end
local bytes = string.match(text, '^1 %d+ [%w_-]+ %d+ %d+ %d+ %d+ (%d+) %d+ %d+ %d+ [IAPT] ')
if not bytes or call('STRLEN', journal) < bytes + 0 then return 'corrupt' end
local reply = {string.match(text, '^[^\n]*')}
for _, position in ipairs(ARGV) do
  local finish = tonumber(position)
  if finish > bytes + 0 or call('GETRANGE', journal, finish - 1 .. '', finish - 1 .. '') ~= '\n' then
    return 'invalid_position'
  end
  local size, from, line = 1024, nil, nil
  repeat
    from = math.max(0, finish - size)
    line = call('GETRANGE', journal, from .. '', finish - 1 .. '')
    local start = string.match(string.sub(line, 1, -2), '^.*\n()')
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
