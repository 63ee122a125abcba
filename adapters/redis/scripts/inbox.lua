-- The inbox of a session: see adapters/redis/record.ts. Follows fields.lua, record.lua and history.lua.

local MESSAGE = '^(%S+) ([^\n]*)\n(.*)$'

-- The first ones of the messages that wait, each with its text in the inbox; nil if one is missing.
local function waitingIn(inbox, header, count)
  local waiting, before = {}, header.last - header.inbox
  for at = 1, count do
    local text = call('HGET', inbox, format('%d', before + at))
    if not text then return nil end
    local digest, id, entry = match(text, MESSAGE)
    waiting[at] = {text = text, digest = digest, id = id, entry = entry}
  end
  return waiting
end

-- Deletes the texts of messages that an earlier change has taken or withdrawn. That change leaves
-- them: if a torn log loses it, they wait.
local function clearInbox(inbox, header)
  local waitsFrom = header.last - header.inbox + 1
  for number = header.first, waitsFrom - 1 do call('HDEL', inbox, format('%d', number)) end
  header.first = waitsFrom
end

-- What became of a message that does not wait, from its note: its digest, and the position after it
-- if it was taken. nil if there was none: a torn log may leave the note of a message that nobody was
-- told of.
local function goneIn(noted, journal, bytes)
  local digest = match(noted, '^(%S+) %-$')
  if digest then return digest end
  digest = match(noted, '^%S+')
  local upto = match(repeated(journal, bytes, noted, digest) or '', '%d+$')
  if upto then return digest, upto end
end
