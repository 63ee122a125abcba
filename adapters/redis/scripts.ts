// Written by `npm run lua` from the files in scripts/, which have the comments.
import { script } from './connection.js';

export const linesScript = script(String.raw`
local record, journal = KEYS[1], KEYS[2]
local call = redis.call
local text = call('GET', record)
if not text then
local first = call('EXISTS', journal) == 1 and string.sub(call('GET', journal), 1, 1) or '?'
return first == '?' and 'missing' or 'corrupt'
end
local bytes = string.match(text, '^1 %d+ [%w_-]+ %d+ %d+ %d+ %d+ (%d+) %d+ %d+ [IAPT] ')
if not bytes or call('STRLEN', journal) < bytes + 0 then return 'corrupt' end
local reply = {string.match(text, '^[^\n]*')}
for _, position in ipairs(ARGV) do
local finish = tonumber(position)
if finish > bytes + 0 or call('GETRANGE', journal, finish - 1 .. '', finish - 1 .. '') ~= '\n' then
return 'invalid_position'
end
local size, from, line = 1024, nil, nil
repeat
from = math.max(0, finish - size)
line = call('GETRANGE', journal, from .. '', finish - 1 .. '')
local start = string.match(string.sub(line, 1, -2), '^.*\n()')
size = size * 4
if start then
from, line = from + start - 1, string.sub(line, start)
break
end
until from == 0
reply[#reply + 1] = from
reply[#reply + 1] = line
end
return {unpack(reply)}
`);

