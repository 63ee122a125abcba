-- What the scripts that write begin with. Each makes a group of commits of one partition, each for
-- itself: one that is refused changes nothing, and the others are made. Follows fields.lua.
--
-- KEYS  1 the note of this group, 2 the stream of events, then those of each commit
-- ARGV  1 until when the group is accepted and 2 until when it is recognised, in the time of the
--       server; 3 the number of events that the stream keeps, '' without events; then those of each
--       commit
-- Returns the outcomes as text, a line for each commit; 'late <time of the server>' if the group
-- came too late; 'unknown' if a crash has left its note without its outcomes.
--
-- Order of the writes: the note without outcomes, then for each commit its lines, its events, what
-- it adds to indexes, its record, and what it removes from indexes; last the outcomes in the note.
-- All values are absolute, so that the remains of a torn log are overwritten or can be derived: see
-- "A torn log" in docs/redis.md. Lua does not roll back, so a commit first reads all its keys: one
-- of a wrong type fails before anything is written. What fails after the record leaves an index
-- entry too many, which readers ignore and `repair` removes.
--
-- Numbers are passed to commands as text, because the server converts numbers slowly. All functions
-- of a script are made anew in each call, which takes longer than a commit: so what is rare stands
-- in a script of its own.

local note, stream = KEYS[1], KEYS[2]
local till, forget, kept = ARGV[1], ARGV[2], ARGV[3]
-- The last key and argument that a commit has taken.
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

-- Number of events that the stream still takes before the oldest ones go; nil until it is read.
local free

-- Logs an event: '1 ', the incarnation of its session, its number, the session and the details as
-- JSON.
local function log(text)
  free = free or kept + SURPLUS - call('XLEN', stream)
  if free > 0 then
    call('XADD', stream, '*', 'e', text)
    free = free - 1
  else
    -- Not `MAXLEN ~`: the log has that with the length of today, and after a crash too much would
    -- go.
    call('XADD', stream, 'MAXLEN', kept, '*', 'e', text)
    free = nil
  end
end

-- Makes all commits. `make` takes the keys and arguments of the next one before its first command,
-- makes it, and returns its outcome, and what follows it in the reply but not in the note. `finish` is
-- called after all of them.
local function makeAll(make, finish)
  local outcomes, told = {}, {}
  while argAt < #ARGV do
    local isMade, outcome, more = pcall(make)
    if not isMade then
      local text = textOf(outcome)
      -- What cannot be noted is not made.
      if isRefused then return {err = text} end
      outcome, more = 'refused ' .. string.gsub(text, '\n', ' '), nil
    end
    outcomes[#outcomes + 1] = outcome
    told[#told + 1] = outcome .. (more or '')
  end
  if finish then finish() end
  -- By the command of `begin`: another one may be forbidden, after all commits are made.
  if hasBegun then call('SET', note, table.concat(outcomes, '\n'), 'KEEPTTL') end
  return table.concat(told, '\n')
end
