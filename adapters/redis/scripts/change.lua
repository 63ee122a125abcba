-- Adds sessions and changes them: states, histories, times in queues. It implements guards and
-- effects, which src/store/commit.ts describes, and no rules of the product.
--
-- KEYS  of each commit: its record and its journal; its operations if it has a `digest`; its inbox
--       if it has `mail`; the record of the source if it has a `version`; the due set and its
--       tenants if it has `due`, `live` or `spent`; the work set and its tenants if it has `work`
--       or `revised`; the ACTIVE and the PAUSED sessions if it has `live`; then the lists that the
--       session joins, and those that it leaves
-- ARGV  of each commit: idKey; tenantKey; its numbers that exist, as '<name>=<value>' with spaces
--       between them; the name of the operation if it has a `digest`; the id of its message and
--       its JSON if it has `sent`; the ids that it withdraws; its lines if it has `count`; its record if
--       it has `begin`; the fields of its state, its labels and its JSON if it has `next` without
--       `spent`; its events: complete if they end with '}', otherwise without the positions of the
--       lines
--
--   Guards   digest, version, revision, unused, open, over, token and held (the time of the lease),
--            full (messages), finish, most (entries), dueAt, live (sessions) and liveAt
--   Effects  begin (the number of bytes of the lines), next (revision) and activity, asked and
--            waits (messages), revised (revision) and asked, due, work, truncate, count (of lines),
--            sent (digest), take (messages) and turn, withdraw, spent (sums, each '<name>,<sum>'),
--            free, last, spentAt and next, gained, lost, events (numbers)

local MAX_EXAMINED, PART = 10000, 100

local function nextCommit()
  local c = {record = nextKey(), journal = nextKey(), idKey = nextArg(), tenantKey = nextArg()}
  for name, value in string.gmatch(nextArg(), '(%a+)=(%S+)') do c[name] = value end
  if c.digest then c.operations, c.operation = nextKey(), nextArg() end
  if c.mail then c.inbox = nextKey() end
  if c.sent then c.id, c.message = nextArg(), nextArg() end
  c.withdrawn = nextOf(nextArg, c.withdraw)
  if c.version then c.source = nextKey() end
  if c.due or c.live or c.spent then c.dueSet, c.dueTenants = nextKey(), nextKey() end
  if c.work or c.revised then c.workSet, c.workTenants = nextKey(), nextKey() end
  if c.live then c.active, c.paused = nextKey(), nextKey() end
  c.gained, c.lost = nextOf(nextKey, c.gained), nextOf(nextKey, c.lost)
  c.lines = c.count and nextArg()
  c.text = c.begin and nextArg()
  if c.next and not c.spent then c.fields, c.labels, c.state = nextArg(), nextArg(), nextArg() end
  c.events = nextOf(nextArg, c.events)
  return c
end

local function isOpen(header, at)
  return (header.status == 'A' or header.status == 'P') and at < endOf(header)
end

local function failedGuard(c, header)
  if c.revision and header.revision ~= c.revision then return 'revision' end
  if c.unused and header.activity + 0 > c.unused + 0 then return 'unusedSince' end
  if c.open and not isOpen(header, c.open + 0) then return 'open' end
  if c.over and isOpen(header, c.over + 0) then return 'over' end
  local isHeld = not c.token or header.fence == c.token + 0 and c.held + 0 < header.leased
  return not isHeld and 'fence' or nil
end

local function stateGuard(c, header)
  local guard = failedGuard(c, header)
  return guard and 'no ' .. guard .. ' ' .. recordOf(c)
end

