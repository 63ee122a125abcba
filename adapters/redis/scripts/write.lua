-- Makes a group of mutations of one partition, each for itself: one that is refused changes
-- nothing, and the others are made.
--
-- KEYS  1 the note of this group, 2 the stream of events, then those of the mutations, each once
-- ARGV  1 until when the group is accepted, 2 until when it is recognised, by the clock of the
--       server, 3 the number of events that the stream keeps, '' without events, then for each
--       mutation its kind, the number of its keys, the places of its keys in KEYS, the number of
--       its arguments, and these
-- Returns the outcomes as text, a line for each mutation; 'late <time of the server>' if the group
-- came too late; 'unknown' if a crash has left its note without its outcomes.
--
-- Order of the writes: the note without outcomes, then for each mutation its event, what it adds to
-- indexes, its record, and what it removes from indexes; last the note with the outcomes. All
-- values are absolute, so that the remains of a torn log are overwritten or can be derived: see "A
-- torn log" in docs/redis.md. Lua does not roll back, so a mutation first reads all its
-- keys: one of a wrong type fails before anything is written. What fails after the record leaves an
-- index entry too many, which readers ignore and `repair` removes.
--
-- Numbers are passed to commands as text, because the server converts numbers slowly.

local note, stream = KEYS[1], KEYS[2]
local till, forget, kept = ARGV[1], ARGV[2], ARGV[3]

local known = call('GET', note)
if known then return known == '' and 'unknown' or known end
local time = call('TIME')
local clock = time[1] * 1000 + time[2] / 1000
if clock >= till + 0 or till - clock > forget - till then return 'late ' .. format('%.0f', clock) end

local MAX_RANGES, MAX_ENDED, SURPLUS = 1000, 10000, 100
local LINES = '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$'

-- The version of a history: another one after each rewind and each redaction.
local function versionOf(record)
  local header = headerOf(beginningOf(record))
  return header and header.incarnation .. '.' .. header.redactions .. '.' .. header.tail
end

-- The header of a session and the beginning of its record, or nil and the outcome where they, or the history,
-- cannot be read.
local function sessionOf(record, journal)
  local text = beginningOf(record)
  if text == '' then return nil, withoutRecord(journal) end
  local header = headerOf(text)
  if not header or call('STRLEN', journal) < header.bytes then return nil, 'corrupt' end
  return header, text
end

local hasBegun, isRefused = false, false
local function begin()
  if hasBegun then return end
  isRefused = true
  call('SET', note, '', 'PXAT', forget)
  hasBegun, isRefused = true, false
end

-- An event of a session; its end is the session and the details as JSON.
local function eventText(header, sequence, ending)
  return '1 ' .. header.incarnation .. ' ' .. sequence .. ' ' .. ending
end

local function log(text)
  if call('XLEN', stream) < kept + SURPLUS then
    call('XADD', stream, '*', 'e', text)
  else
    -- Not `MAXLEN ~`: the log has that with the length of today, and after a crash too much would go.
    call('XADD', stream, 'MAXLEN', kept, '*', 'e', text)
  end
end

-- Lowers the time of a tenant.
local function lower(tenants, tenantKey, at)
  local first = tonumber(call('ZSCORE', tenants, tenantKey) or '')
  if not first or at + 0 < first then call('ZADD', tenants, at, tenantKey) end
end

-- Adds a member to an index, or with `<` before the score lowers that of its tenant.
local function enter(index, score, idKey, tenantKey)
  if sub(score, 1, 1) == '<' then
    lower(index, tenantKey, sub(score, 2))
  else
    call('ZADD', index, score, idKey)
  end
end

-- Reads an index that gets a member with this score, so that a command without rights, or a wrong type, fails
-- before anything is written.
local function checkIndex(index, score, tenantKey)
  if sub(score, 1, 1) == '<' then call('ZSCORE', index, tenantKey) else call('ZCARD', index) end
end

-- Reads a due set and the tenants of the partition, so that a wrong type fails before anything is written.
local function checkDue(due, tenants, tenantKey)
  call('ZRANGE', due, '0', '0')
  call('ZSCORE', tenants, tenantKey)
end