export const pageScript = script(String.raw`
local index, records, all, due = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local order, offset, limit, parts = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local after, before = tonumber(ARGV[5] or ''), tonumber(ARGV[6] or '')
local afterText, beforeText, positionTime, positionMember = ARGV[5], ARGV[6], ARGV[7] or '', ARGV[8]
local status, now = ARGV[9] or '', ARGV[10]
local call, try, match = redis.call, redis.pcall, string.match
local MAX_ENDED = 10000
local HEADER = '^1 %d+ [%w_-]+ (%d+) (%d+) [%d ]+([IAPT]) %d+ %d+ (%d+) (%d+) %d+ %d+\n'
local function hiddenIn(text, tail)
if tail == 0 then return 0 end
return tonumber(match(text, '\n[%d ;-]*' .. string.format('%d', tail) .. ' (%d+)')) or 0
end
local function replyWith(total, edge, members)
local reply, left = {total, edge}, tonumber(parts) or 0
for _, member in ipairs(members) do
reply[#reply + 1] = member
if parts ~= 'ids' then
local key = records .. member
local bytes = try('STRLEN', key)
local size, history, record = '-', '-', ''
if bytes == 0 then
size, history = '', ''
elseif type(bytes) == 'number' then
local isWhole = bytes <= left
local text = call('GETRANGE', key, '0', isWhole and '-1' or '255')
local found, tail = match(text, '^1 %d+ [%w_-]+ %d+ %d+ %d+ %d+ (%d+) (%d+) ')
if found then size, history = bytes, string.format('%d', found - hiddenIn(text, tonumber(tail))) end
if isWhole and found then left, record = left - bytes, text end
end
local at = #reply
reply[at + 1], reply[at + 2], reply[at + 3] = size, history, record
end
end
return {unpack(reply)}
end
if order == 'known' then return replyWith(ARGV[2], ARGV[3], {unpack(ARGV, 5)}) end
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
return call('ZCOUNT', index, '-inf', time)
end
local function rankOf(position)
local low, high = upTo('(' .. position.text), upTo(position.text)
while low < high do
local middle = math.floor((low + high) / 2)
local found = call('ZRANGE', index, middle, middle)[1]
if isBefore(found, position.member) then low = middle + 1 else high = middle end
end
return low
end
local function countBefore(list, position)
local count = 0
for _, item in ipairs(list) do
if comesBefore(item, position) then count = count + 1 end
end
return count
end
local without, isWithout, added = {}, {}, {}
local function correct(member)
local text = try('GETRANGE', records .. member, '0', '255')
local created, used, letter, deadline, inactivity = match(type(text) == 'string' and text or '', HEADER)
if not created or letter == 'T' then return end
local ends = tonumber(deadline)
if letter == 'A' then ends = math.min(ends, used + inactivity) end
if ends > now + 0 then return end
local item = {time = tonumber(created), member = member}
if after and item.time <= after or before and item.time >= before then return end
if status == 'T' then
added[#added + 1] = item
elseif letter == status then
without[#without + 1] = item
isWithout[member] = true
end
end
if status ~= '' then
local ended = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', '0', MAX_ENDED + 1 .. '')
if #ended > MAX_ENDED then return 'ended' end
for _, member in ipairs(ended) do correct(member) end
end
local low = after and upTo(afterText) or 0
local high = math.max(low, before and upTo('(' .. beforeText) or call('ZCARD', index))
local total = high - low - #without + #added
local first, last = 0, total
local isRising = order == 'oldest'
if positionTime ~= '' then
local member = positionMember .. (isRising and ' ' or '')
local position = {time = tonumber(positionTime), text = positionTime, member = member}
local rank = rankOf(position) - low - countBefore(without, position) + countBefore(added, position)
if isRising then first = math.max(0, rank) else last = math.min(total, rank) end
end
local hasMore
if isRising then
first = first + offset
hasMore = last > first + limit
last = math.min(last, first + limit)
else
last = last - offset
hasMore = last - limit > first
first = math.max(first, last - limit)
end
if first >= last then return {total, ''} end
local members = {}
if #without + #added == 0 then
members = call('ZRANGE', index, low + first .. '', low + last - 1 .. '')
else
local from = math.max(low, low + first - #added)
local found = call('ZRANGE', index, from, math.min(high, low + last + #without) - 1, 'WITHSCORES')
local rank = from - low
local items, start = {}, nil
if from > low then
start = {time = tonumber(found[2]), member = found[1]}
rank = rank - countBefore(without, start) + countBefore(added, start)
end
for at = 1, from < high and #found or 0, 2 do
if not isWithout[found[at]] then items[#items + 1] = {time = tonumber(found[at + 1]), member = found[at]} end
end
for _, item in ipairs(added) do
if not start or not comesBefore(item, start) then items[#items + 1] = item end
end
table.sort(items, comesBefore)
for at = first - rank + 1, math.min(#items, last - rank) do members[#members + 1] = items[at].member end
end
local edge = ''
if hasMore then
edge = members[isRising and #members or 1]
edge = call('ZSCORE', all, edge) or call('ZSCORE', index, edge)
end
return replyWith(total, edge, members)
`);

