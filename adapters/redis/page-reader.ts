import { err, ok, type Result } from 'neverthrow';
import { type StoreError, storeUnavailable } from '../../src/errors.js';
import type { SessionRecord } from '../../src/session/record.js';
import { settle } from '../../src/session/timeline.js';
import type { Admit, ListPlace, PageRange, RecordPage, StatusAt } from '../../src/store.js';
import { type Call, script } from './connection.js';
import { readNoted } from './due-reader.js';
import { escapeName, type TenantKeys, unescapeName } from './keys.js';
import { readSessions, type SizedSession } from './session-reader.js';

/**
 * Finds a page of an index. All bounds are found as ranks, in O(log n), however many sessions lie beyond them. Members
 * that are to be left out, and sessions that are to be on the page though they are not in the index, are few.
 *
 * KEYS  index, and what the keys of records and of journals begin with
 * ARGV  'newest' or 'oldest', the time before the first or '', the time behind the last or '', the time and the member
 *       of the place that the page begins behind or '' and '', offset, limit, how many members to leave out, those, then
 *       the time of creation and the member of each that is to be added
 * Gives the total, 1 if there are more behind the page, then for each session from the oldest on: member, time of
 * creation, bytes of its record and of its journal, -1 for a key of a wrong type.
 */
const pageScript = script(`
local function lengthOf(key)
  local length = redis.pcall('STRLEN', key)
  return type(length) == 'number' and length or -1
end

-- By bytes: how Lua compares texts depends on the server's locale.
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
  return redis.call('ZCOUNT', KEYS[1], '-inf', time)
end

-- How many of the index come before a place, in rising order. Those of one millisecond are halved: there may be many.
local function rankOf(place)
  local low, high = upTo('(' .. place.text), upTo(place.text)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', KEYS[1], middle, middle)[1]
    if isBefore(found, place.member) then low = middle + 1 else high = middle end
  end
  return low
end

local function countBefore(list, place)
  local count = 0
  for _, item in ipairs(list) do
    if comesBefore(item, place) then count = count + 1 end
  end
  return count
end

local after, before = tonumber(ARGV[2]), tonumber(ARGV[3])
local function isWithin(time)
  return (not after or time > after) and (not before or time < before)
end

-- Corrections: what is in the index and does not count, and what counts and is not in the index.
local without, isWithout, added = {}, {}, {}
local names = tonumber(ARGV[8])
for at = 9, 8 + names do
  local time = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[at]) or '')
  if time and isWithin(time) then
    without[#without + 1] = {time = time, member = ARGV[at]}
    isWithout[ARGV[at]] = true
  end
end
for at = 9 + names, #ARGV, 2 do
  local time = tonumber(ARGV[at])
  if isWithin(time) and not redis.call('ZSCORE', KEYS[1], ARGV[at + 1]) then
    added[#added + 1] = {time = time, member = ARGV[at + 1]}
  end
end

local low = after and upTo(ARGV[2]) or 0
local high = math.max(low, before and upTo('(' .. ARGV[3]) or redis.call('ZCARD', KEYS[1]))
local total = high - low - #without + #added

-- The page as ranks among those that count, in rising order.
local first, last = 0, total
local isRising = ARGV[1] == 'oldest'
if ARGV[4] ~= '' then
  -- A rising page begins behind the place itself: no character of a member comes before a space.
  local place = {time = tonumber(ARGV[4]), text = ARGV[4], member = ARGV[5] .. (isRising and ' ' or '')}
  local rank = rankOf(place) - low - countBefore(without, place) + countBefore(added, place)
  if isRising then first = math.max(0, rank) else last = math.min(total, rank) end
end
local offset, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
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
if first >= last then return total .. ' 0' end

-- A rank among those that count differs from that in the index by no more than there are corrections.
local from = math.max(low, low + first - #added)
local found = redis.call('ZRANGE', KEYS[1], from, math.min(high, low + last + #without) - 1, 'WITHSCORES')
local items, rank, start = {}, from - low, nil
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
if #added > 0 then table.sort(items, comesBefore) end

local reply = {total, hasMore and 1 or 0}
for at = first - rank + 1, math.min(#items, last - rank) do
  local item = items[at]
  local record, journal = lengthOf(KEYS[2] .. item.member), lengthOf(KEYS[3] .. item.member)
  reply[#reply + 1] = string.format('%s %.0f %.0f %.0f', item.member, item.time, record, journal)
end
return table.concat(reply, ' ')
`);

/** Entries of deadlines that are looked at in one script. */
const NOTED_STEP = 1000;

/** Maximum number of entries of deadlines that one list by status looks at. */
const MAX_NOTED = 10_000;

