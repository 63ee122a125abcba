-- What all scripts know of a record: see adapters/redis/record.ts.

local call, try = redis.call, redis.pcall
local match, sub, format = string.match, string.sub, string.format

-- No time, as a number and in a record.
local NEVER, NO_TIME = 9007199254740991, '9007199254740991'
-- Where the fields of fixed width are that an append or a redaction overwrites, and the others.
local CREATED, ACTIVITY, STATE = 32, 48, 170
local ACTIVITY_TEXT = '48'

-- Whether a removal of the session has begun. The mark is where every other write writes: if a torn
-- log brings back a removal that was lost, a later write takes it back.
local REMOVED = 'x'
local function isRemoved(text)
  return sub(text, ACTIVITY + 1, ACTIVITY + 1) == REMOVED
    and match(text, '^1 %d+ [%w_-]+ %d+ ()') == ACTIVITY + 1
end

-- A record, or the beginning of one, with the state that counts: see "side" in record.ts.
local TWO_STATES = '^[^\n]*(\n[^\n]*\n[^\n]*\n)[^\n]*(\n[^\n]*)\n([^\n]*)\n([^\n]*)$'
local function settled(record, text)
  if sub(text, 160, 160) == sub(text, STATE + 1, STATE + 1) then return text end
  local whole = call('GET', record)
  local lists, head, fields, state = match(whole, TWO_STATES)
  return lists and sub(whole, 1, STATE) .. fields .. lists .. state .. head or text
end

-- The beginning of a record, with its header, which has at most 258 characters: '' if it is missing
-- or removed, '-' if it is no text.
local function beginningOf(record)
  local text = try('GETRANGE', record, '0', '259')
  -- GETRANGE of test doubles fails for a missing key.
  if type(text) ~= 'string' then text = try('GET', record) or '' end
  if type(text) ~= 'string' then return '-' end
  return isRemoved(text) and '' or settled(record, text)
end

-- What a session without a record is. A torn log may leave the first lines of one that nobody was
-- told of, and a removal that was not finished leaves all of them.
local function withoutRecord(record, journal)
  if call('EXISTS', record) == 1 then return 'missing' end
  local first = sub(call('GET', journal) or '', 1, 1)
  return (first == '' or first == '?') and 'missing' or 'corrupt'
end

-- The text of what `pcall` has caught.
local function textOf(cause)
  local text = type(cause) == 'table' and cause.err or cause
  return (string.gsub(text, '^@user_script: ?%d+: ', ''))
end
