-- Reads sessions, each with a part of its history: the entries before or after a position.
--
-- KEYS  the record and the journal of each session
-- ARGV  1 'before' or 'after', 2 the position, '' for the end of the history, 3 the maximum number
--       of entries, 4 the maximum bytes of the entries, unless a single entry has more, 5 the
--       maximum bytes of all sessions; '' to read the first two lines of a record only
-- Returns for each session {the record, the lines, the number of bytes of the history before the
-- lines}, or 'missing', 'corrupt', or 'invalid_position' if no line ends at the position. Or
-- {'too_large', the bytes of all sessions}.

local isBackward, position = ARGV[1] == 'before', tonumber(ARGV[2])
local limit, most, maximum = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local find = string.find

local function partOf(journal, pieces, from, upto)
  local texts = {}
  for _, piece in ipairs(pieces) do
    local size = piece[2] - piece[1]
    local first, last = math.max(from, 0), math.min(upto, size)
    if first < last then
      local begins, ends = piece[1] + first, piece[1] + last - 1
      texts[#texts + 1] = call('GETRANGE', journal, begins .. '', ends .. '')
    end
    from, upto = from - size, upto - size
  end
  return table.concat(texts)
end

-- A plain search is much faster than a pattern.
local function endsOf(text)
  local ends, at = {}, find(text, '\n', 1, true)
  while at do
    ends[#ends + 1] = at
    at = find(text, '\n', at + 1, true)
  end
  return ends
end

local function cut(text, ends)
  local count = math.min(#ends, limit)
  if isBackward then
    while count > 1 and #text - (ends[#ends - count] or 0) > most do count = count - 1 end
    return sub(text, (ends[#ends - count] or 0) + 1)
  end
  while count > 1 and ends[count] > most do count = count - 1 end
  return sub(text, 1, ends[count])
end

-- Reads lines from one end of a part of a history, in growing steps until there are enough.
local function linesOf(journal, pieces, from, upto, size)
  while true do
    local first, last = from, upto
    if isBackward then
      first = math.max(from, upto - size)
    else
      last = math.min(upto, from + size)
    end
    local text = partOf(journal, pieces, first, last)
    local isAll = last - first >= upto - from
    -- The cut may fall between two lines, so even a complete first line is dropped.
    if not isAll then text = match(text, isBackward and '\n(.*)$' or '^.*\n') or '' end
    local ends = endsOf(text)
    if isAll or #ends >= limit or #ends > 0 and size >= most then return cut(text, ends) end
    size = size * 4
  end
end

-- The header fields of a history and the line of its ranges. With `headerOf`, a page with parts of
-- histories would take the server a tenth longer.
local HISTORY = '^1 %d+ [%w_-]+ %d+ %d+ %d+ (%d+) (%d+) (%d+) [%d ]+[IAPT] [%d ]+\n([%d ;:-]*)\n'
local bytes = 0

local function read(record, journal)
  local text = call('GET', record)
  if not text or isRemoved(text) then return withoutRecord(record, journal) end
  local entries, length, tail, line = match(text, HISTORY)
  if not entries then return 'corrupt' end
  entries, length, tail = tonumber(entries), tonumber(length), tonumber(tail)
  local ranges = rangesOf(line, tail)
  if not ranges or call('STRLEN', journal) < length then return 'corrupt' end
  local isEnd = position and position > 0
  if isEnd and position > length then return 'invalid_position' end
  if isEnd and call('GETRANGE', journal, position - 1 .. '', position - 1 .. '') ~= '\n' then
    return 'invalid_position'
  end
  local pieces, shown, at, isSound = {}, 0, 0, true
  local function take(from, upto)
    isSound = isSound and from <= upto
    pieces[#pieces + 1] = {from, upto}
    shown = shown + upto - from
    at = at + math.max(0, math.min(position or upto, upto) - from)
  end
  for from, upto in string.gmatch(ranges, ' (%d+)%-(%d+)') do
    take(tonumber(from), tonumber(upto))
  end
  take(tail, length)
  if not isSound then return 'corrupt' end
  local from, upto = at, shown
  if isBackward then from, upto = 0, at end
  local guess = math.ceil(1.25 * shown / math.max(1, entries) * limit)
  local size = math.min(guess, upto - from)
  local lines = ''
  if size > 0 and (not maximum or bytes + #text + size <= maximum) then
    if limit >= entries and shown <= most then
      lines = partOf(journal, pieces, from, upto)
    else
      lines = linesOf(journal, pieces, from, upto, math.min(guess, most))
    end
  end
  bytes = bytes + #text + math.max(size, #lines)
  local start = isBackward and upto - #lines or from
  return {maximum and text or match(text, '^[^\n]*\n[^\n]*'), lines, start}
end

local replies = {}
for at = 1, #KEYS, 2 do
  local isRead, reply = pcall(read, KEYS[at], KEYS[at + 1])
  if not isRead then
    local text = textOf(reply)
    if sub(text, 1, 9) ~= 'WRONGTYPE' then return {err = text} end
    reply = 'corrupt'
  end
  replies[#replies + 1] = reply
end
if maximum and bytes > maximum then return {'too_large', bytes} end
-- Unpacked, because test doubles return only arrays that are created in one expression.
return {unpack(replies)}
