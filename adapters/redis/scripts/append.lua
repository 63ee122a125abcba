-- Adds lines at the ends of histories. change.lua has all other changes.
--
-- KEYS  of each commit: its record, its journal, and with conditions its operations
-- ARGV  of each commit: the time at which the session must be open, and that of its activity; the
--       lines; their number; the maximum number of entries of a history, '' for any; its event
--       without its end, '' for none; its conditions as '<end> <token> <time of the lease> <digest>',
--       '-' for none of each, or '' for none at all; with conditions also its name, or ''

-- Captures the fields after the wake. Those before it have fixed widths: parts of a text cost less
-- than captures.
local FIELDS = '^1 %d+ [%w_-]+ %d+ %d+ %d+ %d+ %d+ %d+ %d+ %d+ ([IAPT]) (%d+) (%d+) (%d+) (%d+)\n'

local function refusedWith(guard, record)
  return 'no ' .. guard .. ' ' .. string.gsub(call('GET', record), '\n', '\t')
end

local function append()
  local record, journal = KEYS[keyAt + 1], KEYS[keyAt + 2]
  local now, lines, count = ARGV[argAt + 1], ARGV[argAt + 2], ARGV[argAt + 3]
  local most, event, conditions = ARGV[argAt + 4], ARGV[argAt + 5], ARGV[argAt + 6]
  keyAt, argAt = keyAt + 2, argAt + 6
  local position, token, held, digest, operations, name
  if conditions ~= '' then
    position, token, held, digest = match(conditions, '^(%S+) (%S+) (%S+) (%S+)$')
    keyAt, argAt = keyAt + 1, argAt + 1
    if digest ~= '-' then operations, name = KEYS[keyAt], ARGV[argAt] end
  end
  local text = beginningOf(record)
  if text == '' then return withoutRecord(record, journal) end
  local status, deadline, inactivity, fence, leased = match(text, FIELDS)
  local incarnation, activity = sub(text, 20, 31), sub(text, 49, 64)
  local sequence, entries = tonumber(sub(text, 66, 75)), tonumber(sub(text, 77, 86))
  local bytes, tail = tonumber(sub(text, 88, 99)), sub(text, 101, 112)
  if not (status and sequence and entries and bytes) then return 'corrupt' end
  if call('STRLEN', journal) < bytes then return 'corrupt' end
  local earlier = name and repeated(journal, bytes, call('HGET', operations, name), digest)
  if earlier then return earlier end
  local at = now + 0
  local isOpen = (status == 'A' or status == 'P') and at < deadline + 0
    and (status == 'P' or at < activity + inactivity)
  if not isOpen then return refusedWith('open', record) end
  if position then
    local isHeld = token == '-' or fence + 0 == token + 0 and held + 0 < leased + 0
    if not isHeld then return refusedWith('fence', record) end
    if position ~= '-' and position + 0 ~= bytes then return 'no end ' .. format('%d', bytes) end
  end
  if most ~= '' and entries + count > most + 0 then return 'no entries' end
  begin()
  local finish = extend(journal, bytes, lines, operations, name, digest)
  sequence = sequence + 1
  if kept ~= '' then
    log(incarnation, sequence, event .. format(',"start":%d,"position":', bytes) .. finish .. '}')
  end
  if at > activity + 0 then activity = string.rep('0', 16 - #now) .. now end
  call('SETRANGE', record, ACTIVITY .. '', activity
    .. format(' %010d %010d %012d ', sequence, entries + count, finish) .. tail)
  return 'made ' .. finish
end

return makeAll(append)
