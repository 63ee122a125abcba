-- A create that keeps the engine's promises, as an expert writes it who needs only this call.
--
-- KEYS  1 counters of the session, 2 its record, 3 note of this request, 4 sessions by creation,
--       5 live sessions by their deadline, 6 stream of events
-- ARGV  1 until when the request is accepted, by the clock of the server, 2 now, 3 id, 4 record,
--       5 deadline, 6 event as JSON, then, if a limit applies, 7 most live sessions
local call = redis.call
local earlier = call('GET', KEYS[3])
if earlier then return earlier end
local time = call('TIME')
if time[1] * 1000 + time[2] / 1000 >= ARGV[1] + 0 then return 'late' end
if call('EXISTS', KEYS[2]) == 1 then return 'taken' end
if ARGV[7] and call('ZCOUNT', KEYS[5], '(' .. ARGV[2], '+inf') >= ARGV[7] + 0 then
  return 'too_many'
end
call('SET', KEYS[2], ARGV[4])
call('HSET', KEYS[1], 'status', 'IDLE', 'deadline', ARGV[5], 'entries', '0', 'sequence', '1',
  'activity', ARGV[2])
call('ZADD', KEYS[4], ARGV[2], ARGV[3])
call('ZADD', KEYS[5], ARGV[5], ARGV[3])
call('XADD', KEYS[6], 'MAXLEN', '~', '10000', '*', 'e', ARGV[6])
call('SET', KEYS[3], 'created', 'PX', '20000')
return 'created'
