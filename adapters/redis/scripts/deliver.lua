-- The effects of a change on messages. Follows inbox.lua.

local function sentBefore(c, header)
  local digest = messageWith(c.inbox, header, c.journal, c.id)
  if digest then return digest == c.sent and 'repeated 0' or 'no message' end
end

-- Chooses the messages that are `taken`, withdrawn (`gone`), or get a number (`placed`); false if
-- one is missing. Messages that remain behind a withdrawn one get new numbers, so that numbers stay
-- consecutive.
local function choose(c, header)
  local most, isGone = tonumber(c.take or 0), {}
  for _, id in ipairs(c.withdrawn) do isGone[id] = true end
  local count = c.withdraw and header.inbox or math.min(most, header.inbox)
  local waiting = waitingIn(c.inbox, header, count)
  if not waiting then return false end
  local new = c.sent and {digest = c.sent, id = c.id, entry = c.message,
    text = c.sent .. ' ' .. c.id .. '\n' .. c.message} or nil
  waiting[count + 1] = new
  local taken, gone, remain, isBroken = {}, {}, {}, false
  for _, message in ipairs(waiting) do
    if isGone[message.id] then
      gone[#gone + 1], isBroken = message, isBroken or remain[1]
    elseif #taken < most then
      taken[#taken + 1] = message
    else
      remain[#remain + 1] = message
    end
  end
  local isNew = new and remain[#remain] == new
  c.taken, c.gone = taken, gone
  c.placed = isBroken and remain or {isNew and new or nil}
  return true
end

-- Notes the digest of a message and its numbers: the latest, and the one before, which counts again
-- if a torn log loses the change.
local function noteOf(message, number)
  return message.digest .. ':' .. (number or '') .. (message.number and ',' .. message.number or '')
end

local function deliver(c, header)
  clearInbox(c.inbox, header)
  for _, message in ipairs(c.gone) do
    call('HSET', c.inbox, '=' .. message.id, noteOf(message) .. ' -')
  end
  for _, message in ipairs(c.placed) do
    header.last = header.last + 1
    call('HSET', c.inbox, header.last .. '', message.text, '=' .. message.id,
      noteOf(message, header.last))
  end
  if c.revised then header.inbox = header.inbox + 1 end
end

-- Adds taken messages to a history that ends at `finish`, and to the lines of the change. Returns
-- the new end of the history and the outcome.
local function writeTaken(c, finish, lines)
  local first = #lines + 1
  for _, message in ipairs(c.taken or {}) do
    local line = sub(message.entry, 1, -2) .. ',"turn":' .. c.turn .. '},\n'
    local upto = extend(c.journal, finish, line)
    noteLines(c.inbox, '=' .. message.id, noteOf(message), finish, upto, line)
    lines[#lines + 1], finish = line, upto
  end
  local text = string.gsub(table.concat(lines, '', first), '\n', '\t')
  return finish, 'made ' .. finish .. ' ' .. text
end
