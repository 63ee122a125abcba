-- The header of a record and the ranges of its history. Follows fields.lua.

local HEADER = '^1 (%d+) ([%w_-]+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) '
  .. '(%d) (%d+) ()%d ([IAPT]) (%d+) (%d+) (%d+) (%d+) (%d+)\n'

local function headerOf(text)
  local revision, incarnation, created, activity, sequence, entries, bytes, tail, asked, inbox,
    first, last, side, redactions, at, status, deadline, inactivity, fence, leased, claimable =
      match(text, HEADER)
  if at ~= STATE + 1 then return nil end
  return {
    revision = revision, incarnation = incarnation, created = created, activity = activity,
    sequence = tonumber(sequence), entries = tonumber(entries), bytes = tonumber(bytes),
    tail = tonumber(tail), asked = tonumber(asked), inbox = tonumber(inbox),
    first = tonumber(first), last = tonumber(last), side = side, redactions = tonumber(redactions),
    status = status, deadline = tonumber(deadline), inactivity = tonumber(inactivity),
    fence = tonumber(fence), leased = tonumber(leased), claimable = tonumber(claimable),
  }
end

-- The expiry of a session that is not used or changed before; after its end, its deletion.
local function endOf(header)
  if header.status ~= 'A' then return header.deadline end
  return math.min(header.deadline, header.activity + header.inactivity)
end

local function rangesOf(line, tail)
  return tail == 0 and '' or match(';' .. line, ';' .. format('%d', tail) .. ':([^;]*)')
end
