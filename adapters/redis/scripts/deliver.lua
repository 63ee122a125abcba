-- What a change does with messages. Follows inbox.lua.

-- The outcome of a message whose id an earlier one had; nil if none had.
local function sentBefore(c, header)
  local noted = call('HGET', c.inbox, '=' .. c.id)
  if not noted then return nil end
  local digest = goneIn(noted, c.journal, header.bytes)
  if not digest then
    for _, message in ipairs(waitingIn(c.inbox, header, header.inbox) or {}) do
      if message.id == c.id then digest = message.digest end
    end
  end
  if digest then return digest == c.sent and 'repeated 0' or 'no message' end
end

-- Chooses the messages that are `taken`, those that are withdrawn (`gone`), and those that get a
-- number (`placed`); false if one is missing. All that remain get new numbers if one goes that has
-- others before it.
local function choose(c, header)
  local taken, gone, remain, isGone, isBroken = {}, {}, {}, {}, false
  for _, id in ipairs(c.withdrawn) do isGone[id] = true end
  local most = tonumber(c.take or 0)
  local count = c.withdraw and header.inbox or math.min(most, header.inbox)
  local waiting = waitingIn(c.inbox, header, count)
  if not waiting then return false end
  local new = c.sent and {digest = c.sent, id = c.id, entry = c.message,
    text = c.sent .. ' ' .. c.id .. '\n' .. c.message}
  -- Messages that are not read are between the others and the new one.
  local isApart = count < header.inbox
  if new and not isApart then waiting[#waiting + 1] = new end
  for _, message in ipairs(waiting) do
    if isGone[message.id] then
      gone[#gone + 1] = message
    elseif #taken < most then
      taken[#taken + 1] = message
    else
      remain[#remain + 1] = message
    end
    isBroken = isBroken or remain[1] and message ~= remain[#remain]
  end
  if new and isApart then remain[1] = new end
  c.taken, c.gone, c.isNew = taken, gone, new and remain[#remain] == new
  c.placed = isBroken and remain or {c.isNew and new or nil}
  return true
end

-- Puts messages into an inbox, and notes those that are withdrawn.
local function deliver(c, header)
  clearInbox(c.inbox, header)
  if c.isNew then call('HSET', c.inbox, '=' .. c.id, c.sent) end
  for _, message in ipairs(c.gone) do
    call('HSET', c.inbox, '=' .. message.id, message.digest .. ' -')
  end
  for _, message in ipairs(c.placed) do
    header.last = header.last + 1
    call('HSET', c.inbox, format('%d', header.last), message.text)
  end
  if c.revised then header.inbox = header.inbox + 1 end
end

-- Adds the messages that are taken to a history, which ends at a position, and their lines to those
-- of the change. Returns where it ends then.
local function writeTaken(c, finish, lines)
  for _, message in ipairs(c.taken or {}) do
    local line = sub(message.entry, 1, -2) .. ',"turn":' .. c.turn .. '},\n'
    local upto = extend(c.journal, finish, line)
    noteLines(c.inbox, '=' .. message.id, message.digest, finish, upto, line)
    lines[#lines + 1], finish = line, upto
  end
  return finish
end

-- The outcome of a change that takes messages: the end of the history, and where their lines begin.
local function takenIn(finish, from, lines)
  local text = table.concat(lines, '', 2)
  return 'made ' .. finish .. ' ' .. from .. ' ' .. string.gsub(text, '\n', '\t')
end
