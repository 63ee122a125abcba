import { NEVER } from '../../shared/never.js';
import { writeScript } from '../connection.js';
import { endOf, field, isRecord, readHead } from '../record.js';
import { schedule } from './schedule.js';

/**
 * Moves a session or an end that is due at the expected time. A session that has not ended never becomes due later than
 * its deadline, unless it is damaged.
 *
 * KEYS  1 this call, 2 deadlines and 3 tenants, or ends and their tenants, 4 record of a session that is not damaged
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 expected time, 6 new time
 * Writes the key of this call, and last the deadline.
 * Returns 'moved' or 'stale'.
 */
export const rescheduleScript = writeScript(`${schedule}
if known then return 'moved' end
local due = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[3]) or '')
if due ~= tonumber(ARGV[5]) then return 'stale' end
local time = tonumber(ARGV[6])
if KEYS[4] then${readHead('KEYS[4]')}
  if head ~= '' and not ${isRecord('head')} then return 'stale' end
  if head ~= '' and ${field('head', 'status')} ~= 'T' then time = math.min(time, ${endOf('head')}) end
end
if time == due then return 'stale' end
local refused = attempt(function()
  remember('1')
  schedule(KEYS[2], KEYS[3], ARGV[4], ARGV[3], time >= ${NEVER} and '' or string.format('%.0f', time))
end, function() reschedule(KEYS[2], KEYS[3], ARGV[4], ARGV[3], string.format('%.0f', due)) end)
return refused or 'moved'
`);