-- Moves a member to an earlier due time. An entry that is too early does no harm, so this comes before the
-- record; `later` comes after it.
local function sooner(due, tenants, tenantKey, idKey, at)
  local found = tonumber(call('ZSCORE', due, idKey) or '')
  if at == '' or found and found <= at + 0 then return end
  call('ZADD', due, at, idKey)
  lower(tenants, tenantKey, at)
end

local function later(due, tenants, tenantKey, idKey, at)
  local found = try('ZSCORE', due, idKey)
  if at == '' then
    if found then try('ZREM', due, idKey) end
  elseif found and at + 0 > tonumber(found) then
    try('ZADD', due, at, idKey)
  end
  local first = try('ZRANGE', due, '0', '0', 'WITHSCORES')
  if not first[1] then
    try('ZREM', tenants, tenantKey)
  elseif first[2] ~= try('ZSCORE', tenants, tenantKey) then
    try('ZADD', tenants, first[2], tenantKey)
  end
end

-- The outcome if the tenant has as many live sessions as it may have; nil otherwise. Sessions that the
-- clock has ended do not count.
local function overCap(most, now, active, paused, due, records)
  local count = call('ZCARD', active) + call('ZCARD', paused)
  if count < most + 0 then return nil end
  local ended = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', '0', MAX_ENDED + 1 .. '')
  for _, idKey in ipairs(ended) do
    local header = headerOf(beginningOf(records .. idKey))
    if header and (header.status == 'A' or header.status == 'P') and endOf(header) <= now + 0 then
      count = count - 1
    end
  end
  if count < most + 0 then return nil end
  return #ended > MAX_ENDED and 'ended' or 'too_many'
end

-- Each kind of mutation takes its keys and its arguments and returns its outcome, and what follows it in the
-- reply but not in the note.
local kinds = {}

