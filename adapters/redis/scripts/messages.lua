-- Reads messages of a session: those that wait, oldest first, or those with some ids.
--
-- KEYS  its record, its journal and its inbox
-- ARGV  the ids; none for the messages that wait
-- Returns lines: for each message its id, its digest, and its entry as JSON if it waits, the position
-- after it if it was taken, or ''. Or 'corrupt'.

local record, journal, inbox = KEYS[1], KEYS[2], KEYS[3]

local text = beginningOf(record)
if text == '' then return '' end
local header = headerOf(text)
local waiting = header and waitingIn(inbox, header, header.inbox)
if not waiting then return 'corrupt' end

local reply, isWaiting = {}, {}
local function add(id, digest, place)
  reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = id, digest, place
end

for _, message in ipairs(waiting) do
  if not ARGV[1] then add(message.id, message.digest, message.entry) end
  isWaiting[message.id] = message
end
for _, id in ipairs(ARGV) do
  local noted, message = call('HGET', inbox, '=' .. id), isWaiting[id]
  if message then
    add(id, message.digest, message.entry)
  elseif noted then
    local digest, position = goneIn(noted, journal, header.bytes)
    if digest then add(id, digest, position or '') end
  end
end
return table.concat(reply, '\n')