export const readScript = script(String.raw`
local record, journal = KEYS[1], KEYS[2]
local from, upto, size = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local entries = tonumber(ARGV[4] or '')
local least, most, maximum = tonumber(ARGV[5] or ''), tonumber(ARGV[6] or ''), tonumber(ARGV[7] or '')
local call, match = redis.call, string.match
local HEADER = '^1 %d+ [%w_-]+ %d+ %d+ %d+ (%d+) (%d+) (%d+) %d+ [IAPT] [%d ]+\n([%d ;-]*)\n'
local text = entries and redis.pcall('GETRANGE', record, '0', '255')
if type(text) ~= 'string' or not match(text, HEADER) then text = call('GET', record) end
if not text then
local first = call('EXISTS', journal) == 1 and string.sub(call('GET', journal), 1, 1) or '?'
return first == '?' and 'missing' or 'corrupt'
end
local count, bytes, tail, ranges = match(text, HEADER)
if not bytes or call('STRLEN', journal) < bytes + 0 then return 'corrupt' end
bytes = tonumber(bytes)
local given = from or upto
if given then
if given > bytes then return 'invalid_position' end
if given > 0 and call('GETRANGE', journal, given - 1 .. '', given - 1 .. '') ~= '\n' then
return 'invalid_position'
end
end
tail = tonumber(tail)
local hidden, others = 0, ''
if tail > 0 then
hidden, others = match(';' .. ranges, string.format(';%d (%%d+)([^;]*)', tail))
if not hidden or tail > bytes then return 'corrupt' end
end
local shown = bytes - tonumber(hidden)
local whole = #text + math.min(shown, size or shown)
if maximum and whole > maximum then return {'too_large', whole} end
if not size then
local wanted = count + 0 > 0 and math.ceil(1.25 * shown / count * entries) or 0
size = math.max(least, math.min(most, wanted))
end
local pieces, part = {}, {}
for first, last in string.gmatch(others, ' (%d+)%-(%d+)') do
pieces[#pieces + 1] = {tonumber(first), tonumber(last)}
end
pieces[#pieces + 1] = {tail, bytes}
if from then
for at = 1, #pieces do
local first, last = math.max(pieces[at][1], from), pieces[at][2]
if first < last and size > 0 then
last = math.min(last, first + size)
size = size - (last - first)
part[#part + 1] = {first, last}
end
end
else
local rising = {}
for at = #pieces, 1, -1 do
local first, last = pieces[at][1], math.min(pieces[at][2], upto or bytes)
if first < last and size > 0 then
first = math.max(first, last - size)
size = size - (last - first)
rising[#rising + 1] = {first, last}
end
end
for at = #rising, 1, -1 do part[#part + 1] = rising[at] end
end
local texts, sum = {}, 0
for at, piece in ipairs(part) do
texts[at] = call('GETRANGE', journal, piece[1] .. '', piece[2] - 1 .. '')
sum = sum + piece[2] - piece[1]
end
local read = table.concat(texts)
local reply = {entries and match(text, '^[^\n]*\n[^\n]*') or text, read, #read == sum and 1 or 0}
for _, piece in ipairs(part) do
reply[#reply + 1] = piece[1]
reply[#reply + 1] = piece[2]
end
if #reply < 1000 then return {unpack(reply)} end
return reply
`);

export const searchScript = script(String.raw`
local records, lists = KEYS[1], {unpack(KEYS, 2)}
local order, after, before, status = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local statusAt, updatedAt, most = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local chosen, lastTime, lastMember = tonumber(ARGV[8] or ''), ARGV[9], ARGV[10]
local call, try, match, number = redis.call, redis.pcall, string.match, tonumber
local PART = 300
local HEADER = '^1 %d+ [%w_-]+ %d+ (%d+) [%d ]+([IAPT]) %d+ %d+ (%d+) (%d+) %d+ %d+\n'
local function isBefore(a, b)
for at = 1, math.min(#a, #b) do
local x, y = string.byte(a, at), string.byte(b, at)
if x ~= y then return x < y end
end
return #a < #b
end
local low, high = after == '' and '-inf' or '(' .. after, before == '' and '+inf' or '(' .. before
if not chosen then
local least
for at, list in ipairs(lists) do
local found = call('ZCOUNT', list, low, high)
if not least or found < least then chosen, least = at, found end
end
if least > most then return {'many', chosen} end
end
local list = table.remove(lists, chosen)
local first = after == '' and 0 or call('ZCOUNT', list, '-inf', after)
local beyond = call('ZCOUNT', list, '-inf', high)
if lastTime then
local last = call('ZCOUNT', list, '-inf', lastTime)
first = call('ZCOUNT', list, '-inf', '(' .. lastTime)
while first < last do
local middle = math.floor((first + last) / 2)
local member = call('ZRANGE', list, middle .. '', middle .. '')[1]
if isBefore(lastMember, member) then last = middle else first = middle + 1 end
end
end
local function timeOf(member, created)
local text = try('GETRANGE', records .. member, '0', '255')
if text == '' then return nil end
if type(text) ~= 'string' then return created end
local used, letter, deadline, inactivity = match(text, HEADER)
if not used then return created end
used = number(used)
if letter ~= 'T' then
local ends = number(deadline)
if letter == 'A' then ends = math.min(ends, used + inactivity) end
if ends <= statusAt then letter = 'T' end
if ends <= updatedAt and ends > used then used = ends end
end
if status ~= '' and letter ~= status then return nil end
return order == 'updated' and used or created
end
local upto = math.min(first + PART, beyond)
local found = {}
if first < upto then found = call('ZRANGE', list, first .. '', upto - 1 .. '', 'WITHSCORES') end
local reply = {chosen, '', ''}
if upto < beyond then reply[2], reply[3] = found[#found], found[#found - 1] end
local isInRecord = order == 'updated' or status ~= ''
for at = 1, #found, 2 do
local member, time = found[at], number(found[at + 1])
for _, other in ipairs(lists) do
if time and not call('ZSCORE', other, member) then time = nil end
end
if time and isInRecord then time = timeOf(member, time) end
if time then reply[#reply + 1], reply[#reply + 2] = member, string.format('%.0f', time) end
end
return {unpack(reply)}
`);