-- Adds a session.
-- keys  record, journal, due set, tenants, record of the source, ACTIVE and PAUSED sessions, then the indexes
--       that get the session
-- args  idKey, tenantKey, due time or '', record, lines, version of the source or '', cap or '', now, event of
--       the creation, and up to two more (each or ''), then for each index
--       its score, as `enter` takes it
function kinds.create(keys, args)
  local record, journal, due, tenants, source, active, paused = unpack(keys, 1, 7)
  local idKey, tenantKey, at, text, lines, version, cap, now, created, second, third = unpack(args, 1, 11)
  if call('EXISTS', record) == 1 then return 'taken' end
  -- A torn log may leave the first lines of a session that nobody was told of: see below.
  if withoutRecord(journal) ~= 'missing' then return 'taken' end
  if version ~= '' and version ~= versionOf(source) then return 'source_changed' end
  local over = cap ~= '' and overCap(cap, now, active, paused, due, sub(record, 1, -1 - #idKey))
  if over then return over end
  for place = 8, #keys do checkIndex(keys[place], args[place + 4], tenantKey) end
  if at ~= '' then checkDue(due, tenants, tenantKey) end
  begin()
  if lines ~= '' then
    -- The first character says that there may be no record. It is set right when there is one.
    call('SET', journal, '?' .. sub(lines, 2))
  end
  if created ~= '' then
    call('ZADD', keys[8], 'XX', '0', '')
    log(created)
    if second ~= '' then log(second) end
    if third ~= '' then log(third) end
  end
  for place = 8, #keys do enter(keys[place], args[place + 4], idKey, tenantKey) end
  if at ~= '' then sooner(due, tenants, tenantKey, idKey, at) end
  call('SET', record, text)
  if lines ~= '' then try('SETRANGE', journal, '0', '{') end
  return 'inserted'
end

-- Replaces the state of a session, or of what is left of a removed one. Its activity stays if it is later.
-- keys  record, due set, tenants, ACTIVE and PAUSED sessions, then the indexes that get the session, then
--       those that lose it
-- args  idKey, tenantKey, expected revision, next revision, last activity, the fields of the state, its labels,
--       its JSON, due time or '', '1' if the session was or becomes due or '', '1' if this is a change or
--       '', the end of its event, '' without events, cap or '', now, the number of indexes that get the session,
--       then for each of these its score, as `enter` takes it, '' for the creation
function kinds.replace(keys, args)
  local record, due, tenants, active, paused = unpack(keys, 1, 5)
  local idKey, tenantKey, expected, revision, activity, fields, labels, state, at, isDue, isChange, event, cap, now,
    added = unpack(args, 1, 15)
  local text = call('GET', record)
  if not text then return 'missing' end
  local header = headerOf(text)
  if not header then return 'corrupt' end
  if header.revision ~= expected then return 'stale' end
  local ranges, _, _, head = match(text, LINES)
  if not head then return 'corrupt' end
  local over = cap ~= '' and overCap(cap, now, active, paused, due, sub(record, 1, -1 - #idKey))
  if over then return over end
  local firstLost = 6 + added
  for place = 6, #keys do
    if place < firstLost then checkIndex(keys[place], args[place + 10], tenantKey) else call('ZCARD', keys[place]) end
  end
  if isDue ~= '' then checkDue(due, tenants, tenantKey) end
  begin()
  -- These change nothing, but fail if the user has no right to the command.
  if keys[firstLost] then call('ZREM', keys[firstLost], '') end
  local sequence = header.sequence + (isChange == '' and 0 or 1)
  if event ~= '' then
    if added ~= '0' then call('ZADD', keys[6], 'XX', '0', '') end
    log(eventText(header, sequence, event))
  end
  for place = 6, firstLost - 1 do
    local score = args[place + 10]
    enter(keys[place], score == '' and header.created or score, idKey, tenantKey)
  end
  if isDue ~= '' then sooner(due, tenants, tenantKey, idKey, at) end
  if activity + 0 < header.activity + 0 then activity = header.activity end
  call('SET', record, '1 ' .. revision .. sub(text, CREATED - 13, ACTIVITY) .. activity .. ' '
    .. format('%010d', sequence) .. sub(text, SEQUENCE + 11, STATE) .. fields .. '\n'
    .. ranges .. '\n' .. labels .. '\n' .. state .. '\n' .. head)
  for place = firstLost, #keys do try('ZREM', keys[place], idKey) end
  if isDue ~= '' then later(due, tenants, tenantKey, idKey, at) end
  return 'replaced'
end

-- Removes a session, even one that cannot be read unless a revision is expected, or what is left of a
-- removed one. Begins with a command that a server accepts without free memory: then it accepts the others.
-- keys  record, journal, operations, due set, tenants, record of what is left, then all indexes but those of labels
-- args  idKey, tenantKey, expected revision or '', now, sessionKey in events, '' without events, the prefix of the
--       indexes of labels, then for what is left or '': its idKey, its due time, its record
function kinds.remove(keys, args)
  local record, journal, operations, due, tenants, left = unpack(keys, 1, 6)
  local idKey, tenantKey, expected, now, sessionKey, prefix, leftKey, leftAt, leftText = unpack(args, 1, 9)
  local text = try('GET', record)
  if not text and call('EXISTS', journal, operations) == 0 then return 'missing' end
  local header = type(text) == 'string' and headerOf(text)
  if expected ~= '' and not (header and header.revision == expected) then return 'stale' end
  local lists = {unpack(keys, 7)}
  local _, labels = match(header and text or '', LINES)
  for label in string.gmatch(labels or '', '%S+') do lists[#lists + 1] = prefix .. label end
  for _, list in ipairs(lists) do call('ZCARD', list) end
  checkDue(due, tenants, tenantKey)
  if not hasBegun then call('DEL', note) end
  begin()
  for _, list in ipairs(lists) do call('ZREM', list, '') end
  if header and sessionKey ~= '' then
    log(eventText(header, header.sequence + 1, sessionKey .. ' {"type":"deleted","at":' .. now .. '}'))
  end
  if leftKey ~= '' then
    call('SET', left, leftText)
    if leftAt ~= '' then sooner(due, tenants, tenantKey, leftKey, leftAt) end
  end
  call('DEL', record, journal, operations)
  for _, list in ipairs(lists) do try('ZREM', list, idKey) end
  later(due, tenants, tenantKey, idKey, '')
  return 'removed'
end

-- Number of lines in a part of a journal.
local function linesIn(journal, from, upto)
  local count = 0
  for at = from, upto - 1, 65536 do
    local text = call('GETRANGE', journal, at .. '', math.min(at + 65536, upto) - 1 .. '')
    local found = string.find(text, '\n', 1, true)
    while found do
      count = count + 1
      found = string.find(text, '\n', found + 1, true)
    end
  end
  return count
end

local function isLineEnd(journal, at)
  return at == 0 or call('GETRANGE', journal, at - 1 .. '', at - 1 .. '') == '\n'
end

-- The number of entries up to a position, the line with the ranges of a history that continues there, and
-- the number of ranges; or only an outcome. `line` has the ranges of the history, and those of before its
-- last rewind, for an append that a torn log puts back to then: the beginning of the last one (`tail`), then
-- for each other one its beginning, its end and the number of entries up to that.
-- `skipped` is the number of bytes before the lines that follow.
local function rewound(journal, line, header, after, skipped)
  if after > header.bytes or not isLineEnd(journal, after) then return 'invalid_position' end
  local present = rangesOf(line, header.tail)
  if not present then return 'corrupt' end
  local kept, entries, count = {}, 0, 0
  local function take(from, upto, upToEntries)
    if after < from and after > 0 then return 'moved ' .. header.bytes end
    if after <= upto then
      if after > from then
        local isNear = after - from < upto - after
        local least = isNear and entries + linesIn(journal, from, after)
        entries = least or upToEntries - linesIn(journal, after, upto)
        count = count + 1
        kept[count] = ' ' .. from .. '-' .. after .. '-' .. entries
      end
      return 'done'
    end
    count, entries = count + 1, upToEntries
    kept[count] = ' ' .. from .. '-' .. upto .. '-' .. entries
  end
  local outcome
  for from, upto, upToEntries in string.gmatch(present, ' (%d+)%-(%d+)%-(%d+)') do
    outcome = outcome or take(tonumber(from), tonumber(upto), tonumber(upToEntries))
  end
  outcome = outcome or take(header.tail, header.bytes, header.entries)
  if outcome ~= 'done' then return outcome end
  local start = header.bytes + skipped
  local next = format('%d:', start) .. table.concat(kept)
  if header.tail > 0 then next = next .. ';' .. format('%d:', header.tail) .. present end
  return entries, next, count, start
end

-- Adds lines at the end of a history, or after a position, which supersedes what follows that.
-- keys  record, journal, operations, for an append that wakes also the work set and its tenants
-- args  now, lines, their number, the maximum number of entries of a history, sessionKey in events, '' without
--       events; then each or '': the position at which the history must end, the fencing token of the lease,
--       the name of the append, its digest, the position that the lines follow; for an append that wakes also
--       the next revision, the idKey and the tenantKey
function kinds.append(keys, args)
  local record, journal, operations, work, tenants = unpack(keys, 1, 5)
  local now, lines, count, most, sessionKey, position, fence, name, digest, after, revision, idKey, tenantKey
    = unpack(args, 1, 13)
  local header, text = sessionOf(record, journal)
  if not header then return text end
  -- Test doubles have no redis.sha1hex.
  local sumOf = redis.sha1hex or function(lines) return lines end
  if name ~= '' then
    -- A name counts only if the journal has its lines, because a torn log may leave a name without them.
    local earlier, from, upto, sum = match(call('HGET', operations, name) or '', '^(%S+) (%d+) (%d+) (.*)$')
    local found = earlier and upto + 0 <= header.bytes and call('GETRANGE', journal, from, tonumber(upto) - 1 .. '')
    if found and (sumOf(found) == sum or string.find('\n' .. found, '\n{ ', 1, true)) then
      return earlier == digest and 'repeated ' .. upto or 'mismatch'
    end
  end
  local at, status = now + 0, header.status
  local isClosed = at >= header.open
  if status == 'A' then
    isClosed = isClosed or at >= header.activity + header.inactivity + header.grace
  elseif status == 'I' then
    isClosed = isClosed or at < header.deadline
  end
  if isClosed then return 'closed ' .. string.gsub(match(call('GET', record), '^(.*)\n[^\n]*$'), '\n', '\t') end
  if fence ~= '' and (header.fence + 0 ~= fence + 0 or at >= header.leased) then return 'lease_lost' end
  if position ~= '' and position + 0 ~= header.bytes then return 'moved ' .. header.bytes end
  local entries, tail, ranges, rest = header.entries, header.tail, nil, nil
  if after ~= '' then
    text = call('GET', record)
    local line, others = match(text, '^[^\n]*\n([^\n]*)(.*)$')
    -- What follows the last entry is an ordinary append.
    local isLast = tonumber(after) == header.bytes and (header.tail == 0 or header.tail ~= header.bytes)
    if not isLast or count == '0' then
      -- Takes a position, and tells a rewind with a name from another one in its place.
      local filler = name == '' and '\n' or sub(note, -12) .. '\n'
      local kept, nextRanges, number, start = rewound(journal, line, header, tonumber(after), #filler)
      if not nextRanges then return kept end
      if number > MAX_RANGES then return 'full' end
      entries, ranges, rest, tail = kept, nextRanges, others, start
      lines = filler .. lines
    end
  end
  entries = entries + tonumber(count)
  if entries > most + 0 then return 'full' end
  -- Entries after the end do not count as activity: that would postpone an end by inactivity.
  local isUsed = status ~= 'T' and at < endOf(header)
  local wake, claimable = isUsed and work and math.min(header.wake, at), nil
  if wake then
    claimable = math.min(tonumber(call('ZSCORE', work, idKey) or '') or NEVER, math.max(wake, header.leased))
    call('ZSCORE', tenants, tenantKey)
  end
  begin()
  -- This changes nothing, but fails if the user has no right to the command.
  if wake then call('ZADD', work, 'XX', '0', '') end
  -- A server counts the remains of a torn log after the committed length; a test double counts characters.
  local written = call('SETRANGE', journal, header.bytes .. '', lines)
  local finish = format('%d', math.min(written, header.bytes + #lines))
  if name ~= '' then
    call('HSET', operations, name, digest .. ' ' .. header.bytes .. ' ' .. finish .. ' ' .. sumOf(lines))
  end
  local sequence = header.sequence + 1
  if sessionKey ~= '' then
    local detail = format('"start":%d,"position":%s', header.bytes, finish)
    if after ~= '' then detail = detail .. ',"after":' .. after end
    log(eventText(header, sequence, sessionKey .. ' {"type":"appended","at":' .. now .. ',' .. detail .. '}'))
  end
  if wake then
    sequence = sequence + 1
    if sessionKey ~= '' then log(eventText(header, sequence, sessionKey .. ' {"type":"woken","at":' .. now .. '}')) end
    local score = format('%.0f', claimable)
    lower(tenants, tenantKey, score)
    call('ZADD', work, score, idKey)
  end
  local activity = header.activity
  if isUsed and at > activity + 0 then activity = string.rep('0', #activity - #now) .. now end
  local counts = activity .. ' ' .. format('%010d %010d %012d %012d', sequence, entries, finish, tail)
  -- The place of the first field that changes, and the fields from there on.
  local from, fields = ACTIVITY, counts
  if wake then
    from = 0
    fields = '1 ' .. revision .. sub(text, CREATED - 13, ACTIVITY) .. counts .. sub(text, TAIL + 13, STATE)
      .. format('%016.0f', wake)
  end
  if ranges then
    local others = sub(match(text, '^[^\n]*\n'), from + #fields + 1)
    call('SET', record, sub(text, 1, from) .. fields .. others .. ranges .. rest)
  else
    call('SETRANGE', record, from .. '', fields)
  end
  return 'appended ' .. finish
end

-- The line of a journal that ends at a position, and where it begins.
local function lineAt(journal, position)
  local size = 1024
  while true do
    local from = math.max(0, position - size)
    local text = call('GETRANGE', journal, from .. '', position - 1 .. '')
    local before = match(sub(text, 1, -2), '^.*\n()')
    if before then return sub(text, before), from + before - 1 end
    if from == 0 then return text, 0 end
    size = size * 4
  end
end

-- A line without the content, the id and the data of its entry, in the same length, with a space after its
-- brace. nil for one that has none, false for one that cannot be read. In JSON, no text contains a comma and a
-- quote.
local function redacted(line)
  if not match(line, '^[{?]"') then return nil end
  local role = string.find(line, '","content":"', 1, true)
  local content = role and string.find(line, '","timestamp":"', role, true)
  local time = content and match(line, '^",("timestamp":"[^"]*")', content)
  if not time then return false end
  local text = '{ ' .. sub(line, 2, role) .. ',"content":"",' .. time .. '}'
  local spaces = #line - #text - 2
  return spaces >= 0 and text .. string.rep(' ', spaces) .. ',\n' or nil
end

-- Overwrites entries, even superseded ones.
-- keys  record, journal
-- args  the end of the event, '' without events, then the positions
function kinds.redact(keys, args)
  local record, journal = keys[1], keys[2]
  local header, outcome = sessionOf(record, journal)
  if not header then return outcome end
  local overwrites = {}
  for place = 2, #args do
    local position = tonumber(args[place])
    if position > header.bytes or position == 0 or not isLineEnd(journal, position) then return 'invalid_position' end
    local line, from = lineAt(journal, position)
    local found = redacted(line)
    if found == false then return 'corrupt' end
    if found then overwrites[#overwrites + 1] = {from, found} end
  end
  if #overwrites == 0 then return 'redacted' end
  local sequence = header.sequence + 1
  begin()
  -- Writes nothing, but fails before anything is lost if there is no right to it.
  call('SETRANGE', journal, '0', '')
  if args[1] ~= '' then log(eventText(header, sequence, args[1])) end
  for _, each in ipairs(overwrites) do call('SETRANGE', journal, each[1] .. '', each[2]) end
  call('SETRANGE', record, SEQUENCE .. '',
    format('%010d %010d %012d %012d ', sequence, header.entries, header.bytes, header.tail)
      .. format('%08d', header.redactions + 1))
  return 'redacted'
end

-- Moves a session, or what is left of one, to another due time.
-- keys  due set, tenants, record of a session that is not damaged
-- args  idKey, tenantKey, expected time, new time
function kinds.reschedule(keys, args)
  local due, tenants, record = unpack(keys, 1, 3)
  local idKey, tenantKey, from, to = unpack(args, 1, 4)
  local found, at = tonumber(call('ZSCORE', due, idKey) or ''), to + 0
  if found ~= tonumber(from) then return 'stale' end
  if record then
    local text = beginningOf(record)
    local header = headerOf(text)
    if text ~= '' and not header then return 'stale' end
    if header and header.status ~= 'T' then at = math.min(at, endOf(header)) end
  end
  if at == found then return 'stale' end
  checkDue(due, tenants, tenantKey)
  begin()
  local text = at >= NEVER and '' or format('%.0f', at)
  if text == '' then call('ZREM', due, '') end
  if at > found then call('ZADD', due, format('%.0f', found), idKey) end
  sooner(due, tenants, tenantKey, idKey, text)
  later(due, tenants, tenantKey, idKey, text)
  return 'moved'
end

-- Hands out sessions that want a worker: moves them to another time, and tells which they are.
-- keys  work set, its tenants, the prefix of the records
-- args  tenantKey, now, until when they are handed out, the maximum number
-- Returns 'claimed' and for each session its idKey and the time from which it wanted a worker; and apart
-- from that, which a repeated call does without, for each after '\r' its record, with tabs between its
-- lines, or nothing if it has none.
function kinds.claim(keys, args)
  local work, tenants, prefix = keys[1], keys[2], keys[3]
  local tenantKey, now, upto, most = unpack(args, 1, 4)
  local found = call('ZRANGEBYSCORE', work, '-inf', now, 'WITHSCORES', 'LIMIT', '0', most)
  local noted, first = call('ZSCORE', tenants, tenantKey), call('ZRANGE', work, '0', '0', 'WITHSCORES')
  if not found[1] and noted == (first[2] or false) then return 'claimed' end
  local records = {}
  for place = 1, #found, 2 do
    local text = try('GET', prefix .. found[place])
    records[#records + 1] = '\r' .. (type(text) == 'string' and string.gsub(text, '\n', '\t') or '')
  end
  begin()
  for place = 1, #found, 2 do call('ZADD', work, upto, found[place]) end
  if found[1] then first = call('ZRANGE', work, '0', '0', 'WITHSCORES') end
  if first[1] then call('ZADD', tenants, first[2], tenantKey) else call('ZREM', tenants, tenantKey) end
  return table.concat({'claimed', unpack(found)}, ' '), table.concat(records)
end

-- Makes the entries in indexes match a record that has not changed since it was read.
-- keys  record, due set, tenants, then the indexes that have the session, then those that do not
-- args  idKey, tenantKey, revision, '' for no record, due time, '' for none, or '-' to leave it, '1' if the
--       entry may be earlier than the due time, the number of indexes that have it, then their scores
-- Returns 'repaired', the number of entries that were added, of due times that were changed, and of
-- entries that were removed.
function kinds.repair(keys, args)
  local record, due, tenants = unpack(keys, 1, 3)
  local idKey, tenantKey, revision, at, mayBeEarly, added = unpack(args, 1, 6)
  local text = try('GET', record)
  local header = type(text) == 'string' and headerOf(text)
  if revision == '' and text or revision ~= '' and (not header or header.revision ~= revision) then return 'stale' end
  local listed, moved, removed = 0, 0, 0
  for place = 4, #keys do
    local score = tonumber(try('ZSCORE', keys[place], idKey) or '')
    local wanted = place < 4 + added and args[place + 3] or nil
    if wanted and sub(wanted, 1, 1) == '<' then
      score = tonumber(call('ZSCORE', keys[place], tenantKey) or '')
      if not score or score > sub(wanted, 2) + 0 then
        begin()
        enter(keys[place], wanted, idKey, tenantKey)
        listed = 1
      end
    elseif wanted and score ~= wanted + 0 then
      begin()
      call('ZADD', keys[place], wanted, idKey)
      listed = 1
    elseif not wanted and score then
      begin()
      removed = removed + call('ZREM', keys[place], idKey)
    end
  end
  if at == '-' then return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed end
  local score = tonumber(call('ZSCORE', due, idKey) or '')
  local isEarly = score and mayBeEarly == '1' and score <= (tonumber(at) or NEVER)
  if score ~= tonumber(at) and not isEarly then
    begin()
    sooner(due, tenants, tenantKey, idKey, at)
    later(due, tenants, tenantKey, idKey, at)
    if revision == '' then removed = 1 else moved = 1 end
  elseif score and call('ZRANGE', due, '0', '0', 'WITHSCORES')[2] ~= call('ZSCORE', tenants, tenantKey) then
    -- That of the tenantKey may be wrong after a torn log.
    begin()
    later(due, tenants, tenantKey, idKey, format('%.0f', score))
  end
  return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed
end

-- Deletes what a torn log or another program has left of a session without a record.
-- keys  record, journal, operations
function kinds.purge(keys)
  local record, journal, operations = unpack(keys, 1, 3)
  if call('EXISTS', record) == 1 then return 'stale' end
  begin()
  return 'repaired 0 0 ' .. (call('DEL', journal, operations) > 0 and 1 or 0)
end

local outcomes, told, at = {}, {}, 4
while at <= #ARGV do
  local kind, keys, args = ARGV[at], {}, {}
  local count = ARGV[at + 1] + 0
  for place = 1, count do keys[place] = KEYS[ARGV[at + 1 + place] + 0] end
  at = at + 2 + count
  count = ARGV[at] + 0
  for place = 1, count do args[place] = ARGV[at + place] end
  at = at + 1 + count
  local isMade, outcome, more = pcall(kinds[kind], keys, args)
  if not isMade then
    local text = textOf(outcome)
    -- What cannot be noted is not made.
    if isRefused then return {err = text} end
    outcome, more = 'refused ' .. string.gsub(text, '\n', ' '), nil
  end
  outcomes[#outcomes + 1] = outcome
  told[#told + 1] = outcome .. (more or '')
end
if hasBegun then call('SET', note, table.concat(outcomes, '\n'), 'PXAT', forget) end
return table.concat(told, '\n')
