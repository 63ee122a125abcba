-- Overwrites entries, even superseded ones, up to a budget for the group, but at least one of each
-- redaction.
--
-- KEYS  of each commit: its record, its journal and its inbox
-- ARGV  of each commit: its incarnation, '' for any; its event without positions and its end; the
--       number of positions; the positions
-- Returns 'made 0', or 'more', the number of positions that are done, and the incarnation.

-- Bytes of lines that the group may still read, so that it does not take long.
local budget = 524288

local function isLineEnd(journal, position)
  local at = position - 1 .. ''
  return call('GETRANGE', journal, at, at) == '\n'
end

-- The line of a journal that ends at a position, and where it begins. Looks for the end of the line
-- before it backwards, part by part, with plain searches: a pattern is slow in a long line.
local function lineAt(journal, position)
  local upto, size, begins = position - 1, 1024, 0
  while upto > 0 and begins == 0 do
    local from = math.max(0, upto - size)
    local text = call('GETRANGE', journal, from .. '', upto - 1 .. '')
    local found = string.find(text, '\n', 1, true)
    while found do
      begins = from + found
      found = string.find(text, '\n', found + 1, true)
    end
    upto, size = from, 65536
  end
  return call('GETRANGE', journal, begins .. '', position - 1 .. ''), begins
end

-- A line without the content, the id and the data of its entry, in the same length, with a space
-- after its brace. nil for one that has none, false for one that cannot be read. In JSON, no text
-- contains a comma and a quote.
local function redacted(line)
  if not match(line, '^[{?]"') then return nil end
  local role = string.find(line, '","content":"', 1, true)
  local content = role and string.find(line, '","timestamp":"', role, true)
  local time = content and match(line, '^",("timestamp":"[^"]*")', content)
  if not time then return false end
  -- No other text or data ends like these.
  local turn = match(line, '(,"turn":%d+)},\n$') or ''
  local message = match(sub(line, 1, -4 - #turn), '(,"message":true)$') or ''
  local text = '{ ' .. sub(line, 2, role) .. ',"content":"",' .. time .. message .. turn .. '}'
  local spaces = #line - #text - 2
  return spaces >= 0 and text .. string.rep(' ', spaces) .. ',\n' or nil
end

-- What to write for the first positions, and the number of these; nil for an unreadable entry.
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

local function overwrite(record, journal, inbox, header, overwrites, event)
  begin()
  -- Writes nothing, but fails before anything is lost if there is no right to it.
  call('SETRANGE', journal, '0', '')
  clearInbox(inbox, header)
  advance(header, event)
  header.redactions = header.redactions + 1
  for _, each in ipairs(overwrites) do call('SETRANGE', journal, each[1] .. '', each[2]) end
  call('SETRANGE', record, ACTIVITY_TEXT, countsOf(header) .. format(' %08d', header.redactions))
end

local function redact()
  local record, journal, inbox = nextKey(), nextKey(), nextKey()
  local incarnation, event = nextArg(), nextArg()
  local positions = nextOf(nextArg, nextArg())
  local header, outcome = sessionOf(record, journal)
  if not header then return outcome end
  if incarnation ~= '' and incarnation ~= header.incarnation then return 'missing' end
  for _, text in ipairs(positions) do
    local position = tonumber(text)
    local isInside = position > 0 and position <= header.bytes
    if not isInside or not isLineEnd(journal, position) then return 'no position' end
  end
  local overwrites, done = overwritesOf(journal, positions)
  if not overwrites then return 'corrupt' end
  if overwrites[1] then
    local text = event .. table.concat(positions, ',', 1, done) .. ']}'
    overwrite(record, journal, inbox, header, overwrites, text)
  end
  if done == #positions then return 'made 0' end
  return 'more ' .. done .. ' ' .. header.incarnation
end

return makeAll(redact)
