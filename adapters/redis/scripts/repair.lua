-- Makes the index entries of sessions match a record that is unchanged since it was read, or a
-- missing record.
--
-- KEYS  of each session: its record, its journal, its operations and its inbox, the due set and its
--       tenants, the work set and its tenants; then the lists that it belongs to, and the others
-- ARGV  of each session: idKey; tenantKey; its revision, '' for no record; its due time and its
--       time in the work set, 'never' for none, '-' to leave it; '1' if the due time may be
--       earlier; '1' to delete the journal, the operations and the inbox, which a torn log or
--       another program has left; the numbers of both kinds of lists
-- Returns 'repaired', the number of entries that were added, of due times that were changed, and of
-- entries that were removed.

-- The lists whose score of a session differs from `wanted`; nil for no entry.
local function wrongOf(lists, idKey, wanted)
  local wrong = {}
  for _, list in ipairs(lists) do
    if tonumber(try('ZSCORE', list, idKey) or '') ~= wanted then wrong[#wrong + 1] = list end
  end
  return wrong
end

local function nextSession()
  local s = {}
  nextAs('record journal operations inbox dueSet dueTenants workSet workTenants', nextKey, s)
  nextAs('idKey tenantKey revision due work mayBeEarly hasRemains', nextArg, s)
  s.gained, s.lost = nextOf(nextKey, nextArg()), nextOf(nextKey, nextArg())
  return s
end

local function repair()
  local s = nextSession()
  local text = beginningOf(s.record)
  local header = headerOf(text)
  local revision = header and header.revision or text
  if revision ~= s.revision then return 'stale' end
  local due = placeIn(s.dueSet, s.dueTenants, s.idKey, s.tenantKey, s.due)
  local change = {idKey = s.idKey, places = {due},
    gained = wrongOf(s.gained, s.idKey, header and header.created + 0),
    lost = wrongOf(s.lost, s.idKey)}
  if s.mayBeEarly ~= '' and due.found and due.found <= (tonumber(due.at) or NEVER) then
    due.at = due.found
  end
  local listed, moved, removed = change.gained[1] and 1 or 0, 0, #change.lost
  if s.hasRemains ~= '' and call('EXISTS', s.record, s.journal, s.operations, s.inbox) > 0 then
    removed = removed + 1
  end
  if due.found ~= tonumber(due.at) then
    if revision == '' then removed = removed + 1 else moved = 1 end
  end
  if s.work ~= '-' then
    local work = placeIn(s.workSet, s.workTenants, s.idKey, s.tenantKey, s.work)
    change.places[2] = work
    local isWrong = work.found ~= tonumber(work.at)
    if isWrong and not work.at then removed = removed + 1 elseif isWrong then listed = 1 end
  end
  if listed + moved + removed > 0 then begin() end
  addToIndexes(change, header and header.created)
  removeFromIndexes(change)
  if s.hasRemains ~= '' then call('DEL', s.record, s.journal, s.operations, s.inbox) end
  return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed
end

return makeAll(repair, settleAll)
