import { MARK_TAIL, markField, readTail } from './journal-text.js';
import { FIXED_LENGTH, field, isFixed, REMOVED } from './record-text.js';
import { script } from './script.js';

/*
 * Each script writes with one command at most. More than one would be logged between MULTI and EXEC, and where a crash
 * tears the log inside of that, Redis 7 leaves a MULTI without an end, which swallows what is logged after it.
 *
 * A client may send a script twice, where it got no answer. So every write has an id, which is kept in what it writes.
 *
 * A script that writes a record checks first that every index entry which the record needs is there, and answers
 * `unlisted`, writing nothing, where one is missing. So no order of arrival leaves a record without its entries. An entry
 * without its record does no harm: whoever reads by an index checks the record.
 */

/** Number of writes that a record remembers. */
const REMEMBERED_WRITES = 31;

/** Length of the last writes that are remembered: ids have 12 characters, names up to 64, numbers up to 16. */
const WRITES_LENGTH = REMEMBERED_WRITES * 24;

/** Bytes at a journal's end in which a removal looks for the latest appends. */
const TAIL_BYTES = 16 * 1024;

/** Ends the script unless `text` is a record or what a removal has left. */
const checkFormat = (text: string): string => `
if not ${isFixed(text)} then return 'corrupt' end`;

/** Defines `remembered`, the writes that `current` remembers, and `eol`, where its line ends. */
const readWrites = `
local eol = string.find(current, '\\n', 1, true) or #current + 1
local remembered = string.match(string.sub(current, 1, eol - 1), ' ([^ ]*)$') or ''`;

/** Defines `noted(key, score)`: whether the session has an entry in a sorted set, no later than a score. */
const readNotes = (member: string): string => `
local function noted(key, name, latest)
  local score = tonumber(redis.call('ZSCORE', key, name) or '')
  return score and score <= tonumber(latest)
end
local member = ${member}`;

/**
 * Adds a session.
 *
 * KEYS  record, journal, names, index, deadlines, tenants, and the index of its status where there is one
 * ARGV  state line up to the writes, its end behind them, write id, time of creation, member, owner, earliest deadline
 *       or ''
 * Gives {'inserted' or 'taken', birth, time of creation}, or 'unlisted', 'leftover' where something of an earlier
 * session of this id is still there. Of a session that cannot be read only 'taken' is known.
 */
export const insertScript = script(`
local current = redis.call('GET', KEYS[1])
local writes = ''
if current then
  if not ${isFixed('current')} then return {'taken'} end
  local birth = ${field('current', 'birth')}
  local created = tonumber(${field('current', 'created')})
  if ${field('current', 'status')} ~= '${REMOVED}' then
    return {birth == ARGV[3] and 'inserted' or 'taken', birth, created}
  end${readWrites}
  if birth == ARGV[3] or string.find(remembered, ARGV[3], 1, true) then return {'inserted', ARGV[3], tonumber(ARGV[4])} end
  writes = birth .. ':1:-,' .. remembered
end
if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return 'leftover' end${readNotes('ARGV[5]')}
if tonumber(redis.call('ZSCORE', KEYS[4], member) or '') ~= tonumber(ARGV[4]) then return 'unlisted' end
if ARGV[7] ~= '' and not (noted(KEYS[5], member, ARGV[7]) and noted(KEYS[6], ARGV[6], ARGV[7])) then return 'unlisted' end
if KEYS[7] and tonumber(redis.call('ZSCORE', KEYS[7], member) or '') ~= tonumber(ARGV[4]) then return 'unlisted' end
writes = string.match(string.sub(writes, 1, ${WRITES_LENGTH}), '^.*,') or ''
redis.call('SET', KEYS[1], ARGV[1] .. writes .. ARGV[2])
return {'inserted', ARGV[3], tonumber(ARGV[4])}
`);

/**
 * Puts a state in place of the one with the expected revision.
 *
 * KEYS  record, journal, deadlines, tenants, and the index of the next status where there is one
 * ARGV  expected revision, state line up to the birth, its end from behind the time of creation up to the writes, write
 *       id, member, owner, deadline or ''
 * Gives {'replaced', birth, the number of this change, the status before}, or 'stale', 'missing', 'unlisted' or 'corrupt'.
 */
