-- Overwrites entries, even superseded ones, up to a budget for the group, but at least one of each
-- redaction.
--
-- KEYS  of each commit: its record, its journal and its inbox
-- ARGV  of each commit: its incarnation, '' for any; its event without positions and its end; the
--       number of positions; the positions
-- Returns 'made 0', or 'more', the number of completed positions, and the incarnation.

-- Bytes of lines that the group may still read, which limits its duration.
local budget = 524288

local function isLineEnd(journal, position)
  local at = position - 1 .. ''
  return call('GETRANGE', journal, at, at) == '\n'
end

-- The line that ends at a position, and its beginning.
local function lineAt(journal, position)
  local from, size = position, 1024
  while true do
    from, size = math.max(0, position - size), size * 8
    local text = call('GETRANGE', journal, from .. '', position - 1 .. '')
    local before, line = match(text, '^(.*\n)(.+)$')
    if before then return line, from + #before end
    if from == 0 then return text, 0 end
  end
end

-- A line without the content, the id and the data of its entry, in the same length, with a space
-- after its brace. nil if there are none, false if the line cannot be read. In JSON, no string
-- contains a comma and an unescaped quote.
local function redacted(line)
  if not match(line, '^[{?]"') then return nil end
  local role = string.find(line, '","content":"', 1, true)
  local content = role and string.find(line, '","timestamp":"', role, true)
  local time = content and match(line, '^",("timestamp":"[^"]*")', content)
  if not time then return false end
  -- No other string or data can end like these fields.
  local turn = match(line, '(,"turn":%d+)},\n$') or ''
  local message = match(sub(line, 1, -4 - #turn), '(,"message":true)$') or ''
  local text = '{ ' .. sub(line, 2, role) .. ',"content":"",' .. time .. message .. turn .. '}'
  local spaces = #line - #text - 2
  return spaces >= 0 and text .. string.rep(' ', spaces) .. ',\n' or nil
end

local function overwritesOf(journal, positions)
  local overwrites, done = {}, 0
  while done < #positions and (done == 0 or budget > 0) do
    done = done + 1
    local line, from = lineAt(journal, tonumber(positions[done]))
    local found = redacted(line)
    if found == false then return nil end
    if found then overwrites[#overwrites + 1] = {from, found} end
    budget = budget - #line
  end
  return overwrites, done
end

local function overwrite(c, header, overwrites, event)
  begin()
  -- Without effect, but fails before anything is lost if the user lacks the right.
  call('SETRANGE', c.journal, '0', '')
  clearInbox(c.inbox, header)
  advance(header, event)
  header.redactions = header.redactions + 1
  for _, each in ipairs(overwrites) do call('SETRANGE', c.journal, each[1] .. '', each[2]) end
  call('SETRANGE', c.record, ACTIVITY_TEXT, countsOf(header) .. format(' %08d', header.redactions))
end

local function redact()
  local c = {record = nextKey(), journal = nextKey(), inbox = nextKey(),
    incarnation = nextArg(), event = nextArg(), positions = nextOf(nextArg, nextArg())}
  local journal, positions = c.journal, c.positions
  local header, outcome = sessionOf(c, false, true)
  if not header then return outcome end
  if c.incarnation ~= '' and c.incarnation ~= header.incarnation then return 'missing' end
  for _, text in ipairs(positions) do
    local position = tonumber(text)
    local isInside = position > 0 and position <= header.bytes
    if not isInside or not isLineEnd(journal, position) then return 'no position' end
  end
  local overwrites, done = overwritesOf(journal, positions)
  if not overwrites then return 'corrupt' end
  if overwrites[1] then
    overwrite(c, header, overwrites, c.event .. table.concat(positions, ',', 1, done) .. ']}')
  end
  if done == #positions then return 'made 0' end
  return 'more ' .. done .. ' ' .. header.incarnation
end

return makeAll(redact)
