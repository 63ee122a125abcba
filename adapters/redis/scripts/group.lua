-- The common part of all scripts that write. Each makes a group of commits of one partition. They
-- are independent: a refused commit changes nothing, and the others are made. Follows fields.lua.
--
-- KEYS  1 the note of this group, 2 the stream of events, then those of each commit
-- ARGV  1 until when the group is accepted and 2 until when it is recognised, in the time of the
--       server; 3 the number of events that the stream keeps, '' without events; then those of each
--       commit
-- Returns the outcomes, a line for each commit; 'late <time of the server>' if the group came too
-- late; 'unknown' if a crash has left its note without its outcomes.
--
-- Order of the writes: the note without outcomes, then for each commit its lines, its events, what
-- it adds to indexes, its record, and what it removes from indexes; last the outcomes in the note.
-- All values are absolute, so that the remains of a torn log are overwritten or can be derived: see
-- "A torn log" in docs/redis.md. Lua does not roll back, so a commit first reads all its keys: one
-- of a wrong type fails before anything is written. A failure after the record leaves an index
-- entry too many, which readers ignore and `repair` removes.
--
-- Commands get numbers as strings, because the server converts numbers slowly. It defines all
-- functions of a script anew in each call, which takes longer than a commit, so rare changes have
-- scripts of their own.

local note, stream = KEYS[1], KEYS[2]
local till, forget, kept = ARGV[1], ARGV[2], ARGV[3]
local keyAt, argAt = 2, 3
local SURPLUS = 100

local known = call('GET', note)
if known then return known == '' and 'unknown' or known end
local time = call('TIME')
local clock, last = time[1] * 1000 + time[2] / 1000, till + 0
if clock >= last or last - clock > forget - last then
  return 'late ' .. format('%.0f', clock)
end

local hasBegun, isRefused = false, false
local function begin()
  if hasBegun then return end
  isRefused = true
  call('SET', note, '', 'PXAT', forget)
  hasBegun, isRefused = true, false
end

-- Number of events before the stream is trimmed; nil until it is read. Trimming with each event
-- would cost a twentieth of an append's server time.
local free

-- `text`: '1 ', the incarnation, the number of the change, the session and the detail as JSON.
local function log(text)
  free = free or kept + SURPLUS - call('XLEN', stream)
  if free > 0 then
    call('XADD', stream, '*', 'e', text)
    free = free - 1
  else
    -- Not `MAXLEN ~`: when the log is loaded, it could trim more than it did before the crash.
    call('XADD', stream, 'MAXLEN', kept, '*', 'e', text)
    free = nil
  end
end

-- Makes all commits. `make` reads the keys and arguments of the next commit before its first
-- command. It returns the outcome, and a part of the reply that the note does without.
local function makeAll(make, finish)
  local outcomes, told = {}, {}
  while argAt < #ARGV do
    local isMade, outcome, more = pcall(make)
    if not isMade then
      local text = textOf(outcome)
      -- Without a note, a resent group would be made twice.
      if isRefused then return {err = text} end
      outcome, more = 'refused ' .. string.gsub(text, '\n', ' '), nil
    end
    outcomes[#outcomes + 1] = outcome
    told[#told + 1] = outcome .. (more or '')
  end
  if finish then finish() end
  -- Uses the command of `begin`, because the user may lack the right to others.
  if hasBegun then call('SET', note, table.concat(outcomes, '\n'), 'KEEPTTL') end
  return table.concat(told, '\n')
end
