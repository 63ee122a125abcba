-- Reads messages of a session: those that wait, oldest first, or those with some ids.
--
-- KEYS  its record, its journal and its inbox
-- ARGV  the ids; none for the messages that wait
-- Returns three lines for each message: its id, its digest, and its entry as JSON if it waits, the
-- position after it if it was taken, or ''. Or 'corrupt'.

local record, journal, inbox = KEYS[1], KEYS[2], KEYS[3]

local text = beginningOf(record)
if text == '' then return '' end
local header = headerOf(text)
if not header then return 'corrupt' end

local reply = {}
local function add(id, digest, place)
  reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = id, digest, place
end

for _, id in ipairs(ARGV) do
  local digest, place = messageWith(inbox, header, journal, id)
  if digest then add(id, digest, place) end
end
if not ARGV[1] then
  local waiting = waitingIn(inbox, header, header.inbox)
  if not waiting then return 'corrupt' end
  for _, message in ipairs(waiting) do add(message.id, message.digest, message.entry) end
end
return table.concat(reply, '\n')
