-- The effects of a spend on a session: see `spentState` in src/session/budget.ts. Follows
-- inbox.lua.

-- The status, and the budget that may follow it. Its names and sums need no escapes.
local STATUS = '^({"status":"%u+",)(.*)$'
local BUDGET = '^"budget":{"used":{([^}]*)},"limits":{([^}]*)},"last":"([^"]*)"(.*)$'

local function sumsIn(text)
  local sums = {}
  for name, sum in string.gmatch(text, '([%w_.-]+)"?[:,](%d+)') do sums[name] = sum + 0 end
  return sums
end

-- The outcome of a spend with the name of an earlier one; nil if there was none. The state contains
-- the name of the latest spend, so a torn log cannot leave it without its sums.
local function spentBefore(c)
  local name, digest = match(c.latest, '^(.*):(.*)$')
  if name ~= c.operation then
    digest = match(call('HGET', c.operations, c.operation) or '', '^(%S+) %+$')
  end
  return digest and (digest == c.digest and 'repeated 0' or 'no operation')
end

local function readBudget(c)
  local state = select(4, match(c.text, LINES, STATE + 1))
  local status, others = match(state or '', STATUS)
  if not status then return false end
  local used, limits, latest, rest = match(others, BUDGET)
  if not used then used, limits, latest, rest = '', '', '', '},' .. others end
  c.used, c.limits, c.latest = sumsIn(used), sumsIn(limits), latest
  c.status, c.rest = status, rest
  return true
end

local function countersGuard(c)
  for name, added in pairs(sumsIn(c.spent)) do
    local sum = c.used[name] or string.find(c.free, ',' .. name .. ',', 1, true) and 0
    if not sum or sum + added > NEVER then return 'no counters ' .. recordOf(c) end
    c.used[name] = sum + added
  end
end

local function textOfSums(sums)
  local texts = {}
  for name, sum in pairs(sums) do texts[#texts + 1] = format('"%s":%.0f', name, sum) end
  table.sort(texts)
  return table.concat(texts, ',')
end

-- Completes the change as a change of the state.
local function planSpend(c, header)
  local at, rest = c.spentAt + 0, c.rest
  local isReached = false
  for name, limit in pairs(c.limits) do isReached = isReached or (c.used[name] or 0) >= limit end
  c.fields = sub(match(c.text, '^[^\n]*', STATE + 1), 3)
  if isReached and header.status ~= 'T' and at < endOf(header) then
    rest = ',"reachedAt":' .. c.spentAt .. rest
    c.fields, c.due = string.gsub(c.fields, '%d+', '0', 1), '0'
  end
  c.state = c.status .. '"budget":{"used":{' .. textOfSums(c.used) .. '},"limits":{'
    .. textOfSums(c.limits) .. '},"last":"' .. (c.last or c.latest) .. '"' .. rest
  c.activity, c.asked, c.waits = c.activity or header.activity, header.asked, header.inbox
end

-- Notes the previous name, which the next state no longer contains.
local function noteLatest(c)
  local name, digest = match(c.latest, '^(.*):(.*)$')
  if c.last and name then call('HSET', c.operations, name, digest .. ' +') end
end