const noStatuses = storeUnavailable('RedisSessionStore: lists by status need its option statusIndex', 'not_applied');

const tooManyNoted = storeUnavailable(
  'the clock has ended more sessions than one list by status can pass over; run a sweeper',
  'not_applied',
);

/** What an index by status does not know: sessions that the clock has ended. */
interface Corrections {
  /** Members that the index has and that do not count. */
  readonly without: readonly string[];
  /** Time of creation and member of each session that it does not have and that counts. */
  readonly added: readonly string[];
}

const noCorrections: Corrections = { without: [], added: [] };

const timeText = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

const argumentsOf = (
  { offset, limit, order = 'newest', createdAfter, createdBefore, after }: PageRange,
  { without, added }: Corrections,
): readonly string[] => [
  ...[order, timeText(createdAfter), timeText(createdBefore)],
  ...[timeText(after?.createdAt), after === undefined ? '' : escapeName(after.id)],
  ...[String(offset), String(limit), String(without.length)],
  ...without,
  ...added,
];

/** A session in an index. */
interface Listed extends SizedSession {
  readonly createdMs: number;
}

const FIELDS = 4;

const listedIn = (fields: readonly string[]): readonly Listed[] =>
  Array.from({ length: Math.floor(fields.length / FIELDS) }, (_, at) => {
    const [member = '', ...numbers] = fields.slice(FIELDS * at, FIELDS * (at + 1));
    const [createdMs = 0, recordBytes = 0, journalBytes = 0] = numbers.map(Number);
    return { member, createdMs, recordBytes, journalBytes };
  });

/** Nothing where a hand has put a time into the index that is none: `repair` mends it. */
const placeOf = ({ member, createdMs }: Listed): ListPlace | undefined => {
  const time = new Date(createdMs);
  return Number.isNaN(time.getTime()) ? undefined : { id: unescapeName(member), createdAt: time.toISOString() };
};

/** Reads a page: a script finds the ids and how large the sessions are, then those are read that fit. */
export const readPage = async <E>(
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  admit: Admit<E> | undefined,
): Promise<Result<RecordPage, StoreError | E>> => {
  const { status } = range;
  const index = status === undefined ? keys.index : keys.byStatus[status.status];
  if (index === undefined) return err(noStatuses);
  const corrections = status === undefined ? ok(noCorrections) : await correct(call, keys, status);
  if (corrections.isErr()) return err(corrections.error);
  const args = argumentsOf(range, corrections.value);
  const reply = await call.ask(pageScript, [index, keys.records, keys.journals], args);
  if (reply.isErr()) return err(reply.error.error);
  const [total, hasMore, ...fields] = String(reply.value).split(' ');
  const rising = listedIn(fields);
  const listed = range.order === 'oldest' ? rising : rising.toReversed();
  const read = await readSessions(call, keys, listed, range, admit);
  if (read.isErr()) return err('refusal' in read.error ? read.error.refusal : read.error.failure.error);
  const records: SessionRecord[] = [];
  const unreadable: string[] = [];
  for (const [at, record] of read.value.entries()) {
    if (record === 'corrupt') unreadable.push(unescapeName(listed[at]?.member ?? ''));
    else if (record !== 'missing' && hasStatus(record, status)) records.push(record);
  }
  // Entries that do not fit their session: it was changed a moment ago, or a crash has left them.
  const stale = listed.length - records.length - unreadable.length;
  const last = listed.at(-1);
  const next = hasMore === '1' && last !== undefined ? placeOf(last) : undefined;
  return ok({ records, total: Number(total) - stale, unreadable, ...(next === undefined ? {} : { next }) });
};

const correct = async (
  call: Call,
  keys: TenantKeys,
  { status, now }: StatusAt,
): Promise<Result<Corrections, StoreError>> => {
  const without: string[] = [];
  const added: string[] = [];
  for (let offset = 0; offset < MAX_NOTED; offset += NOTED_STEP) {
    const noted = await readNoted(call, keys, now, offset, NOTED_STEP);
    if (noted.isErr()) return err(noted.error.error);
    for (const { member, fields } of noted.value) {
      if (fields === undefined || fields === 'removed') continue;
      if (fields.status === 'TERMINATED' || fields.deadline > now) continue;
      if (status === 'TERMINATED') added.push(String(fields.createdMs), member);
      else if (fields.status === status) without.push(member);
    }
    if (noted.value.length < NOTED_STEP) return ok({ without, added });
  }
  return err(tooManyNoted);
};

const hasStatus = ({ state }: SessionRecord, status: StatusAt | undefined): boolean =>
  status === undefined || settle(state, status.now).status === status.status;
