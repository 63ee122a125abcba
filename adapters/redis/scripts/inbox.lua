-- The inbox of a session: see adapters/redis/record.ts. Follows record.lua and history.lua.

local MESSAGE = '^(%S+) ([^\n]*)\n(.*)$'

local function waitingAt(inbox, header, number)
  if number <= header.last - header.inbox or number > header.last then return nil end
  local text = call('HGET', inbox, format('%d', number))
  local digest, id, entry = match(text or '', MESSAGE)
  return digest and {number = number, text = text, digest = digest, id = id, entry = entry}
end

local function waitingIn(inbox, header, count)
  local waiting = {}
  for at = 1, count do
    waiting[at] = waitingAt(inbox, header, header.last - header.inbox + at)
    if not waiting[at] then return nil end
  end
  return waiting
end

-- Deletes messages that an earlier change has taken or withdrawn. That change left them in place,
-- so that they wait again if a torn log loses it.
local function clearInbox(inbox, header)
  local waitsFrom = header.last - header.inbox + 1
  for number = header.first, waitsFrom - 1 do call('HDEL', inbox, format('%d', number)) end
  header.first = waitsFrom
end

-- The digest of the message with an id, and its entry if it waits, the position after it if it was
-- taken, or ''. nil for an unknown message: a torn log may leave the note of a message that was
-- never acknowledged, or of a change that was lost.
local function messageWith(inbox, header, journal, id)
  local noted = call('HGET', inbox, '=' .. id) or ''
  local name, digest, numbers = match(noted, '^((%S*):(%S*))')
  for number in string.gmatch(numbers or '', '%d+') do
    local message = waitingAt(inbox, header, tonumber(number))
    if message and message.id == id then return digest, message.entry end
  end
  if sub(noted, -2) == ' -' then return digest, '' end
  local upto = match(repeated(journal, header.bytes, noted, name) or '', '%d+$')
  if upto then return digest, upto end
end
