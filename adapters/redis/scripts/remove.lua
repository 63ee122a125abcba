-- Removes sessions, even unreadable ones, and the remains of removed ones, in two steps: the first
-- marks the record, and the second deletes the data. In one step, a torn log could delete a session
-- after later changes of it; those changes overwrite a mark.
--
-- KEYS  of each commit: its record, its journal, its operations, its inbox, the due set and its
--       tenants, the work set and its tenants, the prefix of the lists of labels, the record of its
--       remains, and the five other lists
-- ARGV  of each commit: idKey; tenantKey; the expected revision, '' for any; `unusedSince` or '';
--       its event, '' for none; of its remains idKey, '' for none, due time and record
-- Returns 'marked' after the first step, which is unnecessary without a readable record. The second
-- step expects the revision 0, which no state has.

local NONE = format('%016d', 0)
local LABELS = '^[^\n]*\n[^\n]*\n([^\n]*)'

local function nextCommit()
  local c = {gained = {}, places = {}}
  nextAs('record journal operations inbox dueSet dueTenants workSet workTenants', nextKey, c)
  nextAs('labels left', nextKey, c)
  c.lost = nextOf(nextKey, 5)
  return nextAs('idKey tenantKey revision unused event leftKey leftAt leftText', nextArg, c)
end

-- Begins with a command that a server accepts without free memory; then it accepts the others.
local function startWithoutMemory(c)
  if not hasBegun then call('DEL', note) end
  beginIndexes(c)
end

-- Reads all that the second step changes, so that it fails before anything is marked.
local function look(c, text)
  local labels = text and match(text, LABELS)
  for label in string.gmatch(labels or '', '%S+') do c.lost[#c.lost + 1] = c.labels .. label end
  for _, list in ipairs(c.lost) do call('ZCARD', list) end
  return {placeIn(c.dueSet, c.dueTenants, c.idKey, c.tenantKey, 'never'),
    placeIn(c.workSet, c.workTenants, c.idKey, c.tenantKey, 'never')}
end

local function mark(c, header, text)
  look(c, text)
  local hasRemains = c.leftKey ~= ''
  if hasRemains then
    c.places[1] = placeIn(c.dueSet, c.dueTenants, c.leftKey, c.tenantKey, c.leftAt)
  end
  startWithoutMemory(c)
  needRange(c.record)
  if c.event ~= '' then advance(header, c.event) end
  if hasRemains then
    call('SET', c.left, c.leftText)
    addToIndexes(c)
  end
  call('SETRANGE', c.record, ACTIVITY_TEXT, REMOVED)
  return 'marked'
end

local function delete(c, text)
  local isReadable = type(text) == 'string' and (isRemoved(text) or headerOf(text))
  c.places = look(c, isReadable and text)
  startWithoutMemory(c)
  call('DEL', c.record, c.journal, c.operations, c.inbox)
  removeFromIndexes(c)
  return 'made'
end

local function remove()
  local c = nextCommit()
  local text = try('GET', c.record)
  if not text then
    return call('EXISTS', c.journal, c.operations, c.inbox) > 0 and delete(c, text) or 'missing'
  end
  local isText = type(text) == 'string'
  if isText and isRemoved(text) then
    if c.revision == NONE then return delete(c, text) end
    -- Finishes an interrupted removal. Only the call that marked the session has removed it.
    if c.revision == '' then delete(c, text) end
    return 'missing'
  end
  local header = isText and headerOf(text)
  if c.revision ~= '' and not (header and header.revision == c.revision) then
    return 'no revision'
  end
  if not header then return delete(c, text) end
  if c.unused ~= '' and header.activity + 0 > c.unused + 0 then return 'no unusedSince' end
  return mark(c, header, text)
end

return makeAll(remove, settleAll)
