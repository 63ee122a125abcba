import { writeScript } from '../connection.js';
import { log, schedule } from './indexes.js';

/**
 * Adds a session without history, unless anything is stored under its id.
 *
 * KEYS  1 this call, 2 record, 3 journal, 4 deadlines, 5 tenants, 6 events, then the indexes that get the session: all
 *       sessions, its status, its labels
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 creation time, 6 when the session is due or '', 7 record, 8 length of the
 *       stream or '', 9 event
 * Writes the indexes, the deadline, this call, the event, the record.
 * Returns 'inserted' or 'taken'.
 */
export const insertScript =
  writeScript(`${schedule('KEYS[4]', 'KEYS[5]', 'ARGV[3]', 'ARGV[4]')}${log('KEYS[6]', 'ARGV[8]')}
if known then return 'inserted' end
if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return 'taken' end
local refused = attempt(function()
  for at = 7, #KEYS do redis.call('ZADD', KEYS[at], ARGV[5], ARGV[3]) end
  if ARGV[6] ~= '' then schedule(ARGV[6]) end
  remember('1')
  log(ARGV[9])
  redis.call('SET', KEYS[2], ARGV[7])
end, function()
  for at = 7, #KEYS do redis.pcall('ZREM', KEYS[at], ARGV[3]) end
  if ARGV[6] ~= '' then reschedule('') end
end)
return refused or 'inserted'
`);
