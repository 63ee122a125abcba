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
-- torn log" in docs/redis-operating.md. Lua does not roll back, so a mutation first reads all its
-- keys: one of a wrong type fails before anything is written. What fails after the record leaves an
-- index entry too many, which readers ignore and `repair` removes.
--
-- Numbers are passed to commands as text, because the server converts numbers slowly.

local note, stream = KEYS[1], KEYS[2]
local till, forget, kept = ARGV[1], ARGV[2], ARGV[3]
local call, try, match, sub, format = redis.call, redis.pcall, string.match, string.sub, string.format

local known = call('GET', note)
if known then return known == '' and 'unknown' or known end
local time = call('TIME')
local clock = time[1] * 1000 + time[2] / 1000
if clock >= till + 0 or till - clock > forget - till then return 'late ' .. format('%.0f', clock) end

-- A record: revision, incarnation, created, last activity, sequence, entries, bytes, tail, redactions and wake
-- in fields of fixed width; then what depends on the state; then lines: ranges, labels, state, head.
local HEADER = '^1 (%d+) ([%w_-]+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ()'
  .. '(%d+) ([IAPT]) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)\n'
local HEADER_BYTES, CREATED, ACTIVITY, SEQUENCE, BYTES, TAIL, STATE = 256, 32, 48, 65, 87, 100, 122
local NEVER = 9007199254740991
local LINES = '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$'
local MAX_RANGES, MAX_ENDED, SURPLUS = 1000, 10000, 100

local function headerOf(text)
  local revision, incarnation, created, activity, sequence, entries, bytes, tail, redactions, at, wake, status, open,
    grace, deadline, inactivity, fence, leased = match(text, HEADER)
  if at ~= STATE + 1 then return nil end
  return {
    revision = revision, incarnation = incarnation, created = created, activity = activity,
    sequence = tonumber(sequence), entries = tonumber(entries), bytes = tonumber(bytes),
    tail = tonumber(tail), redactions = tonumber(redactions), wake = tonumber(wake), status = status, open = tonumber(open), grace = tonumber(grace),
    deadline = tonumber(deadline), inactivity = tonumber(inactivity), fence = fence,
    leased = tonumber(leased),
  }
end

-- When the clock ends the session unless it is used or changed before; after the end: when it is deleted.
local function endOf(header)
  if header.status ~= 'A' then return header.deadline end
  return math.min(header.deadline, header.activity + header.inactivity)
end

local function beginningOf(record)
  local text = try('GETRANGE', record, '0', HEADER_BYTES - 1 .. '')
  -- GETRANGE of test doubles fails for a missing key.
  return type(text) == 'string' and text or call('GET', record) or ''
end

-- The version of a history: another one after each rewind and each redaction.
local function versionOf(record)
  local header = headerOf(beginningOf(record))
  return header and header.incarnation .. '.' .. header.redactions .. '.' .. header.tail
end

local hasBegun, isRefused = false, false
local function begin()
  if hasBegun then return end
  isRefused = true
  call('SET', note, '', 'PXAT', forget)
  hasBegun, isRefused = true, false
end

local function log(text)
  if call('XLEN', stream) < kept + SURPLUS then
    call('XADD', stream, '*', 'e', text)
  else
    -- Not `MAXLEN ~`: the log has that with the length of today, and after a crash too much would go.
    call('XADD', stream, 'MAXLEN', kept, '*', 'e', text)
  end
end

-- Lowers the time of an owner.
local function lower(owners, owner, at)
  local first = tonumber(call('ZSCORE', owners, owner) or '')
  if not first or at + 0 < first then call('ZADD', owners, at, owner) end
end

-- Adds a member to an index, or with `<` before the score lowers that of its owner.
local function enter(index, score, member, owner)
  if sub(score, 1, 1) == '<' then
    lower(index, owner, sub(score, 2))
  else
    call('ZADD', index, score, member)
  end
end

