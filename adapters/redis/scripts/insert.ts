import { writeScript } from '../connection.js';
import { log, schedule } from './indexes.js';

/**
 * Adds a session without history, unless anything is stored under its id.
 *
 * KEYS  1 this call, 2 record, 3 journal, then the indexes that get the session: all sessions, its status, its labels; then
 *       those of its status that nobody holds, if there is such an index; then if it is due some time, deadlines and
 *       tenants; then events, if they are kept
 * ARGV  1-2 of this call, 3 member, 4 creation time, 5 record, then if they are used, otherwise '' or nothing: 6 when the
 *       session is due, 7 owner, 8 length of the stream, 9 event, 10 from when on nobody holds the session
 * Writes the indexes, the deadline, this call, the event, the record.
 * Returns 'inserted' or 'taken'.
 */
export const insertScript = writeScript(`
if known then return 'inserted' end
if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return 'taken' end
local last, isDue, events, unleased = #KEYS, (ARGV[6] or '') ~= '', nil, nil
if (ARGV[8] or '') ~= '' then
  events = KEYS[last]
  last = last - 1
end
local deadlines, tenants = KEYS[last - 1], KEYS[last]
if isDue then last = last - 2 end
if ARGV[10] then
  unleased = KEYS[last]
  last = last - 1
end
${schedule}${log('events', 'ARGV[8]')}
local refused = attempt(function()
  for at = 4, last do redis.call('ZADD', KEYS[at], ARGV[4], ARGV[3]) end
  if unleased then redis.call('ZADD', unleased, ARGV[10], ARGV[3]) end
  if isDue then
    redis.call('ZADD', deadlines, ARGV[6], ARGV[3])
    local isEarliest = redis.call('ZRANGE', deadlines, '0', '0')[1] == ARGV[3]
    if isEarliest then redis.call('ZADD', tenants, ARGV[6], ARGV[7]) end
  end
  remember('1')
  if events then log(ARGV[9]) end
  redis.call('SET', KEYS[2], ARGV[5])
end, function()
  for at = 4, last do redis.pcall('ZREM', KEYS[at], ARGV[3]) end
  if unleased then redis.pcall('ZREM', unleased, ARGV[3]) end
  if isDue then reschedule(deadlines, tenants, ARGV[7], ARGV[3], '') end
end)
return refused or 'inserted'
`);
