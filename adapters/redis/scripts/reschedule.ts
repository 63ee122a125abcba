import { NEVER } from '../../../src/store/never.js';
import { writeScript } from '../connection.js';
import { field, isRecord, numberField, readHead } from '../record.js';
import { schedule } from './indexes.js';

/**
 * Moves a session that is due at the expected time. One that has not ended never becomes due later than its deadline,
 * unless it is damaged.
 *
 * KEYS  1 this call, 2 record, 3 deadlines, 4 tenants
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 expected time, 6 time, 7 '1' if the session is damaged
 * Writes this call, the deadline.
 * Returns 'moved' or 'stale'.
 */
export const rescheduleScript = writeScript(`${schedule('KEYS[3]', 'KEYS[4]', 'ARGV[3]', 'ARGV[4]')}
if known then return 'moved' end
local due = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[3]) or '')
if due ~= tonumber(ARGV[5]) then return 'stale' end
local time = tonumber(ARGV[6])
if ARGV[7] == '' then${readHead('KEYS[2]')}
  if head ~= '' and not ${isRecord('head')} then return 'stale' end
  if head ~= '' and ${field('head', 'status')} ~= 'T' then time = math.min(time, ${numberField('head', 'deadline')}) end
end
if time == due then return 'stale' end
local refused = attempt(function()
  remember('1')
  schedule(time >= ${NEVER} and '' or string.format('%.0f', time))
end, function() reschedule(string.format('%.0f', due)) end)
return refused or 'moved'
`);