-- Reads an index that gets a member with this score, so that a command without rights, or a wrong type, fails
-- before anything is written.
local function checkIndex(index, score, owner)
  if sub(score, 1, 1) == '<' then call('ZSCORE', index, owner) else call('ZCARD', index) end
end

-- Reads a due set and the owners of the partition, so that a wrong type fails before anything is written.
local function checkDue(due, owners, owner)
  call('ZRANGE', due, '0', '0')
  call('ZSCORE', owners, owner)
end

-- Moves a member to an earlier due time. An entry that is too early does no harm, so this comes before the
-- record; `later` comes after it.
local function sooner(due, owners, owner, member, at)
  local found = tonumber(call('ZSCORE', due, member) or '')
  if at == '' or found and found <= at + 0 then return end
  call('ZADD', due, at, member)
  lower(owners, owner, at)
end

local function later(due, owners, owner, member, at)
  local found = try('ZSCORE', due, member)
  if at == '' then
    if found then try('ZREM', due, member) end
  elseif found and at + 0 > tonumber(found) then
    try('ZADD', due, at, member)
  end
  local first = try('ZRANGE', due, '0', '0', 'WITHSCORES')
  if not first[1] then
    try('ZREM', owners, owner)
  elseif first[2] ~= try('ZSCORE', owners, owner) then
    try('ZADD', owners, first[2], owner)
  end
end

