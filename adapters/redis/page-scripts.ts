import { MARK_TAIL, readTail } from './journal-text.js';
import { FIXED_LENGTH, field, isFixed } from './record-text.js';
import { script } from './script.js';

/*
 * Scripts that only read: a server runs them while it refuses writes. None of them reads a history. They give text, its
 * fields divided by a space or its lines by a line feed: that costs the client less than a list, and members hold
 * neither.
 */

/** Defines `fixed(key)`: the fields of fixed width of a record, '' where there is none, nil where the key is of a wrong type. */
const readRecord = `
local function fixed(key)
  local length = redis.pcall('STRLEN', key)
  if type(length) ~= 'number' then return nil end
  return length > 0 and redis.call('GETRANGE', key, 0, ${FIXED_LENGTH - 1}) or ''
end`;

/**
 * Finds a page of an index. All bounds are found as ranks, in O(log n), however many sessions lie beyond them. Members
 * that are to be left out, and sessions that are to be on the page though they are not in the index, are few.
 *
 * KEYS  index, and what the keys of records and of journals begin with
 * ARGV  'newest' or 'oldest', the time before the first or '', the time behind the last or '', the time and the member
 *       of the place that the page begins behind or '' and '', offset, limit, how many members to leave out, those, then
 *       the time of creation and the member of each that is to be added
 * Gives the total, 1 if there are more behind the page, then for each session from the oldest on: member, time of
 * creation, bytes of its record, bytes of its journal, the counts in its journal's last mark or '-'. What has a key of
 * a wrong type has no bytes.
 */
export const pageScript = script(`
-- By bytes: how Lua compares texts depends on the server's locale.
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local function comesBefore(a, b)
  if a.time ~= b.time then return a.time < b.time end
  return isBefore(a.member, b.member)
end

local function upTo(time)
  return redis.call('ZCOUNT', KEYS[1], '-inf', time)
end

-- How many come before a place, in rising order, or with it. Those of one millisecond are halved: there may be many.
local function upToPlace(place, orAt)
  local time = string.format('%.0f', place.time)
  local low, high = upTo('(' .. time), upTo(time)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if isBefore(found, place.member) or (orAt and found == place.member) then low = middle + 1 else high = middle end
  end
  return low
end

local after, before = tonumber(ARGV[2]), tonumber(ARGV[3])
local function isWithin(time)
  return (not after or time > after) and (not before or time < before)
end

-- Corrections: what is in the index and does not count, and what counts and is not in the index.
local without, isWithout, added = {}, {}, {}
local names = tonumber(ARGV[8])
for at = 9, 8 + names do
  local time = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[at]) or '')
  if time and isWithin(time) then
    without[#without + 1] = {time = time, member = ARGV[at]}
    isWithout[ARGV[at]] = true
  end
end
for at = 9 + names, #ARGV, 2 do
  local time = tonumber(ARGV[at])
  if isWithin(time) and not redis.call('ZSCORE', KEYS[1], ARGV[at + 1]) then
    added[#added + 1] = {time = time, member = ARGV[at + 1]}
  end
end
table.sort(added, comesBefore)

local low = after and upTo(ARGV[2]) or 0
local high = math.max(low, before and upTo('(' .. ARGV[3]) or redis.call('ZCARD', KEYS[1]))
local total = high - low - #without + #added

local function countBefore(list, place, orAt)
  local count = 0
  for _, item in ipairs(list) do
    if comesBefore(item, place) or (orAt and item.time == place.time and item.member == place.member) then count = count + 1 end
  end
  return count
end

-- The page as ranks among those that count, in rising order.
local first, last = 0, total
if ARGV[4] ~= '' then
  local place = {time = tonumber(ARGV[4]), member = ARGV[5]}
  local orAt = ARGV[1] == 'oldest'
  local rank = upToPlace(place, orAt) - low - countBefore(without, place, orAt) + countBefore(added, place, orAt)
  if orAt then first = math.max(0, rank) else last = math.min(total, rank) end
end
local offset, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
if ARGV[1] == 'oldest' then
  first = first + offset
  last = math.min(last, first + limit)
else
  last = last - offset
  first = math.max(first, last - limit)
end
if first >= last then return total .. ' 0' end

-- A rank differs from that in the index by no more than there are corrections.
local from = math.max(low, math.min(low + first - #added, high - 1))
local till = math.min(high, low + last + #without)
local items, start = {}, nil
if from < till then
  local found = redis.call('ZRANGE', KEYS[1], from, till - 1, 'WITHSCORES')
  if from > low then start = {time = tonumber(found[2]), member = found[1]} end
  for at = 1, #found, 2 do
    if not isWithout[found[at]] then items[#items + 1] = {member = found[at], time = tonumber(found[at + 1])} end
  end
end
local rank = from - low
if start then rank = rank - countBefore(without, start, false) + countBefore(added, start, false) end
for _, item in ipairs(added) do
  if not start or comesBefore(start, item) then items[#items + 1] = item end
end
if #added > 0 then table.sort(items, comesBefore) end

local reply = {total, (ARGV[1] == 'oldest' and last < total or ARGV[1] ~= 'oldest' and first > 0) and 1 or 0}
for at = first - rank + 1, math.min(#items, last - rank) do
  local item = items[at]
  local record = redis.pcall('STRLEN', KEYS[2] .. item.member)
  local journal = redis.pcall('STRLEN', KEYS[3] .. item.member)
  if type(record) ~= 'number' then record = 0 end
  if type(journal) ~= 'number' then journal = 0 end
  local mark = journal > 0 and redis.call('GETRANGE', KEYS[3] .. item.member, -${MARK_TAIL}, -1) or ''
  mark = string.match(mark, '^(:%x+:%x+:%x+)",\\n$') or '-'
  reply[#reply + 1] = string.format('%s %.0f %.0f %.0f %s', item.member, item.time, record, journal, mark)
end
return table.concat(reply, ' ')
`);