export const unleasedScript = script(`
local list, now, most, since, after = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local function isBefore(a, b)
for at = 1, math.min(#a, #b) do
local x, y = string.byte(a, at), string.byte(b, at)
if x ~= y then return x < y end
end
return #a < #b
end
local first, count = 0, redis.call('ZCOUNT', list, '-inf', now)
if since then
local last = redis.call('ZCOUNT', list, '-inf', since)
first = redis.call('ZCOUNT', list, '-inf', '(' .. since)
while first < last do
local middle = math.floor((first + last) / 2)
local member = redis.call('ZRANGE', list, middle .. '', middle .. '')[1]
if isBefore(after, member) then last = middle else first = middle + 1 end
end
end
if first >= count then return {} end
return redis.call('ZRANGE', list, first .. '', math.min(first + most, count) - 1 .. '', 'WITHSCORES')
`);

export const writeScript = script(String.raw`
local note, stream = KEYS[1], KEYS[2]
local till, forget, kept = ARGV[1], ARGV[2], ARGV[3]
local call, try, match, sub, format = redis.call, redis.pcall, string.match, string.sub, string.format
local known = call('GET', note)
if known then return known == '' and 'unknown' or known end
local time = call('TIME')
local clock = time[1] * 1000 + time[2] / 1000
if clock >= till + 0 or till - clock > forget - till then return 'late ' .. format('%.0f', clock) end
local HEADER = '^1 (%d+) ([%w_-]+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ()'
.. '([IAPT]) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)\n'
local HEADER_BYTES, CREATED, ACTIVITY, SEQUENCE, BYTES, TAIL, STATE = 256, 32, 48, 65, 87, 100, 122
local NEVER = 9007199254740991
local LINES = '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$'
local MAX_RANGES, MAX_ENDED, SURPLUS = 1000, 10000, 100
local function headerOf(text)
local revision, incarnation, created, activity, sequence, entries, bytes, tail, redactions, at, status, open,
grace, deadline, inactivity, fence, leased = match(text, HEADER)
if at ~= STATE + 1 then return nil end
return {
revision = revision, incarnation = incarnation, created = created, activity = activity,
sequence = tonumber(sequence), entries = tonumber(entries), bytes = tonumber(bytes),
tail = tonumber(tail), redactions = tonumber(redactions), status = status, open = tonumber(open), grace = tonumber(grace),
deadline = tonumber(deadline), inactivity = tonumber(inactivity), fence = fence,
leased = tonumber(leased),
}
end
local function endOf(header)
if header.status ~= 'A' then return header.deadline end
return math.min(header.deadline, header.activity + header.inactivity)
end
local function beginningOf(record)
local text = try('GETRANGE', record, '0', HEADER_BYTES - 1 .. '')
return type(text) == 'string' and text or call('GET', record) or ''
end
local function versionOf(record)
local header = headerOf(beginningOf(record))
return header and header.incarnation .. '.' .. header.redactions .. '.' .. header.tail
end
local hasBegun, isRefused = false, false
local function begin()
if hasBegun then return end
isRefused = true
call('SET', note, '', 'PXAT', forget)
hasBegun, isRefused = true, false
end
local function log(text)
if call('XLEN', stream) < kept + SURPLUS then
call('XADD', stream, '*', 'e', text)
else
call('XADD', stream, 'MAXLEN', kept, '*', 'e', text)
end
end
local function checkDue(due, owners, owner)
call('ZRANGE', due, '0', '0')
call('ZSCORE', owners, owner)
end
local function sooner(due, owners, owner, member, at)
local found = tonumber(call('ZSCORE', due, member) or '')
if at == '' or found and found <= at + 0 then return end
call('ZADD', due, at, member)
local first = tonumber(call('ZSCORE', owners, owner) or '')
if not first or at + 0 < first then call('ZADD', owners, at, owner) end
end
local function later(due, owners, owner, member, at)
local found = try('ZSCORE', due, member)
if at == '' then
if found then try('ZREM', due, member) end
elseif found and at + 0 > tonumber(found) then
try('ZADD', due, at, member)
end
local first = try('ZRANGE', due, '0', '0', 'WITHSCORES')
if not first[1] then
try('ZREM', owners, owner)
elseif first[2] ~= try('ZSCORE', owners, owner) then
try('ZADD', owners, first[2], owner)
end
end
local function overCap(most, now, active, paused, due, records)
local count = call('ZCARD', active) + call('ZCARD', paused)
if count < most + 0 then return nil end
local ended = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', '0', MAX_ENDED + 1 .. '')
for _, member in ipairs(ended) do
local text = try('GETRANGE', records .. member, '0', HEADER_BYTES - 1 .. '')
local header = type(text) == 'string' and headerOf(text)
if header and (header.status == 'A' or header.status == 'P') and endOf(header) <= now + 0 then
count = count - 1
end
end
if count < most + 0 then return nil end
return #ended > MAX_ENDED and 'ended' or 'too_many'
end
local kinds = {}
function kinds.create(keys, args)
local record, journal, due, owners, source, active, paused = unpack(keys, 1, 7)
local member, owner, at, text, lines, version, cap, now, created, started, appended = unpack(args, 1, 11)
if call('EXISTS', record) == 1 then return 'taken' end
if call('EXISTS', journal) == 1 and sub(call('GET', journal), 1, 1) ~= '?' then return 'taken' end
if version ~= '' and version ~= versionOf(source) then return 'source_changed' end
local over = cap ~= '' and overCap(cap, now, active, paused, due, sub(record, 1, -1 - #member))
if over then return over end
for place = 8, #keys do call('ZCARD', keys[place]) end
if at ~= '' then checkDue(due, owners, owner) end
begin()
if lines ~= '' then
call('SET', journal, '?' .. sub(lines, 2))
text = sub(text, 1, BYTES) .. format('%012d', call('STRLEN', journal)) .. sub(text, BYTES + 13)
end
if created ~= '' then
call('ZADD', keys[8], 'XX', '0', '')
log(created)
if started ~= '' then log(started) end
if appended ~= '' then log(appended .. match(text, '0*(%d+)', BYTES + 1)) end
end
for place = 8, #keys do call('ZADD', keys[place], args[place + 4], member) end
if at ~= '' then sooner(due, owners, owner, member, at) end
call('SET', record, text)
if lines ~= '' then try('SETRANGE', journal, '0', '{') end
return 'inserted'
end
function kinds.replace(keys, args)
local record, due, owners, active, paused = unpack(keys, 1, 5)
local member, owner, expected, revision, activity, fields, labels, state, at, isDue, type, rest, cap, now,
added = unpack(args, 1, 15)
local text = call('GET', record)
if not text then return 'missing' end
local header = headerOf(text)
if not header then return 'corrupt' end
if header.revision ~= expected then return 'stale' end
local ranges, _, _, head = match(text, LINES)
if not head then return 'corrupt' end
local over = cap ~= '' and overCap(cap, now, active, paused, due, sub(record, 1, -1 - #member))
if over then return over end
local firstLost = 6 + added
for place = 6, #keys do call('ZCARD', keys[place]) end
if isDue ~= '' then checkDue(due, owners, owner) end
begin()
if keys[firstLost] then call('ZREM', keys[firstLost], '') end
local sequence = header.sequence + (type == '' and 0 or 1)
if type ~= '' and rest ~= '' then
if added ~= '0' then call('ZADD', keys[6], 'XX', '0', '') end
log('1 ' .. type .. ' ' .. header.incarnation .. ' ' .. sequence .. rest)
end
for place = 6, firstLost - 1 do
local score = args[place + 10]
call('ZADD', keys[place], score == '' and header.created or score, member)
end
if isDue ~= '' then sooner(due, owners, owner, member, at) end
if activity + 0 < header.activity + 0 then activity = header.activity end
call('SET', record, '1 ' .. revision .. sub(text, CREATED - 13, ACTIVITY) .. activity .. ' '
.. format('%010d', sequence) .. sub(text, SEQUENCE + 11, STATE) .. fields .. '\n'
.. ranges .. '\n' .. labels .. '\n' .. state .. '\n' .. head)
for place = firstLost, #keys do try('ZREM', keys[place], member) end
if isDue ~= '' then later(due, owners, owner, member, at) end
return 'replaced'
end
function kinds.remove(keys, args)
local record, journal, names, due, owners, left = unpack(keys, 1, 6)
local member, owner, expected, now, path, prefix, leftMember, leftAt, leftText = unpack(args, 1, 9)
local text = try('GET', record)
if not text and call('EXISTS', journal, names) == 0 then return 'missing' end
local header = type(text) == 'string' and headerOf(text)
if expected ~= '' and not (header and header.revision == expected) then return 'stale' end
local lists = {unpack(keys, 7)}
local _, labels = match(header and text or '', LINES)
for label in string.gmatch(labels or '', '%S+') do lists[#lists + 1] = prefix .. label end
for _, list in ipairs(lists) do call('ZCARD', list) end
checkDue(due, owners, owner)
if not hasBegun then call('DEL', note) end
begin()
for _, list in ipairs(lists) do call('ZREM', list, '') end
if header and path ~= '' then
log('1 deleted ' .. header.incarnation .. ' ' .. header.sequence + 1 .. ' ' .. now .. ' ' .. path .. ' -')
end
if leftMember ~= '' then
call('SET', left, leftText)
if leftAt ~= '' then sooner(due, owners, owner, leftMember, leftAt) end
end
call('DEL', record, journal, names)
for _, list in ipairs(lists) do try('ZREM', list, member) end
later(due, owners, owner, member, '')
return 'removed'
end
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
local function isLineEnd(journal, at)
return at == 0 or call('GETRANGE', journal, at - 1 .. '', at - 1 .. '') == '\n'
end
local function rewound(journal, line, header, after, skipped)
if after > header.bytes or not isLineEnd(journal, after) then return 'invalid_position' end
local present = header.tail > 0 and match(';' .. line, ';(' .. header.tail .. ' [^;]*)') or ''
if header.tail > 0 and present == '' then return 'corrupt' end
local kept, shown, entries, count = {}, 0, 0, 0
local function take(from, upto, upToEntries)
if after < from and after > 0 then return 'moved ' .. header.bytes end
if after <= upto then
if after > from then
local isNear = after - from < upto - after
local least = isNear and entries + linesIn(journal, from, after)
entries = least or upToEntries - linesIn(journal, after, upto)
count, shown = count + 1, shown + after - from
kept[count] = ' ' .. from .. '-' .. after .. '-' .. entries
end
return 'done'
end
count, shown, entries = count + 1, shown + upto - from, upToEntries
kept[count] = ' ' .. from .. '-' .. upto .. '-' .. entries
end
local outcome
for from, upto, upToEntries in string.gmatch(present, ' (%d+)%-(%d+)%-(%d+)') do
outcome = outcome or take(tonumber(from), tonumber(upto), tonumber(upToEntries))
end
outcome = outcome or take(header.tail, header.bytes, header.entries)
if outcome ~= 'done' then return outcome end
local start = header.bytes + skipped
local next = format('%d %d', start, start - shown) .. table.concat(kept)
return entries, next .. ';' .. present, count, start
end
function kinds.append(keys, args)
local record, journal, names = unpack(keys, 1, 3)
local now, lines, count, most, path, position, fence, name, digest, after = unpack(args, 1, 10)
local text = beginningOf(record)
if text == '' then
local first = call('EXISTS', journal) == 1 and sub(call('GET', journal), 1, 1) or '?'
return first == '?' and 'missing' or 'corrupt'
end
local header = headerOf(text)
if not header or call('STRLEN', journal) < header.bytes then return 'corrupt' end
local sumOf = redis.sha1hex or function(lines) return lines end
if name ~= '' then
local earlier, from, upto, sum = match(call('HGET', names, name) or '', '^(%S+) (%d+) (%d+) (.*)$')
local found = earlier and upto + 0 <= header.bytes and call('GETRANGE', journal, from, tonumber(upto) - 1 .. '')
if found and (sumOf(found) == sum or string.find('\n' .. found, '\n{"content"', 1, true)) then
return earlier == digest and 'repeated ' .. upto or 'mismatch'
end
end
local at, status = now + 0, header.status
local isClosed = at >= header.open
if status == 'A' then
isClosed = isClosed or at >= header.activity + header.inactivity + header.grace
elseif status == 'I' then
isClosed = isClosed or at < header.deadline
end
if isClosed then return 'closed ' .. string.gsub(match(call('GET', record), '^(.*)\n[^\n]*$'), '\n', '\t') end
if fence ~= '' and (header.fence + 0 ~= fence + 0 or at >= header.leased) then return 'lease_lost' end
if position ~= '' and position + 0 ~= header.bytes then return 'moved ' .. header.bytes end
local entries, tail, ranges, rest = header.entries, header.tail, nil, nil
if after ~= '' then
text = call('GET', record)
local line, others = match(text, '^[^\n]*\n([^\n]*)(.*)$')
local isLast = tonumber(after) == header.bytes and (header.tail == 0 or header.tail ~= header.bytes)
if not isLast or count == '0' then
local filler = name == '' and '\n' or sub(note, -12) .. '\n'
local kept, nextRanges, number, start = rewound(journal, line, header, tonumber(after), #filler)
if not nextRanges then return kept end
if number > MAX_RANGES then return 'full' end
entries, ranges, rest, tail = kept, nextRanges, others, start
lines = filler .. lines
end
end
entries = entries + tonumber(count)
if entries > most + 0 then return 'full' end
begin()
local written = call('SETRANGE', journal, header.bytes .. '', lines)
local finish = format('%d', math.min(written, header.bytes + #lines))
if name ~= '' then
call('HSET', names, name, digest .. ' ' .. header.bytes .. ' ' .. finish .. ' ' .. sumOf(lines))
end
local sequence = header.sequence + 1
if path ~= '' then
local detail = after == '' and finish or finish .. '_' .. after
log('1 appended ' .. header.incarnation .. ' ' .. sequence .. ' ' .. now .. ' ' .. path .. ' ' .. detail)
end
local activity, isUsed = header.activity, status ~= 'T' and at < endOf(header)
if isUsed and at > activity + 0 then activity = string.rep('0', #activity - #now) .. now end
local counts = activity .. ' ' .. format('%010d %010d %012d %012d', sequence, entries, finish, tail)
if ranges then
local fields = sub(match(text, '^[^\n]*\n'), TAIL + 13)
call('SET', record, sub(text, 1, ACTIVITY) .. counts .. fields .. ranges .. rest)
else
call('SETRANGE', record, ACTIVITY .. '', counts)
end
return 'appended ' .. finish
end
function kinds.redact(keys, args)
local record, journal = keys[1], keys[2]
local incarnation, now, path, positions = unpack(args, 1, 4)
local text = beginningOf(record)
if text == '' then return 'missing' end
local header = headerOf(text)
if not header then return 'corrupt' end
if header.incarnation ~= incarnation then return 'missing' end
local sequence = header.sequence + 1
begin()
call('SETRANGE', journal, '0', '')
if path ~= '' then
log('1 redacted ' .. incarnation .. ' ' .. sequence .. ' ' .. now .. ' ' .. path .. ' ' .. positions)
end
for place = 5, #args, 2 do call('SETRANGE', journal, args[place], args[place + 1]) end
call('SETRANGE', record, SEQUENCE .. '',
format('%010d %010d %012d %012d ', sequence, header.entries, header.bytes, header.tail)
.. format('%08d', header.redactions + 1))
return 'redacted'
end
function kinds.reschedule(keys, args)
local due, owners, record = unpack(keys, 1, 3)
local member, owner, from, to = unpack(args, 1, 4)
local found, at = tonumber(call('ZSCORE', due, member) or ''), to + 0
if found ~= tonumber(from) then return 'stale' end
if record then
local text = beginningOf(record)
local header = headerOf(text)
if text ~= '' and not header then return 'stale' end
if header and header.status ~= 'T' then at = math.min(at, endOf(header)) end
end
if at == found then return 'stale' end
checkDue(due, owners, owner)
begin()
local text = at >= NEVER and '' or format('%.0f', at)
if text == '' then call('ZREM', due, '') end
if at > found then call('ZADD', due, format('%.0f', found), member) end
sooner(due, owners, owner, member, text)
later(due, owners, owner, member, text)
return 'moved'
end
function kinds.repair(keys, args)
local record, due, owners = unpack(keys, 1, 3)
local member, owner, revision, at, mayBeEarly, added = unpack(args, 1, 6)
local text = try('GET', record)
local header = type(text) == 'string' and headerOf(text)
if revision == '' and text or revision ~= '' and (not header or header.revision ~= revision) then return 'stale' end
local listed, moved, removed = 0, 0, 0
for place = 4, #keys do
local score = tonumber(try('ZSCORE', keys[place], member) or '')
local wanted = place < 4 + added and args[place + 3] or nil
if wanted and score ~= wanted + 0 then
begin()
call('ZADD', keys[place], wanted, member)
listed = 1
elseif not wanted and score then
begin()
removed = removed + call('ZREM', keys[place], member)
end
end
if at == '-' then return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed end
local score = tonumber(call('ZSCORE', due, member) or '')
local isEarly = score and mayBeEarly == '1' and score <= (tonumber(at) or NEVER)
if score ~= tonumber(at) and not isEarly then
begin()
sooner(due, owners, owner, member, at)
later(due, owners, owner, member, at)
if revision == '' then removed = 1 else moved = 1 end
elseif score and call('ZRANGE', due, '0', '0', 'WITHSCORES')[2] ~= call('ZSCORE', owners, owner) then
begin()
later(due, owners, owner, member, format('%.0f', score))
end
return 'repaired ' .. listed .. ' ' .. moved .. ' ' .. removed
end
function kinds.purge(keys)
local record, journal, names = unpack(keys, 1, 3)
if call('EXISTS', record) == 1 then return 'stale' end
begin()
return 'repaired 0 0 ' .. (call('DEL', journal, names) > 0 and 1 or 0)
end
local outcomes, at = {}, 4
while at <= #ARGV do
local kind, keys, args = ARGV[at], {}, {}
local count = ARGV[at + 1] + 0
for place = 1, count do keys[place] = KEYS[ARGV[at + 1 + place] + 0] end
at = at + 2 + count
count = ARGV[at] + 0
for place = 1, count do args[place] = ARGV[at + place] end
at = at + 1 + count
local isMade, outcome = pcall(kinds[kind], keys, args)
if not isMade then
local text = type(outcome) == 'table' and outcome.err or outcome
text = string.gsub(text, '^@user_script: ?%d+: ', '')
if isRefused then return {err = text} end
outcome = 'refused ' .. string.gsub(text, '\n', ' ')
end
outcomes[#outcomes + 1] = outcome
end
local reply = table.concat(outcomes, '\n')
if hasBegun then call('SET', note, reply, 'PXAT', forget) end
return reply
`);
