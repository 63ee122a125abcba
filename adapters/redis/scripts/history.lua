-- Names and lines of histories. Follows group.lua.

-- Test doubles have no redis.sha1hex.
local sumOf = redis.sha1hex or function(lines) return lines end

-- The outcome of a commit with the name of an earlier one; nil if there was none. A name counts
-- only if the journal contains its lines, because a torn log may leave a name without them.
local function repeated(journal, bytes, noted, digest)
  local earlier, from, upto, sum = match(noted or '', '^(%S+) (%d+) (%d+) (.*)$')
  local isThere = earlier and upto + 0 <= bytes
  local found = isThere and call('GETRANGE', journal, from, tonumber(upto) - 1 .. '')
  if found and (sumOf(found) == sum or string.find('\n' .. found, '\n{ ', 1, true)) then
    return earlier == digest and 'repeated ' .. upto or 'no operation'
  end
end

-- Adds lines at the end of a journal, and returns the new end.
local function extend(journal, from, lines)
  -- A server also counts bytes that a torn log has left after the committed length; a test double
  -- counts characters.
  local written = call('SETRANGE', journal, from, lines)
  return format('%d', math.min(written, from + #lines))
end

local function noteLines(names, name, digest, from, finish, lines)
  call('HSET', names, name, digest .. ' ' .. from .. ' ' .. finish .. ' ' .. sumOf(lines))
end
