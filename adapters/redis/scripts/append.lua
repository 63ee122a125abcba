-- Adds lines at the ends of histories. change.lua has all other changes.
--
-- KEYS  of each commit: its record, its journal, and with conditions its operations
-- ARGV  of each commit: its numbers and conditions, with spaces between them: the time at which the
--       session must be open, and that of its activity; the number of lines; the maximum number of
--       entries before; then, unless it has no conditions, the end of the history, the token, the
--       time of the lease and the digest, each '-' for none; the lines; with conditions also its
--       name, or ''

local GIVEN = '^(%S+) (%S+) (%S+) ?(.*)$'
-- The position of the last activity, and the fields from there on that an append needs.
local FIELDS = '^1 %d+ [%w_-]+ %d+ ()(%d+) (%d+) (%d+) (%d+) (%d+ %d+ %d+ %d+ %d+ %d) %d+ '
  .. '%d ([IAPT]) (%d+) (%d+) (%d+) (%d+) %d+\n'
-- A key of a record ends with the session as events name it; all keys of a partition begin alike.
local SESSION = #stream - #'events' + #'record:' + 1

local function refusedWith(guard, record)
  return 'no ' .. guard .. ' ' .. string.gsub(call('GET', record), '\n', '\t')
end

local function append()
  local record, journal = KEYS[keyAt + 1], KEYS[keyAt + 2]
  local now, count, room, conditions = match(ARGV[argAt + 1], GIVEN)
  local lines = ARGV[argAt + 2]
  keyAt, argAt = keyAt + 2, argAt + 2
  local position, token, held, digest, operations, name
  if conditions ~= '' then
    position, token, held, digest = match(conditions, '^(%S+) (%S+) (%S+) (%S+)$')
    keyAt, argAt = keyAt + 1, argAt + 1
    if digest ~= '-' then operations, name = KEYS[keyAt], ARGV[argAt] end
  end
  local text = beginningOf(record)
  if text == '' then return withoutRecord(record, journal) end
  local at, activity, sequence, entries, bytes, others, status, deadline, inactivity, fence, leased =
    match(text, FIELDS)
  if at ~= ACTIVITY + 1 then return 'corrupt' end
  sequence, entries, bytes = sequence + 1, tonumber(entries), tonumber(bytes)
  if call('STRLEN', journal) < bytes then return 'corrupt' end
  local earlier = name and repeated(journal, bytes, call('HGET', operations, name), digest)
  if earlier then return earlier end
  at = now + 0
  local isOpen = (status == 'A' or status == 'P') and (deadline == NO_TIME or at < deadline + 0)
    and (status == 'P' or inactivity == NO_TIME or at < activity + inactivity)
  if not isOpen then return refusedWith('open', record) end
  if position then
    local isHeld = token == '-' or fence + 0 == token + 0 and held + 0 < leased + 0
    if not isHeld then return refusedWith('fence', record) end
    if position ~= '-' and position + 0 ~= bytes then return 'no end ' .. format('%d', bytes) end
  end
  if entries > room + 0 then return 'no entries' end
  begin()
  local from = format('%d', bytes)
  local finish = extend(journal, from, lines)
  if operations then noteLines(operations, name, digest, from, finish, lines) end
  if kept ~= '' then
    log('1 ' .. sub(text, 20, 31) .. ' ' .. sequence .. ' ' .. sub(record, SESSION)
      .. ' {"type":"appended","at":' .. now .. ',"start":' .. from .. ',"position":' .. finish
      .. '}')
  end
  local used = string.rep('0', 16 - #now) .. now
  if used < activity then used = activity end
  call('SETRANGE', record, ACTIVITY_TEXT, used
    .. format(' %010d %010d %012d ', sequence, entries + count, finish) .. others)
  return 'made ' .. finish
end

return makeAll(append)
