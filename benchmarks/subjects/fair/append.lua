-- An append that keeps the engine's promises, as an expert writes it who needs only this call.
-- Numbers are passed to commands as text, because the server converts numbers slowly.
--
-- KEYS  1 counters of the session, 2 its journal, 3 note of this request, 4 stream of events, then,
--       if the append has a name, 5 operations of the session
-- ARGV  1 until when the request is accepted, by the clock of the server, 2 now, 3 lines, 4 their
--       number, 5 most entries of a session, 6 event as JSON up to the position, then, if the
--       append has a name, 7 that name, 8 digest of the request
local call, format = redis.call, string.format
local earlier = call('GET', KEYS[3])
if earlier then return earlier end
local time = call('TIME')
if time[1] * 1000 + time[2] / 1000 >= ARGV[1] + 0 then return 'late' end
local found = call('HMGET', KEYS[1], 'status', 'deadline', 'entries', 'sequence')
if not found[1] then return 'missing' end
local known = KEYS[5] and call('HGET', KEYS[5], ARGV[7])
if known then
  local digest, position = string.match(known, '^(%S+) (%d+)$')
  return digest == ARGV[8] and 'repeated ' .. position or 'mismatch'
end
if found[1] ~= 'ACTIVE' or ARGV[2] + 0 >= found[2] + 0 then return 'closed' end
local entries = found[3] + ARGV[4]
if entries > ARGV[5] + 0 then return 'full' end
local position = format('%d', call('APPEND', KEYS[2], ARGV[3]))
local sequence = format('%d', found[4] + 1)
call('HSET', KEYS[1], 'entries', format('%d', entries), 'sequence', sequence, 'activity', ARGV[2])
if KEYS[5] then call('HSET', KEYS[5], ARGV[7], ARGV[8] .. ' ' .. position) end
call('XADD', KEYS[4], 'MAXLEN', '~', '10000', '*', 'e',
  ARGV[6] .. position .. ',"sequence":' .. sequence .. '}')
local outcome = 'appended ' .. position
call('SET', KEYS[3], outcome, 'PX', '20000')
return outcome
