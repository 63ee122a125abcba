-- The fields of a record that all scripts know: see adapters/redis/record.ts.

local call, try = redis.call, redis.pcall
local match, sub, format = string.match, string.sub, string.format

local NEVER, NO_TIME = 9007199254740991, '9007199254740991'
-- The offsets of fields with fixed widths that some writes overwrite, and of the other fields.
local CREATED, ACTIVITY, STATE = 32, 48, 170
local ACTIVITY_TEXT = '48'

-- Whether the removal of a session has begun. The mark is in a field that every other write writes,
-- so a later write overrides a removal that a torn log has brought back.
local REMOVED = 'x'
local function isRemoved(text)
  return sub(text, ACTIVITY + 1, ACTIVITY + 1) == REMOVED
    and match(text, '^1 %d+ [%w_-]+ %d+ ()') == ACTIVITY + 1
end

-- A record, or its beginning, with the valid state: see "side" in record.ts.
local TWO_STATES = '^[^\n]*(\n[^\n]*\n[^\n]*\n)[^\n]*(\n[^\n]*)\n([^\n]*)\n([^\n]*)$'
local function settled(record, text)
  if sub(text, 160, 160) == sub(text, STATE + 1, STATE + 1) then return text end
  local whole = call('GET', record)
  local lists, head, fields, state = match(whole, TWO_STATES)
  return lists and sub(whole, 1, STATE) .. fields .. lists .. state .. head or text
end

-- The beginning of a record with its header of at most 258 characters: '' if it is missing or
-- removed, '-' if the key has a wrong type.
local function beginningOf(record)
  local text = try('GETRANGE', record, '0', '259')
  -- GETRANGE of test doubles fails for a missing key.
  if type(text) ~= 'string' then text = try('GET', record) or '' end
  if type(text) ~= 'string' then return '-' end
  return isRemoved(text) and '' or settled(record, text)
end

-- The outcome for a session without a record. A torn log may leave the first lines of a session
-- whose creation was never acknowledged, or all lines after an unfinished removal.
local function withoutRecord(record, journal)
  if call('EXISTS', record) == 1 then return 'missing' end
  local first = sub(call('GET', journal) or '', 1, 1)
  return (first == '' or first == '?') and 'missing' or 'corrupt'
end

local function textOf(cause)
  local text = type(cause) == 'table' and cause.err or cause
  return (string.gsub(text, '^@user_script: ?%d+: ', ''))
end
