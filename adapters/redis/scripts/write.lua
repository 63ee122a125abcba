-- Makes a group of mutations of one partition, each for itself: one that is refused changes
-- nothing, and the others are made.
--
-- KEYS  1 the note of this group, 2 the stream of events, then those of the mutations, each once
-- ARGV  1 until when the group is accepted, 2 until when it is recognised, by the clock of the
--       server, 3 the number of events that the stream keeps, '' without events, then for each
--       mutation its kind, its keys, its arguments, the lists that get the session, and those that
--       lose it: of each their number, and these, keys as their places in KEYS
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
if clock >= till + 0 or till - clock > forget - till then
  return 'late ' .. format('%.0f', clock)
end

local MAX_RANGES, MAX_ENDED, SURPLUS = 1000, 10000, 100
-- The sessions that a claim looks at, the milliseconds after an end in which a clock that is behind
-- may postpone it, and the step between turns of a millisecond.
local MAX_EXAMINED, ENDED_MS, STEP = 1000, 60000, 1 / 1024
local LINES = '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$'

-- The version of a history: another one after each rewind and each redaction.
local function versionOf(record)
  local header = headerOf(beginningOf(record))
  return header and header.incarnation .. '.' .. header.redactions .. '.' .. header.tail
end

-- The header of a session and the beginning of its record, or nil and the outcome where they, or
-- the history, cannot be read.
local function sessionOf(record, journal)
  local text = beginningOf(record)
  if text == '' then return nil, withoutRecord(journal) end
  local header = headerOf(text)
  if not header or call('STRLEN', journal) < header.bytes then return nil, 'corrupt' end
  return header, text
end

-- The fields of a record from the last activity to the tail, and all before the wake.
local function countsOf(header)
  return header.activity .. ' ' .. format('%010d %010d %012d %012d', header.sequence,
    header.entries, header.bytes, header.tail)
end

local function fieldsOf(header)
  return '1 ' .. header.revision .. ' ' .. header.incarnation .. ' ' .. header.created .. ' '
    .. countsOf(header) .. format(' %08d ', header.redactions)
end

local hasBegun, isRefused = false, false
local function begin()
  if hasBegun then return end
  isRefused = true
  call('SET', note, '', 'PXAT', forget)
  hasBegun, isRefused = true, false
end

-- Counts a change of a session, and logs its event: the session and the details as JSON, '' for
-- none.
local function advance(header, event)
  header.sequence = header.sequence + 1
  if kept == '' or event == '' then return end
  local text = '1 ' .. header.incarnation .. ' ' .. header.sequence .. ' ' .. event
  if call('XLEN', stream) < kept + SURPLUS then
    call('XADD', stream, '*', 'e', text)
  else
    -- Not `MAXLEN ~`: the log has that with the length of today, and after a crash too much would
    -- go.
    call('XADD', stream, 'MAXLEN', kept, '*', 'e', text)
  end
end

-- The first time in a queue, and the one that its tenant has; false for none.
local function timesOf(queue)
  local first = call('ZRANGE', queue.set, '0', '0', 'WITHSCORES')
  return first[2] or false, call('ZSCORE', queue.tenants, queue.tenantKey)
end

-- Gives the tenant the first time in its queue, unless it has a later turn: only turns have a
-- fraction.
local function settle(queue)
  local first, noted = timesOf(queue)
  if first == noted then return end
  if first and noted and noted % 1 > 0 and noted + 0 > first + 0 then return end
  if first then
    try('ZADD', queue.tenants, first, queue.tenantKey)
  else
    try('ZREM', queue.tenants, queue.tenantKey)
  end
end

-- The place of a session in a queue: a set of sessions by time, and the tenants of the partition by
-- their first one. `at` is the time that the session gets, '' for none. Reads all, so that a
-- command without rights, or a wrong type, fails before anything is written.
local function placeIn(set, tenants, idKey, tenantKey, at)
  local place = {set = set, tenants = tenants, idKey = idKey, tenantKey = tenantKey, at = at}
  place.found = tonumber(call('ZSCORE', set, idKey) or '')
  timesOf(place)
  return place
end