/**
 * Which sessions of a tenant the clock has ended, though nobody has written it down.
 *
 * KEYS  deadlines, and what the keys of records begin with
 * ARGV  now, how many entries of deadlines to pass over, how many to look at
 * Gives how many were looked at, then for each such session its member, the letter of its status and its time of creation.
 */
export const endedScript = script(`${readRecord}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[2], ARGV[3])
local reply = {#found}
for _, member in ipairs(found) do
  local head = fixed(KEYS[2] .. member)
  if head and ${isFixed('head')} then
    local status = ${field('head', 'status')}
    local deadline = tonumber(${field('head', 'deadline')})
    if (status == 'I' or status == 'A' or status == 'P') and deadline and deadline <= tonumber(ARGV[1]) then
      reply[#reply + 1] = string.format('%s %s %.0f', member, status, tonumber(${field('head', 'created')}) or 0)
    end
  end
end
return table.concat(reply, ' ')
`);

/**
 * What a tenant's deadlines say, beside what the records themselves say.
 *
 * KEYS  deadlines, and what the keys of records begin with
 * ARGV  now, how many entries to pass over, how many to give
 * Gives for each entry that has passed, the earliest first, two lines: its member, and the fields of fixed width of its
 * record, '' where there is none, or 'corrupt'.
 */
export const dueScript = script(`${readRecord}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[2], ARGV[3])
local reply = {}
for _, member in ipairs(found) do
  local head = fixed(KEYS[2] .. member)
  if not head or string.find(head, '\\n', 1, true) then head = 'corrupt' end
  reply[#reply + 1] = member
  reply[#reply + 1] = head
end
return table.concat(reply, '\\n')
`);

/**
 * How large one session is.
 *
 * KEYS  record, journal
 * Gives {bytes of its record, bytes of its journal, the counts in its journal's last mark}.
 */
export const sizeScript = script(`
return {redis.call('STRLEN', KEYS[1]), redis.call('STRLEN', KEYS[2]), ${readTail('KEYS[2]', MARK_TAIL)}}
`);
