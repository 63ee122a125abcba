-- What all scripts know of a record: see adapters/redis/record.ts. It is in front of each of them.

local call, try = redis.call, redis.pcall
local match, sub, format = string.match, string.sub, string.format

local NEVER = 9007199254740991
-- Where the fields of fixed width are that an append or a redaction overwrites, and the others.
local CREATED, ACTIVITY, SEQUENCE, STATE = 32, 48, 65, 122
local HEADER = '^1 (%d+) ([%w_-]+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ()'
  .. '(%d+) ([IAPT]) (%d+) (%d+) (%d+) (%d+)\n'

local function headerOf(text)
  local revision, incarnation, created, activity, sequence, entries, bytes, tail, redactions, at,
    wake, status, deadline, inactivity, fence, leased = match(text, HEADER)
  if at ~= STATE + 1 then return nil end
  return {
    revision = revision, incarnation = incarnation, created = created, activity = activity,
    sequence = tonumber(sequence), entries = tonumber(entries), bytes = tonumber(bytes),
    tail = tonumber(tail), redactions = tonumber(redactions), wake = tonumber(wake),
    status = status, deadline = tonumber(deadline), inactivity = tonumber(inactivity),
    fence = tonumber(fence), leased = tonumber(leased),
  }
end

-- When the clock ends the session unless it is used or changed before; after the end: when it is
-- deleted.
local function endOf(header)
  if header.status ~= 'A' then return header.deadline end
  return math.min(header.deadline, header.activity + header.inactivity)
end

-- Whether a removal of the session has begun. The mark is where every other write writes: if a torn
-- log brings back a removal that was lost, a later write takes it back.
local REMOVED = 'x'
local function isRemoved(text)
  return sub(text, ACTIVITY + 1, ACTIVITY + 1) == REMOVED
end

-- The beginning of a record, with its header: '' if it is missing or removed, '-' if it is no text.
local function beginningOf(record)
  local text = try('GETRANGE', record, '0', '255')
  -- GETRANGE of test doubles fails for a missing key.
  if type(text) ~= 'string' then text = try('GET', record) or '' end
  if type(text) ~= 'string' then return '-' end
  return isRemoved(text) and '' or text
end

-- What a session without a record is. A torn log may leave the first lines of one that nobody was
-- told of.
local function withoutRecord(journal)
  local first = sub(call('GET', journal) or '', 1, 1)
  return (first == '' or first == '?') and 'missing' or 'corrupt'
end

-- The ranges of a history before its last one, from the line of a record; nil if they are not
-- there.
local function rangesOf(line, tail)
  return tail == 0 and '' or match(';' .. line, ';' .. format('%d', tail) .. ':([^;]*)')
end

-- The text of what `pcall` has caught.
local function textOf(cause)
  local text = type(cause) == 'table' and cause.err or cause
  return (string.gsub(text, '^@user_script: ?%d+: ', ''))
end

