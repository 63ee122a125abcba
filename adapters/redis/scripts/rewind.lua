-- Rewinds of histories. Follows record.lua.

local MAX_RANGES = 1000

local function linesIn(journal, from, upto)
  local count = 0
  for at = from, upto - 1, 65536 do
    local text = call('GETRANGE', journal, at .. '', math.min(at + 65536, upto) - 1 .. '')
    local found = string.find(text, '\n', 1, true)
    while found do
      count = count + 1
      found = string.find(text, '\n', found + 1, true)
    end
  end
  return count
end

-- Removes everything after a position from a history. Returns its remaining ranges and their number
-- of entries, or nil and the outcome. `line` also contains the ranges of before the last rewind, in
-- case a torn log puts an append back to then: the beginning of the last range (`tail`), then for
-- each other range its beginning, its end and the entries up to its end. `room` is the maximum
-- number of remaining entries. Counts lines last, because there may be many.
local function rewound(journal, line, header, after, room)
  local before = after - 1 .. ''
  local isEnd = after <= header.bytes
    and (after == 0 or call('GETRANGE', journal, before, before) == '\n')
  if not isEnd then return nil, 'no position' end
  local present = rangesOf(line, header.tail)
  if not present then return nil, 'corrupt' end
  local kept, entries, count = {}, 0, 0
  local function keep(from, upto, upToEntries)
    count, entries = count + 1, upToEntries
    kept[count] = ' ' .. from .. '-' .. upto .. '-' .. entries
  end
  local first, last, lastEntries
  local function take(from, upto, upToEntries)
    if first or after < from and after > 0 then return end
    if after > upto then return keep(from, upto, upToEntries) end
    first, last, lastEntries = from, upto, upToEntries
  end
  for from, upto, upToEntries in string.gmatch(present, ' (%d+)%-(%d+)%-(%d+)') do
    take(tonumber(from), tonumber(upto), tonumber(upToEntries))
  end
  take(header.tail, header.bytes, header.entries)
  if not first then return nil, 'no superseded ' .. format('%d', header.bytes) end
  if entries > room then return nil, 'no entries' end
  if after > first then
    if count >= MAX_RANGES then return nil, 'no rewinds ' .. MAX_RANGES end
    if after - first < last - after then
      keep(first, after, entries + linesIn(journal, first, after))
    else
      keep(first, after, lastEntries - linesIn(journal, after, last))
    end
  end
  local earlier = header.tail > 0 and ';' .. format('%d:', header.tail) .. present or ''
  return table.concat(kept) .. earlier, entries
end
