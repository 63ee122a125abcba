-- Reads and writes the fields of a session that a commit changes. Follows record.lua and group.lua.

local LINES = '^([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)'

local function recordOf(c)
  return (string.gsub(call('GET', c.record), '\n', '\t'))
end

-- nil and the outcome if the session is missing or unreadable. `c.text` gets the beginning of the
-- record, or all of it.
local function sessionOf(c, isWhole, hasHistory)
  c.text = isWhole and settled(c.record, call('GET', c.record) or '') or beginningOf(c.record)
  if c.text == '' or isRemoved(c.text) then return nil, withoutRecord(c.record, c.journal) end
  local header = headerOf(c.text)
  local isShort = header and hasHistory and call('STRLEN', c.journal) < header.bytes
  if not header or isShort then return nil, 'corrupt' end
  return header
end

local function countsOf(header)
  return header.activity .. format(' %010d %010d %012d %012d %016.0f %06d %010d %010d ',
    header.sequence, header.entries, header.bytes, header.tail, header.asked, header.inbox,
    header.first, header.last) .. header.side
end

local function fieldsOf(header)
  return '1 ' .. header.revision .. ' ' .. header.incarnation .. ' ' .. header.created .. ' '
    .. countsOf(header) .. format(' %08d ', header.redactions)
end

local function advance(header, event)
  header.sequence = header.sequence + 1
  if kept == '' then return end
  log('1 ' .. header.incarnation .. ' ' .. header.sequence .. ' ' .. event)
end
