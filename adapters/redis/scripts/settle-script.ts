import { NEVER } from '../../shared/never.js';
import { writeScript } from '../connection.js';
import { endOf, field, isRecord, REPORT_START, readHead } from '../record.js';
import { schedule } from './schedule.js';

/**
 * Removes an end that was reported and is due at the expected time. The session, unless it was removed, is then due at its deadline.
 *
 * KEYS  1 this call, 2 record, 3 remains of a removed session, 4 ends, 5 their tenants, 6 deadlines, 7 tenants
 * ARGV  1-2 of this call, 3 member, 4 owner, 5 incarnation, 6 expected time
 * Writes the key of this call, the deadline and the end, deletes the remains, and last writes the record.
 * Returns 'settled' or 'stale'.
 */
export const settleScript = writeScript(`${schedule}
if known then return 'settled' end
local ending = ARGV[3] .. ':' .. ARGV[5]
local due = redis.call('ZSCORE', KEYS[4], ending)
if tonumber(due or '') ~= tonumber(ARGV[6]) then return 'stale' end${readHead('KEYS[2]')}
local isThere = ${isRecord('head')} and ${field('head', 'incarnation')} == ARGV[5]
local deadline = isThere and ${endOf('head')} or ${NEVER}
local refused = attempt(function()
  remember('1')
  if deadline < ${NEVER} then schedule(KEYS[6], KEYS[7], ARGV[4], ARGV[3], string.format('%.0f', deadline)) end
  schedule(KEYS[4], KEYS[5], ARGV[4], ending, '')
  redis.call('DEL', KEYS[3])
  if isThere and ${field('head', 'status')} == 'T' then redis.call('SETRANGE', KEYS[2], '${REPORT_START}', '0') end
end, function()
  if deadline < ${NEVER} and ${field('head', 'status')} == 'T' then reschedule(KEYS[6], KEYS[7], ARGV[4], ARGV[3], '') end
  reschedule(KEYS[4], KEYS[5], ARGV[4], ending, due)
end)
return refused or 'settled'
`);
