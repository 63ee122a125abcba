-- The header of a session that a commit changes. Follows record.lua and group.lua.

-- The lines of a record, from its state on.
local LINES = '^([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)'

local function recordOf(c)
  return (string.gsub(call('GET', c.record), '\n', '\t'))
end

-- The header of a session and the beginning of its record, or nil and the outcome where they, or
-- the history, cannot be read.
local function sessionOf(record, journal)
  local text = beginningOf(record)
  if text == '' then return nil, withoutRecord(record, journal) end
  local header = headerOf(text)
  if not header or call('STRLEN', journal) < header.bytes then return nil, 'corrupt' end
  return header, text
end

-- The fields of a record from the last activity to the side, which every change writes.
local function countsOf(header)
  return header.activity .. format(' %010d %010d %012d %012d %016.0f %06d %010d %010d ',
    header.sequence, header.entries, header.bytes, header.tail, header.asked, header.inbox,
    header.first, header.last) .. header.side
end

-- The fields of a record before the status.
local function fieldsOf(header)
  return '1 ' .. header.revision .. ' ' .. header.incarnation .. ' ' .. header.created .. ' '
    .. countsOf(header) .. format(' %08d ', header.redactions)
end

-- Counts a change of a session, and logs its event.
local function advance(header, event)
  header.sequence = header.sequence + 1
  if kept == '' then return end
  log('1 ' .. header.incarnation .. ' ' .. header.sequence .. ' ' .. event)
end