export const replaceScript = script(`
local current = redis.call('GET', KEYS[1])
if not current then return 'missing' end${checkFormat('current')}
local before = ${field('current', 'status')}
if before == '${REMOVED}' then return 'missing' end
local birth = ${field('current', 'birth')}${readWrites}
if ${field('current', 'revision')} ~= ARGV[1] then
  local number, status = string.match(remembered, ARGV[4]:gsub('%-', '%%-') .. ':(%d+):(%u),')
  if number then return {'replaced', birth, tonumber(number), status} end
  return 'stale'
end${readNotes('ARGV[5]')}
if ARGV[7] ~= '' and not (noted(KEYS[3], member, ARGV[7]) and noted(KEYS[4], ARGV[6], ARGV[7])) then return 'unlisted' end
if KEYS[5] and not redis.call('ZSCORE', KEYS[5], member) then return 'unlisted' end
local tail = ${readTail('KEYS[2]', MARK_TAIL)}
local appends = ${markField('tail', 'appends')} or 0
local number = tonumber(ARGV[1]) - tonumber(${field('current', 'base')}) + 2 + appends
local kept = string.match(string.sub(remembered, 1, ${WRITES_LENGTH}), '^.*,') or ''
local write = string.format('%s:%.0f:%s,', ARGV[4], number, before)
redis.call('SET', KEYS[1],
  ARGV[2] .. string.sub(current, 41, ${FIXED_LENGTH - 1}) .. ARGV[3] .. write .. kept .. string.sub(current, eol))
return {'replaced', birth, number, before}
`);

/**
 * Removes a session: in place of its record a line stays for a while, by which writes that arrive once more are
 * recognised. Where there is no room for it, the keys are deleted.
 *
 * KEYS  record, journal, removals, names
 * ARGV  write id, expected revision or '', path, '1' to do without what remembers it
 * Gives {'removed' or 'missing', birth, the number of the removal, the status before}, or 'stale' or 'unlisted'. What
 * cannot be read is removed too, and has neither birth nor number.
 */
export const removeScript = script(`
local current = redis.pcall('GET', KEYS[1])
if not current then
  if redis.call('EXISTS', KEYS[2], KEYS[4]) == 0 then return {'missing'} end
  redis.call('DEL', KEYS[2], KEYS[4])
  return {'removed'}
end
local readable = type(current) == 'string' and ${isFixed('current')}
if not readable then
  if ARGV[2] ~= '' then return 'stale' end
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[4])
  return {'removed'}
end
local birth = ${field('current', 'birth')}
local before = ${field('current', 'status')}${readWrites}
local number = tonumber(string.match(remembered, ARGV[1]:gsub('%-', '%%-') .. ':(%d+):'))
if before == '${REMOVED}' then
  if number then return {'removed', birth, number, '-'} end
  return {'missing'}
end
if number then return {'removed'} end
if ARGV[2] ~= '' and ${field('current', 'revision')} ~= ARGV[2] then return 'stale' end
if ARGV[4] == '1' then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[4])
  return {'removed'}
end
if not redis.call('ZSCORE', KEYS[3], ARGV[3]) then return 'unlisted' end
local length = redis.pcall('STRLEN', KEYS[2])
local tail = type(length) == 'number' and length > 0 and redis.call('GETRANGE', KEYS[2], -${TAIL_BYTES}, -1) or ''
local changes = tonumber(${field('current', 'revision')}) - tonumber(${field('current', 'base')}) + 1
local appends = ${markField('tail', 'appends')} or 0
local latest = {}
for id, count, finish in string.gmatch(tail, '\\n"([^"]*):%x%x%x%x%x%x:(%x%x%x%x%x%x):%x%x%x%x%x%x",\\n()') do
  table.insert(latest, 1, string.format('%s:%.0f:%.0f,', id, tonumber(count, 16), length - #tail + finish - 1))
end
number = changes + appends + 1
local kept = table.concat(latest, '', 1, math.min(#latest, ${REMEMBERED_WRITES})) ..
  string.sub(remembered, 1, ${WRITES_LENGTH})
redis.call('SET', KEYS[1], string.sub(current, 1, 38) .. '${REMOVED} ' .. string.sub(current, 41, ${FIXED_LENGTH - 1})
  .. ' 0 0 0 - = ' .. string.format('%s:%.0f:-,', ARGV[1], number) .. (string.match(kept, '^.*,') or ''))
return {'removed', birth, number, before}
`);