-- Whether a tenant has reached its maximum of live sessions, and whether too many would have to be
-- examined. `listed` counts its ACTIVE and PAUSED sessions, some of them past their expiry; `sets`
-- are those to examine.
local function isFull(c, listed, most, sets)
  local records, at = sub(c.record, 1, -1 - #c.idKey), c.liveAt + 0
  local open, examined = 0, 0
  for _, set in ipairs(sets) do
    for last = set.size - 1, 0, -PART do
      local page = call('ZRANGE', set.key, math.max(0, last - PART + 1) .. '', last .. '')
      for place = #page, 1, -1 do
        if examined == MAX_EXAMINED then return true, true end
        examined = examined + 1
        local header = headerOf(beginningOf(records .. page[place]))
        local isLive = header and (header.status == 'A' or header.status == 'P')
        if isLive and isOpen(header, at) then
          open = open + 1
        elseif isLive then
          listed = listed - 1
        end
        if open == most or listed < most then return open == most end
      end
    end
  end
  return true
end

-- Sessions past their expiry do not count, but are listed until a sweep. They are due, like many
-- others that only await a report, so this examines the smaller side: the due sessions, or the
-- listed ones from the newest on.
local function liveGuard(c)
  if not c.live then return nil end
  local most, active, paused = c.live + 0, call('ZCARD', c.active), call('ZCARD', c.paused)
  local listed = active + paused
  if listed < most then return nil end
  local due = call('ZCOUNT', c.dueSet, '-inf', c.liveAt)
  if listed - due >= most then return 'no live' end
  local sets = due < most and {{key = c.dueSet, size = due}}
    or {{key = c.active, size = active}, {key = c.paused, size = paused}}
  local full, isUnknown = isFull(c, listed, most, sets)
  return isUnknown and 'ended' or full and 'no live' or nil
end

-- Sets the number of entries afterwards in `c`, and the ranges of a rewind.
local function historyGuard(c, header)
  local bytes, count = header.bytes, tonumber(c.count or 0)
  if c.finish and c.finish + 0 ~= bytes then return 'no end ' .. format('%d', bytes) end
  local entries, most = header.entries, tonumber(c.most or NEVER)
  -- A rewind to the last entry is an ordinary append.
  local isEmpty = header.tail > 0 and header.tail == bytes
  local isLast = c.truncate and c.truncate + 0 == bytes and not isEmpty
  if c.truncate and (not isLast or not c.lines) then
    local line = match(c.text, '^[^\n]*\n([^\n]*)')
    local room = most - count - (c.take or 0)
    c.ranges, entries = rewound(c.journal, line, header, tonumber(c.truncate), room)
    if not c.ranges then return entries end
  end
  c.entries = entries + count + (c.take or 0)
  return c.entries > most and 'no entries' or nil
end

-- A rewind occupies a position. Its filler contains the id of the group, so that a torn log cannot
-- confuse it with a different rewind in its place.
local function write(c, header)
  local lines, from = c.lines or '', header.bytes
  if c.ranges then
    local filler = c.operation and sub(note, -12) .. '\n' or '\n'
    lines, header.tail = filler .. lines, from + #filler
  end
  local begins, all = format('%d', from), {lines}
  local finish = lines == '' and begins or extend(c.journal, begins, lines)
  local outcome = 'made ' .. finish
  if c.take then finish, outcome = writeTaken(c, finish, all) end
  if c.operation then
    noteLines(c.operations, c.operation, c.digest, begins, finish, table.concat(all))
  end
  header.bytes = tonumber(finish)
  header.entries = c.entries
  return outcome
end

-- If a later activity than the new state's stays, the expiry may follow from that activity.
local function dueOf(c, header)
  local status, deadline, inactivity = match(c.fields or '', '^(%u) (%d+) (%d+)')
  if status ~= 'A' or header.activity + 0 <= c.activity + 0 then return c.due end
  local due = math.min(deadline + 0, header.activity + inactivity)
  return due < NEVER and format('%.0f', due) or 'never'
end

-- A message changes when a worker may claim the session.
local function placesOf(c, header)
  local places = {}
  if c.due then
    places[1] = placeIn(c.dueSet, c.dueTenants, c.idKey, c.tenantKey, dueOf(c, header))
  end
  if c.revised then
    header.asked = math.min(header.asked, c.asked + 0)
    local mayWait = header.status == 'I' or header.status == 'A'
    local at = math.min(header.claimable, math.max(header.asked, header.leased))
    c.work = mayWait and format('%.0f', at)
  end
  if c.work then
    places[#places + 1] = placeIn(c.workSet, c.workTenants, c.idKey, c.tenantKey, c.work)
  end
  c.places = places
end

local function logAll(c, header, from)
  for _, event in ipairs(c.events) do
    if sub(event, -1) ~= '}' then
      event = event .. format(',"start":%d,"position":%d}', from, header.bytes)
    end
    advance(header, event)
  end
end

local function add(c)
  if call('EXISTS', c.record) == 1 then
    -- The remains of a removed session must be deleted first.
    return beginningOf(c.record) == '' and 'unfinished' or 'no absent'
  end
  -- A torn log may leave the first lines of a session whose creation was never acknowledged.
  if withoutRecord(c.record, c.journal) ~= 'missing' then return 'no absent' end
  if c.version then
    local source = headerOf(beginningOf(c.source))
    local version = source and source.incarnation .. '.' .. source.redactions .. '.' .. source.tail
    if version ~= c.version then return 'no source' end
  end
  local full = liveGuard(c)
  if full then return full end
  local created = sub(c.text, CREATED + 1, ACTIVITY - 1)
  local header = {incarnation = sub(c.text, CREATED - 12, CREATED - 1), sequence = 0,
    bytes = tonumber(c.begin)}
  placesOf(c, header)
  beginIndexes(c)
  -- The first character says that the record may be missing; it is corrected after the record.
  if c.lines then call('SET', c.journal, '?' .. sub(c.lines, 2)) end
  logAll(c, header, 0)
  addToIndexes(c, created)
  call('SET', c.record, c.text)
  if c.lines then try('SETRANGE', c.journal, '0', '{') end
  removeFromIndexes(c)
  return 'made 0'
end

local function refusalOf(c, header)
  if c.operation then
    local noted = call('HGET', c.operations, c.operation)
    local earlier = c.last and spentBefore(c)
      or repeated(c.journal, header.bytes, noted, c.digest)
    if earlier then return earlier end
  end
  local earlier = c.sent and sentBefore(c, header)
  if earlier then return earlier end
  local inboxGuard = c.full and header.inbox > c.full + 0 and 'no inbox'
  local guard = stateGuard(c, header) or c.spent and countersGuard(c)
  return guard or inboxGuard or historyGuard(c, header) or liveGuard(c)
end

-- Writes all of the record, its fields up to the status, or only the fields that every change
-- writes.
local function store(c, header)
  if c.activity and c.activity + 0 > header.activity + 0 then
    header.activity = format('%016.0f', c.activity)
  end
  header.revision = c.next or c.revised or header.revision
  if c.next then header.asked, header.inbox = tonumber(c.asked), tonumber(c.waits) end
  if c.next or c.ranges then
    local fields, ranges, labels, state, head = match(c.text, LINES, STATE + 1)
    if c.ranges then ranges = format('%d:', header.tail) .. c.ranges end
    local lines = {'', ranges, c.labels or labels, c.state or state, head}
    if c.next and (c.lines or c.ranges) then
      header.side = header.side == '0' and '1' or '0'
      lines[6], lines[7] = fields, state
    end
    lines[1] = fieldsOf(header) .. header.side .. ' ' .. (c.fields or sub(fields, 3))
    call('SET', c.record, table.concat(lines, '\n'))
  elseif c.revised then
    call('SETRANGE', c.record, '0', fieldsOf(header))
  else
    call('SETRANGE', c.record, ACTIVITY_TEXT, countsOf(header))
  end
end

local function change(c)
  local header, outcome =
    sessionOf(c, c.next or c.truncate, c.lines or c.truncate or c.take)
  if not header then return outcome end
  if c.spent and not readBudget(c) then return 'corrupt' end
  local refusal = refusalOf(c, header)
  if refusal then return refusal end
  if (c.next or c.ranges) and not match(c.text, LINES, STATE + 1) then return 'corrupt' end
  if c.spent then planSpend(c, header) end
  if c.mail and not choose(c, header) then return 'corrupt' end
  placesOf(c, header)
  beginIndexes(c)
  if c.revised then needRange(c.record) end
  local from = header.bytes
  if c.mail then deliver(c, header) end
  if c.spent then noteLatest(c) end
  if c.lines or c.ranges or c.take then outcome = write(c, header) end
  logAll(c, header, from)
  addToIndexes(c, header.created)
  store(c, header)
  removeFromIndexes(c)
  return outcome or 'made 0'
end

local function move(c)
  if c.revision then
    local header, outcome = sessionOf(c)
    if not header then return outcome end
    local refusal = stateGuard(c, header)
    if refusal then return refusal end
  end
  placesOf(c)
  if c.places[1].found ~= tonumber(c.dueAt) then return 'no dueAt' end
  beginIndexes(c)
  addToIndexes(c)
  removeFromIndexes(c)
  return 'made 0'
end

local function make()
  local c = nextCommit()
  if c.begin then return add(c) end
  return c.dueAt and move(c) or change(c)
end

return makeAll(make, settleAll)