-- The outcome if the tenant has as many live sessions as it may have; nil otherwise. Sessions that the
-- clock has ended do not count.
local function overCap(most, now, active, paused, due, records)
  local count = call('ZCARD', active) + call('ZCARD', paused)
  if count < most + 0 then return nil end
  local ended = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', '0', MAX_ENDED + 1 .. '')
  for _, member in ipairs(ended) do
    local text = try('GETRANGE', records .. member, '0', HEADER_BYTES - 1 .. '')
    local header = type(text) == 'string' and headerOf(text)
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
-- keys  record, journal, due set, owners, record of the source, ACTIVE and PAUSED sessions, then the indexes
--       that get the session
-- args  member, owner, due time or '', record, lines, version of the source or '', cap or '', now, event of
--       the creation, of the start, the beginning of that of the history (each or ''), then for each index
--       its score, as `enter` takes it
function kinds.create(keys, args)
  local record, journal, due, owners, source, active, paused = unpack(keys, 1, 7)
  local member, owner, at, text, lines, version, cap, now, created, started, appended = unpack(args, 1, 11)
  if call('EXISTS', record) == 1 then return 'taken' end
  -- A torn log may leave the first lines of a session that nobody was told of: see below.
  if call('EXISTS', journal) == 1 and sub(call('GET', journal), 1, 1) ~= '?' then return 'taken' end
  if version ~= '' and version ~= versionOf(source) then return 'source_changed' end
  local over = cap ~= '' and overCap(cap, now, active, paused, due, sub(record, 1, -1 - #member))
  if over then return over end
  for place = 8, #keys do checkIndex(keys[place], args[place + 4], owner) end
  if at ~= '' then checkDue(due, owners, owner) end
  begin()
  if lines ~= '' then
    -- The first character says that there may be no record. It is set right when there is one.
    call('SET', journal, '?' .. sub(lines, 2))
    -- Counted by the server, because test doubles count characters.
    text = sub(text, 1, BYTES) .. format('%012d', call('STRLEN', journal)) .. sub(text, BYTES + 13)
  end
  if created ~= '' then
    call('ZADD', keys[8], 'XX', '0', '')
    log(created)
    if started ~= '' then log(started) end
    if appended ~= '' then log(appended .. match(text, '0*(%d+)', BYTES + 1)) end
  end
  for place = 8, #keys do enter(keys[place], args[place + 4], member, owner) end
  if at ~= '' then sooner(due, owners, owner, member, at) end
  call('SET', record, text)
  if lines ~= '' then try('SETRANGE', journal, '0', '{') end
  return 'inserted'
end

-- Replaces the state of a session, or of what is left of a removed one. Its activity stays if it is later.
-- keys  record, due set, owners, ACTIVE and PAUSED sessions, then the indexes that get the session, then
--       those that lose it
-- args  member, owner, expected revision, next revision, last activity, the fields of the state, its labels,
--       its JSON, due time or '', '1' if the session was or becomes due or '', type of the event or '', the
--       rest of the event, '' without events, cap or '', now, the number of indexes that get the session,
--       then for each of these its score, as `enter` takes it, '' for the creation
function kinds.replace(keys, args)
  local record, due, owners, active, paused = unpack(keys, 1, 5)
  local member, owner, expected, revision, activity, fields, labels, state, at, isDue, type, rest, cap, now,
    added = unpack(args, 1, 15)
  local text = call('GET', record)
  if not text then return 'missing' end
  local header = headerOf(text)
  if not header then return 'corrupt' end
  if header.revision ~= expected then return 'stale' end
  local ranges, _, _, head = match(text, LINES)
  if not head then return 'corrupt' end
  local over = cap ~= '' and overCap(cap, now, active, paused, due, sub(record, 1, -1 - #member))
  if over then return over end
  local firstLost = 6 + added
  for place = 6, #keys do
    if place < firstLost then checkIndex(keys[place], args[place + 10], owner) else call('ZCARD', keys[place]) end
  end
  if isDue ~= '' then checkDue(due, owners, owner) end
  begin()
  -- These change nothing, but fail if the user has no right to the command.
  if keys[firstLost] then call('ZREM', keys[firstLost], '') end
  local sequence = header.sequence + (type == '' and 0 or 1)
  if type ~= '' and rest ~= '' then
    if added ~= '0' then call('ZADD', keys[6], 'XX', '0', '') end
    log('1 ' .. type .. ' ' .. header.incarnation .. ' ' .. sequence .. rest)
  end
  for place = 6, firstLost - 1 do
    local score = args[place + 10]
    enter(keys[place], score == '' and header.created or score, member, owner)
  end
  if isDue ~= '' then sooner(due, owners, owner, member, at) end
  if activity + 0 < header.activity + 0 then activity = header.activity end
  call('SET', record, '1 ' .. revision .. sub(text, CREATED - 13, ACTIVITY) .. activity .. ' '
    .. format('%010d', sequence) .. sub(text, SEQUENCE + 11, STATE) .. fields .. '\n'
    .. ranges .. '\n' .. labels .. '\n' .. state .. '\n' .. head)
  for place = firstLost, #keys do try('ZREM', keys[place], member) end
  if isDue ~= '' then later(due, owners, owner, member, at) end
  return 'replaced'
end

-- Removes a session, even one that cannot be read unless a revision is expected, or what is left of a
-- removed one. Begins with a command that a server accepts without free memory: then it accepts the others.
-- keys  record, journal, names, due set, owners, record of what is left, then all indexes but those of labels
-- args  member, owner, expected revision or '', now, path in events, '' without events, the prefix of the
--       indexes of labels, then for what is left or '': its member, its due time, its record
function kinds.remove(keys, args)
  local record, journal, names, due, owners, left = unpack(keys, 1, 6)
  local member, owner, expected, now, path, prefix, leftMember, leftAt, leftText = unpack(args, 1, 9)
  local text = try('GET', record)
  if not text and call('EXISTS', journal, names) == 0 then return 'missing' end
  local header = type(text) == 'string' and headerOf(text)
  if expected ~= '' and not (header and header.revision == expected) then return 'stale' end
  local lists = {unpack(keys, 7)}
  local _, labels = match(header and text or '', LINES)
  for label in string.gmatch(labels or '', '%S+') do lists[#lists + 1] = prefix .. label end
  for _, list in ipairs(lists) do call('ZCARD', list) end
  checkDue(due, owners, owner)
  if not hasBegun then call('DEL', note) end
  begin()
  for _, list in ipairs(lists) do call('ZREM', list, '') end
  if header and path ~= '' then
    log('1 deleted ' .. header.incarnation .. ' ' .. header.sequence + 1 .. ' ' .. now .. ' ' .. path .. ' -')
  end
  if leftMember ~= '' then
    call('SET', left, leftText)
    if leftAt ~= '' then sooner(due, owners, owner, leftMember, leftAt) end
  end
  call('DEL', record, journal, names)
  for _, list in ipairs(lists) do try('ZREM', list, member) end
  later(due, owners, owner, member, '')
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
-- last rewind, for an append that a torn log puts back to then: the beginning of the last one (`tail`), the
-- number of bytes that belong to none, then for each other one its beginning, its end and the number of
-- entries up to that.
-- `skipped` is the number of bytes before the lines that follow.
local function rewound(journal, line, header, after, skipped)
  if after > header.bytes or not isLineEnd(journal, after) then return 'invalid_position' end
  local present = header.tail > 0 and match(';' .. line, ';(' .. header.tail .. ' [^;]*)') or ''
  if header.tail > 0 and present == '' then return 'corrupt' end
  local kept, shown, entries, count = {}, 0, 0, 0
  local function take(from, upto, upToEntries)
    if after < from and after > 0 then return 'moved ' .. header.bytes end
    if after <= upto then
      if after > from then
        local isNear = after - from < upto - after
        local least = isNear and entries + linesIn(journal, from, after)
        entries = least or upToEntries - linesIn(journal, after, upto)
        count, shown = count + 1, shown + after - from
        kept[count] = ' ' .. from .. '-' .. after .. '-' .. entries
      end
      return 'done'
    end
    count, shown, entries = count + 1, shown + upto - from, upToEntries
    kept[count] = ' ' .. from .. '-' .. upto .. '-' .. entries
  end
  local outcome
  for from, upto, upToEntries in string.gmatch(present, ' (%d+)%-(%d+)%-(%d+)') do
    outcome = outcome or take(tonumber(from), tonumber(upto), tonumber(upToEntries))
  end
  outcome = outcome or take(header.tail, header.bytes, header.entries)
  if outcome ~= 'done' then return outcome end
  local start = header.bytes + skipped
  local next = format('%d %d', start, start - shown) .. table.concat(kept)
  return entries, next .. ';' .. present, count, start
end

-- Adds lines at the end of a history, or after a position, which supersedes what follows that.
-- keys  record, journal, names, for an append that wakes also the work set and its owners
-- args  now, lines, their number, the maximum number of entries of a history, path in events, '' without
--       events; then each or '': the position at which the history must end, the fencing token of the lease,
--       the name of the append, its digest, the position that the lines follow; for an append that wakes also
--       the next revision, the member and the owner
function kinds.append(keys, args)
  local record, journal, names, work, owners = unpack(keys, 1, 5)
  local now, lines, count, most, path, position, fence, name, digest, after, revision, member, owner
    = unpack(args, 1, 13)
  local text = beginningOf(record)
  if text == '' then
    local first = call('EXISTS', journal) == 1 and sub(call('GET', journal), 1, 1) or '?'
    return first == '?' and 'missing' or 'corrupt'
  end
  local header = headerOf(text)
  if not header or call('STRLEN', journal) < header.bytes then return 'corrupt' end
  -- Test doubles have no redis.sha1hex.
  local sumOf = redis.sha1hex or function(lines) return lines end
  if name ~= '' then
    -- A name counts only if the journal has its lines, because a torn log may leave a name without them.
    local earlier, from, upto, sum = match(call('HGET', names, name) or '', '^(%S+) (%d+) (%d+) (.*)$')
    local found = earlier and upto + 0 <= header.bytes and call('GETRANGE', journal, from, tonumber(upto) - 1 .. '')
    if found and (sumOf(found) == sum or string.find('\n' .. found, '\n{"content"', 1, true)) then
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
    claimable = math.min(tonumber(call('ZSCORE', work, member) or '') or NEVER, math.max(wake, header.leased))
    call('ZSCORE', owners, owner)
  end
  begin()
  -- This changes nothing, but fails if the user has no right to the command.
  if wake then call('ZADD', work, 'XX', '0', '') end
  -- A server counts the remains of a torn log after the committed length; a test double counts characters.
  local written = call('SETRANGE', journal, header.bytes .. '', lines)
  local finish = format('%d', math.min(written, header.bytes + #lines))
  if name ~= '' then
    call('HSET', names, name, digest .. ' ' .. header.bytes .. ' ' .. finish .. ' ' .. sumOf(lines))
  end
  local sequence = header.sequence + 1
  if path ~= '' then
    local detail = header.bytes .. '_' .. finish .. (after == '' and '' or '_' .. after)
    log('1 appended ' .. header.incarnation .. ' ' .. sequence .. ' ' .. now .. ' ' .. path .. ' ' .. detail)
  end
  if wake then
    sequence = sequence + 1
    if path ~= '' then log('1 woken ' .. header.incarnation .. ' ' .. sequence .. ' ' .. now .. ' ' .. path .. ' -') end
    local score = format('%.0f', claimable)
    lower(owners, owner, score)
    call('ZADD', work, score, member)
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

-- Overwrites lines with texts of the same length. A position always belongs to the same line, so the lines
-- are those that were read if the session has the same incarnation.
-- keys  record, journal
-- args  incarnation, now, path in events, '' without events, positions as text, then for each line its
--       beginning and the text
function kinds.redact(keys, args)
  local record, journal = keys[1], keys[2]
  local incarnation, now, path, positions = unpack(args, 1, 4)
  local text = beginningOf(record)
  if text == '' then return 'missing' end
  local header = headerOf(text)
  if not header then return 'corrupt' end
  if header.incarnation ~= incarnation then return 'missing' end
  local sequence = header.sequence + 1
  begin()
  -- Writes nothing, but fails before anything is lost if there is no right to it.
  call('SETRANGE', journal, '0', '')
  if path ~= '' then
    log('1 redacted ' .. incarnation .. ' ' .. sequence .. ' ' .. now .. ' ' .. path .. ' ' .. positions)
  end
  for place = 5, #args, 2 do call('SETRANGE', journal, args[place], args[place + 1]) end
  call('SETRANGE', record, SEQUENCE .. '',
    format('%010d %010d %012d %012d ', sequence, header.entries, header.bytes, header.tail)
      .. format('%08d', header.redactions + 1))
  return 'redacted'
end

-- Moves a session, or what is left of one, to another due time.
-- keys  due set, owners, record of a session that is not damaged
-- args  member, owner, expected time, new time
function kinds.reschedule(keys, args)
  local due, owners, record = unpack(keys, 1, 3)
  local member, owner, from, to = unpack(args, 1, 4)
  local found, at = tonumber(call('ZSCORE', due, member) or ''), to + 0
  if found ~= tonumber(from) then return 'stale' end
  if record then
    local text = beginningOf(record)
    local header = headerOf(text)
    if text ~= '' and not header then return 'stale' end
    if header and header.status ~= 'T' then at = math.min(at, endOf(header)) end
  end
  if at == found then return 'stale' end
  checkDue(due, owners, owner)
  begin()
  local text = at >= NEVER and '' or format('%.0f', at)
  if text == '' then call('ZREM', due, '') end
  if at > found then call('ZADD', due, format('%.0f', found), member) end
  sooner(due, owners, owner, member, text)
  later(due, owners, owner, member, text)
  return 'moved'
end

-- Hands out sessions that want a worker: moves them to another time, and tells which they are.
-- keys  work set, its owners, the prefix of the records
-- args  owner, now, until when they are handed out, the maximum number
-- Returns 'claimed' and for each session its member and the time from which it wanted a worker; and apart
-- from that, which a repeated call does without, for each after '\r' its record, with tabs between its
-- lines, or nothing if it has none.
function kinds.claim(keys, args)
  local work, owners, prefix = keys[1], keys[2], keys[3]
  local owner, now, upto, most = unpack(args, 1, 4)
  local found = call('ZRANGEBYSCORE', work, '-inf', now, 'WITHSCORES', 'LIMIT', '0', most)
  local noted, first = call('ZSCORE', owners, owner), call('ZRANGE', work, '0', '0', 'WITHSCORES')
  if not found[1] and noted == (first[2] or false) then return 'claimed' end
  local records = {}
  for place = 1, #found, 2 do
    local text = try('GET', prefix .. found[place])
    records[#records + 1] = '\r' .. (type(text) == 'string' and string.gsub(text, '\n', '\t') or '')
  end
  begin()
  for place = 1, #found, 2 do call('ZADD', work, upto, found[place]) end
  if found[1] then first = call('ZRANGE', work, '0', '0', 'WITHSCORES') end
  if first[1] then call('ZADD', owners, first[2], owner) else call('ZREM', owners, owner) end
  return table.concat({'claimed', unpack(found)}, ' '), table.concat(records)
end

-- Makes the entries in indexes match a record that has not changed since it was read.
-- keys  record, due set, owners, then the indexes that have the session, then those that do not
-- args  member, owner, revision, '' for no record, due time, '' for none, or '-' to leave it, '1' if the
--       entry may be earlier than the due time, the number of indexes that have it, then their scores
-- Returns 'repaired', the number of entries that were added, of due times that were changed, and of
-- entries that were removed.
function kinds.repair(keys, args)
  local record, due, owners = unpack(keys, 1, 3)
  local member, owner, revision, at, mayBeEarly, added = unpack(args, 1, 6)
  local text = try('GET', record)
  local header = type(text) == 'string' and headerOf(text)
  if revision == '' and text or revision ~= '' and (not header or header.revision ~= revision) then return 'stale' end
  local listed, moved, removed = 0, 0, 0
  for place = 4, #keys do
    local score = tonumber(try('ZSCORE', keys[place], member) or '')
    local wanted = place < 4 + added and args[place + 3] or nil
    if wanted and sub(wanted, 1, 1) == '<' then
      score = tonumber(call('ZSCORE', keys[place], owner) or '')
      if not score or score > sub(wanted, 2) + 0 then
        begin()
        enter(keys[place], wanted, member, owner)
        listed = 1
      end
    elseif wanted and score ~= wanted + 0 then
      begin()
      call('ZADD', keys[place], wanted, member)
      listed = 1
    elseif not wanted and score then
      begin()
      removed = removed + call('ZREM', keys[place], member)
    end
  end
  if at == '-' then return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed end
  local score = tonumber(call('ZSCORE', due, member) or '')
  local isEarly = score and mayBeEarly == '1' and score <= (tonumber(at) or NEVER)
  if score ~= tonumber(at) and not isEarly then
    begin()
    sooner(due, owners, owner, member, at)
    later(due, owners, owner, member, at)
    if revision == '' then removed = 1 else moved = 1 end
  elseif score and call('ZRANGE', due, '0', '0', 'WITHSCORES')[2] ~= call('ZSCORE', owners, owner) then
    -- That of the owner may be wrong after a torn log.
    begin()
    later(due, owners, owner, member, format('%.0f', score))
  end
  return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed
end

-- Deletes what a torn log or another program has left of a session without a record.
-- keys  record, journal, names
function kinds.purge(keys)
  local record, journal, names = unpack(keys, 1, 3)
  if call('EXISTS', record) == 1 then return 'stale' end
  begin()
  return 'repaired 0 0 ' .. (call('DEL', journal, names) > 0 and 1 or 0)
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
    local text = type(outcome) == 'table' and outcome.err or outcome
    text = string.gsub(text, '^@user_script: ?%d+: ', '')
    -- What cannot be noted is not made.
    if isRefused then return {err = text} end
    outcome, more = 'refused ' .. string.gsub(text, '\n', ' '), nil
  end
  outcomes[#outcomes + 1] = outcome
  told[#told + 1] = outcome .. (more or '')
end
if hasBegun then call('SET', note, table.concat(outcomes, '\n'), 'PXAT', forget) end
return table.concat(told, '\n')