-- Moves a session to an earlier time. An entry that is too early does no harm, so this comes before
-- the record; `later` comes after it.
local function sooner(place)
  local at, tenants = place.at, place.tenants
  if at == '' or place.found and place.found <= at + 0 then return end
  call('ZADD', place.set, at, place.idKey)
  local first = tonumber(call('ZSCORE', tenants, place.tenantKey) or '')
  if not first or at + 0 < first then call('ZADD', tenants, at, place.tenantKey) end
end

local function later(place)
  local at, found = place.at, place.found
  if at == '' and found then
    try('ZREM', place.set, place.idKey)
  elseif found and at + 0 > found then
    try('ZADD', place.set, at, place.idKey)
  end
  settle(place)
end

-- What a mutation changes in the indexes of a session: lists, which have it by its creation, and
-- its places in queues. Reads all of them, as `placeIn` does.
-- keys  record, due set, its tenants, work set, its tenants, ACTIVE and PAUSED sessions, then those
--       of the kind
-- args  idKey, tenantKey, due time, time in the work set ('' for none, '-' to leave it), cap or '',
--       now, then those of the kind
local function changeOf(keys, args, gained, lost)
  local idKey, tenantKey, due, work = unpack(args, 1, 4)
  local change = {idKey = idKey, gained = gained, lost = lost, places = {}}
  for _, list in ipairs(gained) do call('ZCARD', list) end
  for _, list in ipairs(lost) do call('ZCARD', list) end
  if due ~= '-' then change.places[1] = placeIn(keys[2], keys[3], idKey, tenantKey, due) end
  if work ~= '-' then
    change.places[#change.places + 1] = placeIn(keys[4], keys[5], idKey, tenantKey, work)
  end
  return change
end

-- Begins a change of indexes.
local function start(change)
  local growing, shrinking = change.gained[1], change.lost[1]
  for _, place in ipairs(change.places) do
    if place.at == '' then shrinking = place.set else growing = place.set end
  end
  begin()
  -- These change nothing, but fail if the user has no right to the command.
  if growing then call('ZADD', growing, 'XX', '0', '') end
  if shrinking then call('ZREM', shrinking, '') end
end

-- What of a change comes before the record, and what comes after it.
local function enter(change, created)
  for _, list in ipairs(change.gained) do call('ZADD', list, created, change.idKey) end
  for _, place in ipairs(change.places) do sooner(place) end
end

local function leave(change)
  for _, list in ipairs(change.lost) do try('ZREM', list, change.idKey) end
  for _, place in ipairs(change.places) do later(place) end
end

-- The outcome if the tenant has as many live sessions as it may have; nil otherwise. Sessions that
-- the clock has ended do not count.
local function overCap(keys, args)
  if args[5] == '' then return nil end
  local most, now = tonumber(args[5]), args[6]
  local count = call('ZCARD', keys[6]) + call('ZCARD', keys[7])
  if count < most then return nil end
  local records = sub(keys[1], 1, -1 - #args[1])
  local ended = call('ZRANGEBYSCORE', keys[2], '-inf', now, 'LIMIT', '0', MAX_ENDED + 1 .. '')
  for _, idKey in ipairs(ended) do
    local header = headerOf(beginningOf(records .. idKey))
    if header and (header.status == 'A' or header.status == 'P') and endOf(header) <= now + 0 then
      count = count - 1
    end
  end
  if count < most then return nil end
  return #ended > MAX_ENDED and 'ended' or 'too_many'
end

-- Each kind of mutation takes its keys, its arguments, and the lists that get or lose the session,
-- and returns its outcome, and what follows it in the reply but not in the note. Those that begin
-- as `changeOf` says describe only what follows.
local kinds = {}

-- Adds a session.
-- keys  journal, record of the source
-- args  record, lines, version of the source or '', then the events
function kinds.create(keys, args, gained, lost)
  local record, journal, source = keys[1], keys[8], keys[9]
  local text, lines, version = unpack(args, 7, 9)
  if call('EXISTS', record) == 1 then return 'taken' end
  -- A torn log may leave the first lines of a session that nobody was told of: see below.
  if withoutRecord(journal) ~= 'missing' then return 'taken' end
  if version ~= '' and version ~= versionOf(source) then return 'source_changed' end
  local over = overCap(keys, args)
  if over then return over end
  local created = sub(text, CREATED + 1, ACTIVITY - 1)
  local header = {incarnation = sub(text, CREATED - 12, CREATED - 1), sequence = 0}
  local change = changeOf(keys, args, gained, lost)
  start(change)
  if lines ~= '' then
    -- The first character says that there may be no record. It is set right when there is one.
    call('SET', journal, '?' .. sub(lines, 2))
  end
  for place = 10, #args do advance(header, args[place]) end
  enter(change, created)
  call('SET', record, text)
  if lines ~= '' then try('SETRANGE', journal, '0', '{') end
  return 'inserted'
end

-- Whether the session was used since a time, '' for none.
local function isUsed(header, since)
  return since ~= '' and header.activity + 0 > since + 0
end

-- Replaces the state of a session, or of what is left of a removed one. Its activity stays if it is
-- later.
-- args  expected revision, `unusedSince` or '', next revision, last activity, the fields of the
--       state, its labels, its JSON, '1' if this is a change or '', its event or ''
function kinds.replace(keys, args, gained, lost)
  local record = keys[1]
  local expected, unused, revision, activity, fields, labels, state, isChange, event =
    unpack(args, 7, 15)
  local text = call('GET', record)
  if not text then return 'missing' end
  local header = headerOf(text)
  if not header then return 'corrupt' end
  if header.revision ~= expected then return 'stale' end
  if isUsed(header, unused) then return 'stale' end
  local ranges, _, _, head = match(text, LINES)
  if not head then return 'corrupt' end
  local over = overCap(keys, args)
  if over then return over end
  local change = changeOf(keys, args, gained, lost)
  start(change)
  if isChange ~= '' then advance(header, event) end
  enter(change, header.created)
  header.revision = revision
  if activity + 0 > header.activity + 0 then header.activity = activity end
  local lines = {fieldsOf(header) .. fields, ranges, labels, state, head}
  call('SET', record, table.concat(lines, '\n'))
  leave(change)
  return 'replaced'
end

-- Removes a session, even one that cannot be read unless a revision is expected, or what is left of
-- a removed one, or the data of a session without a record. Begins with a command that a server accepts without free memory: then it accepts
-- the others.
-- keys  journal, operations, record of what is left
-- args  expected revision or '', `unusedSince` or '', its event or '', the prefix of the lists of
--       labels, then for what is left: its idKey, its due time, its record
function kinds.remove(keys, args, gained, lost)
  local record, journal, operations, left = keys[1], unpack(keys, 8, 10)
  local expected, unused, event, prefix, leftKey, leftAt, leftText = unpack(args, 7, 13)
  local text = try('GET', record)
  if not text and call('EXISTS', journal, operations) == 0 then return 'missing' end
  local header = type(text) == 'string' and headerOf(text)
  if text and expected ~= '' and not (header and header.revision == expected) then
    return 'stale'
  end
  if header and isUsed(header, unused) then return 'stale' end
  local _, labels = match(header and text or '', LINES)
  for label in string.gmatch(labels or '', '%S+') do lost[#lost + 1] = prefix .. label end
  local change = changeOf(keys, args, gained, lost)
  local place = left and placeIn(keys[2], keys[3], leftKey, args[2], leftAt)
  if not hasBegun then call('DEL', note) end
  start(change)
  if header then advance(header, event) end
  if left then
    call('SET', left, leftText)
    sooner(place)
  end
  call('DEL', record, journal, operations)
  leave(change)
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

-- Takes what follows a position out of a history: changes the header, and returns the line with the
-- ranges of the history that continues there; or nil and the outcome. `line` has the ranges of the
-- history, and those of before its last rewind, for an append that a torn log puts back to then:
-- the beginning of the last one (`tail`), then for each other one its beginning, its end and the
-- number of entries up to that. `skipped` is the number of bytes before the lines that follow, and
-- `room` the maximum number of entries before them. Lines are counted last: they may be many.
local function rewound(journal, line, header, after, skipped, room)
  if after > header.bytes or not isLineEnd(journal, after) then return nil, 'invalid_position' end
  local present = rangesOf(line, header.tail)
  if not present then return nil, 'corrupt' end
  local kept, entries, count = {}, 0, 0
  local function keep(from, upto, upToEntries)
    count, entries = count + 1, upToEntries
    kept[count] = ' ' .. from .. '-' .. upto .. '-' .. entries
  end
  -- The range in which the position is.
  local first, last, lastEntries
  local function take(from, upto, upToEntries)
    if first or after < from and after > 0 then return end
    if after > upto then return keep(from, upto, upToEntries) end
    first, last, lastEntries = from, upto, upToEntries
  end
  local ranges = string.gmatch(present, ' (%d+)%-(%d+)%-(%d+)')
  for from, upto, upToEntries in ranges do
    take(tonumber(from), tonumber(upto), tonumber(upToEntries))
  end
  take(header.tail, header.bytes, header.entries)
  if not first then return nil, 'moved ' .. header.bytes end
  if entries > room then return nil, 'full' end
  if after > first then
    if count >= MAX_RANGES then return nil, 'cut ' .. MAX_RANGES end
    if after - first < last - after then
      keep(first, after, entries + linesIn(journal, first, after))
    else
      keep(first, after, lastEntries - linesIn(journal, after, last))
    end
  end
  local earlier = header.tail > 0 and ';' .. format('%d:', header.tail) .. present or ''
  header.entries, header.tail = entries, header.bytes + skipped
  return format('%d:', header.tail) .. table.concat(kept) .. earlier
end

-- Test doubles have no redis.sha1hex.
local sumOf = redis.sha1hex or function(lines) return lines end

-- The outcome of an append whose name an earlier one had; nil otherwise. A name counts only if the
-- journal has its lines, because a torn log may leave a name without them.
local function repeated(journal, header, noted, digest)
  local earlier, from, upto, sum = match(noted or '', '^(%S+) (%d+) (%d+) (.*)$')
  local isThere = earlier and upto + 0 <= header.bytes
  local found = isThere and call('GETRANGE', journal, from, tonumber(upto) - 1 .. '')
  if found and (sumOf(found) == sum or string.find('\n' .. found, '\n{ ', 1, true)) then
    return earlier == digest and 'repeated ' .. upto or 'mismatch'
  end
end

local function isClosed(header, at)
  if at >= header.open then return true end
  if header.status == 'A' then return at >= header.activity + header.inactivity + header.grace end
  return header.status == 'I' and at < header.deadline
end

-- Adds lines to a journal, and returns where they end.
local function extend(journal, operations, header, lines, name, digest)
  -- A server counts the remains of a torn log after the committed length; a test double counts
  -- characters.
  local written = call('SETRANGE', journal, header.bytes .. '', lines)
  local finish = format('%d', math.min(written, header.bytes + #lines))
  if name ~= '' then
    local place = {digest, format('%d', header.bytes), finish, sumOf(lines)}
    call('HSET', operations, name, table.concat(place, ' '))
  end
  return finish
end

-- Adds lines at the end of a history, or after a position, which supersedes what follows that.
-- keys  record, journal, operations, for an append that wakes also the work set and its tenants
-- args  now, lines, their number, the maximum number of entries of a history, sessionKey in events;
--       then each or '': the position at which the history must end, the fencing token of the
--       lease, the name of the append, its digest, the position that the lines follow; for an
--       append that wakes also the next revision, the idKey and the tenantKey
function kinds.append(keys, args)
  local record, journal, operations, work, tenants = unpack(keys, 1, 5)
  local now, lines, count, most, sessionKey = unpack(args, 1, 5)
  local position, fence, name, digest, after = unpack(args, 6, 10)
  local header, text = sessionOf(record, journal)
  if not header then return text end
  local earlier = name ~= '' and repeated(journal, header, call('HGET', operations, name), digest)
  if earlier then return earlier end
  local at = now + 0
  if isClosed(header, at) then return 'closed ' .. string.gsub(call('GET', record), '\n', '\t') end
  local isHeld = header.fence + 0 == tonumber(fence) and at < header.leased
  if fence ~= '' and not isHeld then return 'lease_lost' end
  if position ~= '' and position + 0 ~= header.bytes then return 'moved ' .. header.bytes end
  local line, ranges, others
  -- What follows the last entry is an ordinary append.
  local isEmpty = header.tail > 0 and header.tail == header.bytes
  local isLast = tonumber(after) == header.bytes and not isEmpty
  if after ~= '' and (not isLast or count == '0') then
    line, ranges, others = match(call('GET', record), '^([^\n]*\n)([^\n]*)(.*)$')
    -- Takes a position, and tells a rewind with a name from another one in its place.
    local filler = name == '' and '\n' or sub(note, -12) .. '\n'
    local outcome
    ranges, outcome = rewound(journal, ranges, header, tonumber(after), #filler, most - count)
    if not ranges then return outcome end
    lines = filler .. lines
  end
  header.entries = header.entries + tonumber(count)
  if header.entries > most + 0 then return 'full' end
  -- Entries after the end do not count as activity: that would postpone an end by inactivity.
  local isUsed = header.status ~= 'T' and at < endOf(header)
  local wake = isUsed and work and math.min(header.wake, at)
  local place
  if wake then
    local claimable = format('%.0f', math.max(wake, header.leased))
    place = placeIn(work, tenants, args[12], args[13], claimable)
  end
  if place then start({gained = {}, lost = {}, places = {place}}) else begin() end
  local finish = extend(journal, operations, header, lines, name, digest)
  local detail = ''
  if kept ~= '' then
    detail = format(',"start":%d,"position":', header.bytes) .. finish
    if after ~= '' then detail = detail .. ',"after":' .. after end
  end
  header.bytes = finish
  if isUsed and at > header.activity + 0 then
    header.activity = string.rep('0', 16 - #now) .. now
  end
  advance(header, sessionKey .. ' {"type":"appended","at":' .. now .. detail .. '}')
  if wake then
    advance(header, sessionKey .. ' {"type":"woken","at":' .. now .. '}')
    sooner(place)
    header.revision = args[11]
  end
  if not wake and not ranges then
    call('SETRANGE', record, ACTIVITY .. '', countsOf(header))
    return 'appended ' .. finish
  end
  local fields = fieldsOf(header) .. format('%016.0f', wake or header.wake)
  if ranges then
    call('SET', record, fields .. sub(line, #fields + 1) .. ranges .. others)
  else
    call('SETRANGE', record, '0', fields)
  end
  return 'appended ' .. finish
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
  local text = '{ ' .. sub(line, 2, role) .. ',"content":"",' .. time .. '}'
  local spaces = #line - #text - 2
  return spaces >= 0 and text .. string.rep(' ', spaces) .. ',\n' or nil
end

-- Bytes of lines that the redactions of a group may still read, so that it does not take long.
local budget = 524288

-- Overwrites entries, even superseded ones, up to the budget, but at least one.
-- keys  record, journal
-- args  the incarnation or '' for any, the event with no positions, then the positions
-- Returns 'redacted', or 'more', the number of positions that are done, and the incarnation.
function kinds.redact(keys, args)
  local record, journal = keys[1], keys[2]
  local incarnation, event = args[1], args[2]
  local header, outcome = sessionOf(record, journal)
  if not header then return outcome end
  if incarnation ~= '' and incarnation ~= header.incarnation then return 'missing' end
  for place = 3, #args do
    local position = tonumber(args[place])
    local isInside = position > 0 and position <= header.bytes
    if not isInside or not isLineEnd(journal, position) then return 'invalid_position' end
  end
  local overwrites, last = {}, 2
  while last < #args and (last == 2 or budget > 0) do
    last = last + 1
    local line, from = lineAt(journal, tonumber(args[last]))
    local found = redacted(line)
    if found == false then return 'corrupt' end
    if found then overwrites[#overwrites + 1] = {from, found} end
    budget = budget - #line
  end
  if overwrites[1] then
    begin()
    -- Writes nothing, but fails before anything is lost if there is no right to it.
    call('SETRANGE', journal, '0', '')
    advance(header, sub(event, 1, -3) .. table.concat(args, ',', 3, last) .. ']}')
    header.redactions = header.redactions + 1
    for _, each in ipairs(overwrites) do call('SETRANGE', journal, each[1] .. '', each[2]) end
    call('SETRANGE', record, SEQUENCE .. '', sub(fieldsOf(header), SEQUENCE + 1, STATE - 1))
  end
  if last == #args then return 'redacted' end
  return 'more ' .. last - 2 .. ' ' .. header.incarnation
end

-- Moves a session, or what is left of one, to another due time.
-- args  the expected time, '1' if the record may say that it is due earlier
function kinds.reschedule(keys, args, gained, lost)
  local change = changeOf(keys, args, gained, lost)
  local place = change.places[1]
  local found, at = place.found, place.at + 0
  if found ~= tonumber(args[7]) then return 'stale' end
  if args[8] ~= '' then
    local text = beginningOf(keys[1])
    local header = headerOf(text)
    if text ~= '' and not header then return 'stale' end
    if header and header.status ~= 'T' then at = math.min(at, endOf(header)) end
  end
  if at == found then return 'stale' end
  place.at = at >= NEVER and '' or format('%.0f', at)
  start(change)
  enter(change)
  leave(change)
  return 'moved'
end

-- Gives a tenant of a work queue its next turn: behind all that wait in this partition, and those
-- that others have served by now.
local function giveWay(queue, now)
  local count = call('ZCOUNT', queue.tenants, '-inf', '(' .. format('%d', now + 1))
  local last = call('ZRANGE', queue.tenants, count - 1 .. '', count - 1 .. '', 'WITHSCORES')
  local turn = math.max(math.min(now, math.floor(clock)), tonumber(last[2]) or 0) + STEP
  try('ZADD', queue.tenants, format('%.10f', turn), queue.tenantKey)
end

-- What a claim does with a session in a queue of workers at a time: 'over' with the time until
-- which its end may still be postponed, 'alone' if its lease has run out, or 'free'.
local function claimable(record, at)
  local header = headerOf(beginningOf(record))
  if not header then return 'free' end
  if header.status == 'T' then return 'over', 0 end
  if endOf(header) <= at then return 'over', endOf(header) + ENDED_MS end
  return header.leased > 0 and header.leased <= at and 'alone' or 'free'
end

-- Gives a session to a claim.
local function take(claim, queue, record, idKey, time)
  local text = try('GET', record)
  queue.taken[#queue.taken + 1] = idKey
  claim.told[#claim.told + 1] = queue.tenantKey .. ' ' .. idKey .. ' ' .. time
  claim.texts[#claim.texts + 1] = '\r'
    .. (type(text) == 'string' and string.gsub(text, '\n', '\t') or '')
  claim.room = claim.room - 1
end

-- Chooses sessions of a tenant for a claim, and those to take out of its queue.
local function choose(claim, queue, records)
  local from, most = 0, math.min(claim.share, claim.room)
  local size = most
  while true do
    local page = call('ZRANGEBYSCORE', queue.set, '-inf', claim.now, 'WITHSCORES', 'LIMIT',
      from .. '', size .. '')
    for place = 1, #page, 2 do
      local idKey, record = page[place], records .. page[place]
      local is, till = claimable(record, claim.now + 0)
      claim.left = claim.left - 1
      if is == 'over' then
        queue.over[#queue.over + 1] = {idKey, till}
      elseif is == 'free' or not claim.hasCompany then
        take(claim, queue, record, idKey, page[place + 1])
        claim.isAlone, claim.hasCompany = is == 'alone', true
      end
      if claim.isAlone or #queue.taken == most or claim.left == 0 then return end
    end
    if #page < 2 * size then return end
    from, size = from + size, 100
  end
end

-- Hands out sessions of tenants that wait for a worker: moves them to a later time, returns them.
-- Ended sessions leave the queue: at first until a minute after their end, then for good. A session
-- whose lease has run out is handed out alone, or stays.
-- keys  the tenants of the partition by their turn, the prefix of work sets, that of records
-- args  now, until when they are handed out, the maximum number, that of each tenant, '1' if the
--       caller has others already or '', then the tenants in turn
-- Returns 'claimed', or 'alone' for one that must be alone; '1' if more may wait or '0'; then for
-- each session its tenant, its idKey and the time from which it waited for a worker; and apart from
-- that, which a repeated call does without, for each after '\r' its record, with tabs between its
-- lines, or nothing if it has none.
function kinds.claim(keys, args)
  local tenants, works, records = unpack(keys, 1, 3)
  local now, upto, most, share, company = unpack(args, 1, 5)
  local claim = {now = now, room = most + 0, share = share + 0, left = MAX_EXAMINED,
    hasCompany = company ~= '', isAlone = false, told = {}, texts = {}}
  local queues, isWrong = {}, false
  for place = 6, #args do
    local tenantKey = args[place]
    local queue = {set = works .. tenantKey, tenants = tenants, tenantKey = tenantKey,
      taken = {}, over = {}}
    if claim.room == 0 or claim.left == 0 or claim.isAlone then break end
    choose(claim, queue, records .. tenantKey .. ':')
    local first, noted = timesOf(queue)
    queues[#queues + 1] = queue
    isWrong = isWrong or #queue.taken + #queue.over > 0 or (first or noted) and first ~= noted
  end
  local more = (claim.room == 0 or claim.left == 0 or claim.isAlone) and ' 1' or ' 0'
  if not isWrong then return 'claimed' .. more end
  begin()
  for _, queue in ipairs(queues) do
    for _, idKey in ipairs(queue.taken) do call('ZADD', queue.set, upto, idKey) end
    for _, each in ipairs(queue.over) do
      if each[2] > now + 0 then
        call('ZADD', queue.set, format('%.0f', each[2]), each[1])
      else
        try('ZREM', queue.set, each[1])
      end
    end
    local first = timesOf(queue)
    if queue.taken[1] and first and first + 0 <= now + 0 then
      giveWay(queue, now + 0)
    else
      settle(queue)
    end
  end
  local outcome = (claim.isAlone and 'alone' or 'claimed') .. more
  return table.concat({outcome, unpack(claim.told)}, ' '), table.concat(claim.texts)
end

-- Those of some lists that do not have a session by this score; without one, those that have it.
local function wrongOf(lists, idKey, wanted)
  local wrong = {}
  for _, list in ipairs(lists) do
    if tonumber(try('ZSCORE', list, idKey) or '') ~= wanted then wrong[#wrong + 1] = list end
  end
  return wrong
end

-- Makes the entries in indexes match a record that has not changed since it was read, or that there
-- is none.
-- keys  for a session without a record also its journal and operations, to delete what a torn log
--       or another program has left
-- args  revision, '' for no record, '1' if the due time may be earlier
-- Returns 'repaired', the number of entries that were added, of due times that were changed, and of
-- entries that were removed.
function kinds.repair(keys, args, gained, lost)
  local idKey, revision, mayBeEarly = args[1], args[7], args[8]
  local journal, operations = keys[8], keys[9]
  local text = try('GET', keys[1])
  local header = type(text) == 'string' and headerOf(text)
  local actual = text and 'damaged' or ''
  if header then actual = header.revision end
  if actual ~= revision then return 'stale' end
  local missing = wrongOf(gained, idKey, header and header.created + 0)
  local change = changeOf(keys, args, missing, wrongOf(lost, idKey))
  local due, work = unpack(change.places)
  if mayBeEarly ~= '' and due.found and due.found <= (tonumber(due.at) or NEVER) then
    due.at = due.found
  end
  local listed, moved, removed = missing[1] and 1 or 0, 0, #change.lost
  if journal then removed = removed + math.min(1, call('EXISTS', journal, operations)) end
  if due.found ~= tonumber(due.at) then
    moved = 1
    if revision == '' then moved, removed = 0, removed + 1 end
  end
  if work and work.found ~= tonumber(work.at) then
    if work.at == '' then removed = removed + 1 else listed = 1 end
  end
  if listed + moved + removed > 0 then begin() end
  enter(change, header and header.created)
  leave(change)
  if journal then call('DEL', journal, operations) end
  return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed
end

local outcomes, told, at = {}, {}, 4

-- The next values of ARGV, after their number.
local function nextValues()
  local values = {}
  for place = 1, ARGV[at] + 0 do values[place] = ARGV[at + place] end
  at = at + 1 + #values
  return values
end

local function nextKeys()
  local keys = nextValues()
  for place = 1, #keys do keys[place] = KEYS[keys[place] + 0] end
  return keys
end

while at <= #ARGV do
  local kind = kinds[ARGV[at]]
  at = at + 1
  local keys, args = nextKeys(), nextValues()
  local gained, lost = nextKeys(), nextKeys()
  local isMade, outcome, more = pcall(kind, keys, args, gained, lost)
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
