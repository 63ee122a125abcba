import { MARK_LENGTH, MARK_PATTERN, readMark } from './journal-text.js';
import { script } from './script.js';
import { FIXED_LENGTH, field, isFixed, REMOVED, recall } from './state-line.js';

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

/** How many appends a removal remembers. */
const REMEMBERED_APPENDS = 31;

/** Length of the writes that a line takes over from the one before: 31 of them, as a rule. */
const WRITES_LENGTH = 31 * 24;

/** Bytes at a journal's end in which a removal looks for the latest appends. */
const TAIL_BYTES = 16 * 1024;

/** Defines `lineOf(record)`: its state line, and the writes in that which the next line takes over. */
const lineOf = `
local function lineOf(record)
  local line = string.match(record, '^[^\\n]*')
  local writes = string.sub(string.match(line, ' ([^ ]*)$') or '', 1, ${WRITES_LENGTH})
  return line, string.match(writes, '^.*,') or ''
end`;

/** Defines `isNoted(key, name)`: whether it has an entry there, no later than the deadline in ARGV[3], if there is one. */
const isNoted = `
local function isNoted(key, name)
  local score = ARGV[3] ~= '' and tonumber(redis.call('ZSCORE', key, name) or '')
  return ARGV[3] == '' or (score and score <= tonumber(ARGV[3]))
end`;

/** Defines `changes`, how many times the state of `current` was written, and `appends`, as the mark at the end of `last` counts them. */
const readCounts = `
local changes = tonumber(${field('current', 'revision')}) - tonumber(${field('current', 'base')}) + 1
local _, appends = string.match(string.sub(last, -${MARK_LENGTH}), '^${MARK_PATTERN}$')
appends = tonumber(appends or '0', 16)`;

/**
 * Adds a session.
 *
 * KEYS  record, journal, names, deadlines, tenants, index, and the index of its status where there is one
 * ARGV  member, owner, earliest deadline or '', write id, time of creation, state line up to the writes, what is behind them
 * Gives {'inserted' or 'taken', birth, time of creation}, the same with 'removed' where an earlier arrival added it and it
 * was removed since, or 'unlisted', also where something of an earlier session of this id is left. Of a session that cannot
 * be read only 'taken' is known; one is a journal without a record.
 */
export const insertScript = script(`${recall}${lineOf}${isNoted}
local current = redis.call('GET', KEYS[1])
local kept = ''
if not current and redis.call('EXISTS', KEYS[2]) == 1 then return 'taken' end
if current then
  if not ${isFixed('current')} then return 'taken' end
  local line, writes = lineOf(current)
  local birth, isAlive = ${field('line', 'birth')}, ${field('line', 'status')} ~= '${REMOVED}'
  if birth == ARGV[4] and isAlive then return {'inserted', birth, tonumber(ARGV[5])} end
  if birth == ARGV[4] or recall(line, ARGV[4]) then return {'removed', ARGV[4], tonumber(ARGV[5])} end
  if isAlive then return {'taken', birth, tonumber(${field('line', 'created')})} end
  kept = birth .. ':1:-,' .. writes
end
if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return 'unlisted' end
if not (isNoted(KEYS[4], ARGV[1]) and isNoted(KEYS[5], ARGV[2])) then return 'unlisted' end
for at = 6, #KEYS do
  if tonumber(redis.call('ZSCORE', KEYS[at], ARGV[1]) or '') ~= tonumber(ARGV[5]) then return 'unlisted' end
end
redis.call('SET', KEYS[1], ARGV[6] .. kept .. ARGV[7])
return {'inserted', ARGV[4], tonumber(ARGV[5])}
`);

/**
 * Puts a state in place of the one with the expected revision.
 *
 * KEYS  record, journal, names, deadlines, tenants, and the index of the next status where there is one
 * ARGV  member, owner, deadline or '', write id, expected revision, state line up to the birth, its end from behind the
 *       time of creation up to the writes
 * Gives {'replaced', birth, the number of this change, the status before}, or 'stale', 'missing', 'unlisted' or 'corrupt'.
 */
export const replaceScript = script(`${recall}${lineOf}${isNoted}
local current = redis.call('GET', KEYS[1])
if not current then return 'missing' end
if not ${isFixed('current')} then return 'corrupt' end
local line, kept = lineOf(current)
local number, before, birth = recall(line, ARGV[4])
if number then return {'replaced', birth, number, before} end
before = ${field('line', 'status')}
if before == '${REMOVED}' then return 'missing' end
if ${field('line', 'revision')} ~= ARGV[5] then return 'stale' end
if not (isNoted(KEYS[4], ARGV[1]) and isNoted(KEYS[5], ARGV[2])) then return 'unlisted' end
if KEYS[6] and not redis.call('ZSCORE', KEYS[6], ARGV[1]) then return 'unlisted' end
local last = ${readMark('KEYS[2]')}${readCounts}
number = changes + appends + 1
redis.call('SET', KEYS[1], ARGV[6] .. string.sub(line, 41, ${FIXED_LENGTH - 1}) .. ARGV[7]
  .. string.format('%s:%.0f:%s,', ARGV[4], number, before) .. kept .. string.sub(current, #line + 1))
return {'replaced', ${field('line', 'birth')}, number, before}
`);

/**
 * Removes a session: in place of its record a line stays for a while, by which writes that arrive once more are
 * recognised. Where that cannot be kept, the keys are deleted.
 *
 * KEYS  record, journal, names, removals
 * ARGV  write id, expected revision or '', path, '1' to keep nothing
 * Gives {'removed', birth, the number of the removal}, the same with 'missing' where it was removed before, or 'missing',
 * 'stale' or 'unlisted'. What cannot be read is removed too: 'removed'.
 */
export const removeScript = script(`${recall}${lineOf}
local current = redis.pcall('GET', KEYS[1])
if not current and redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then return 'missing' end
if type(current) ~= 'string' or not ${isFixed('current')} then
  if ARGV[2] ~= '' then return 'stale' end
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  return 'removed'
end
local line, kept = lineOf(current)
local number, _, birth = recall(line, ARGV[1])
if number then return {'removed', birth, number} end
if ${field('line', 'status')} == '${REMOVED}' then
  return {'missing', ${field('line', 'birth')}, tonumber(string.match(line, ' [^ :]+:(%d+):[^ ]*$'))}
end
if ARGV[2] ~= '' and ${field('line', 'revision')} ~= ARGV[2] then return 'stale' end
if ARGV[4] == '' and not redis.call('ZSCORE', KEYS[4], ARGV[3]) then return 'unlisted' end
local length = redis.pcall('STRLEN', KEYS[2])
local last = type(length) == 'number' and length > 0 and redis.call('GETRANGE', KEYS[2], -${TAIL_BYTES}, -1) or ''${readCounts}
number = changes + appends + 1
if ARGV[4] ~= '' then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  return {'removed', ${field('line', 'birth')}, number}
end
local latest = {}
for id, _, change, _, finish in string.gmatch(last, '["/]${MARK_PATTERN}()') do
  table.insert(latest, 1, string.format('%s:%.0f:%.0f,', id, tonumber(change, 16), length - #last + finish - 1))
end
redis.call('SET', KEYS[1], string.sub(line, 1, 38) .. '${REMOVED} ' .. string.sub(line, 41, ${FIXED_LENGTH - 1})
  .. ' 0 0 0 - = ' .. string.format('%s:%.0f:-,', ARGV[1], number)
  .. table.concat(latest, '', 1, math.min(#latest, ${REMEMBERED_APPENDS})) .. kept)
return {'removed', ${field('line', 'birth')}, number}
`);
