import { err, ok, Result } from 'neverthrow';
import type { Removal } from '../../src/store/session-store.js';
import { type Call, type Reply, script } from './connection.js';
import { type Answer, type Failure, toStoreError, unreadable } from './failure.js';
import { MARK_PATTERN, readEnd } from './journal-text.js';
import { type Keyspace, keyOfPath, type SessionKeys } from './keyspace.js';
import {
  changesOf,
  decodeLabels,
  encodeRevision,
  FIXED_LENGTH,
  field,
  labelsLineOf,
  newWriteId,
  REMOVED,
  readHead,
} from './record-text.js';
import { readRecord } from './record-writer.js';
import type { RedisEventLog } from './redis-event-log.js';
import { clear, counted } from './session-index.js';

/** Milliseconds for which a removal is remembered: a write that arrives twice does so within that time. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** Maximum number of appends that a removal remembers. */
const REMEMBERED_APPENDS = 31;

/** Number of bytes at a journal's end in which a removal looks for the latest appends. */
const TAIL_BYTES = 16 * 1024;

/**
 * Removes a session. In place of its record a line remains for a while, by which scripts recognise writes that arrive
 * again. If there is no room for the line, the keys are deleted.
 *
 * KEYS  record, journal, names, removals
 * ARGV  write id, expected revision or '', path, '1' to keep nothing
 * Returns {'removed', birth, the number of the removal, the line of its labels or ''}, the same with 'missing' if it was removed before, or
 * 'missing', 'stale' or 'unlisted'. A session that cannot be read is removed too: 'removed'.
 */
export const removeScript = script(`${readRecord('pcall')}
if not current and redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then return 'missing' end
if not isRecord then
  if ARGV[2] ~= '' then return 'stale' end
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  return 'removed'
end
local labels = ${labelsLineOf('current')}
local number, _, birthBefore = recall(line, ARGV[1])
if number then return {'removed', birthBefore, number, labels} end
if status == '${REMOVED}' then return {'missing', birth, tonumber(string.match(line, ' [^ :]+:(%d+):[^ ]*$')), labels} end
if ARGV[2] ~= '' and ${field('line', 'revision')} ~= ARGV[2] then return 'stale' end
if ARGV[4] == '' and not redis.call('ZSCORE', KEYS[4], ARGV[3]) then return 'unlisted' end${readEnd(TAIL_BYTES, 'pcall')}
number = ${changesOf('line')} + appends + 1
if ARGV[4] ~= '' then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  return {'removed', birth, number, labels}
end
local latest = {}
for id, _, change, _, finish in string.gmatch(tail, '["/]${MARK_PATTERN}()') do
  table.insert(latest, 1, string.format('%s:%.0f:%.0f,', id, tonumber(change, 16), length - #tail + finish - 1))
end
redis.call('SET', KEYS[1], string.sub(line, 1, 38) .. '${REMOVED} ' .. string.sub(line, 41, ${FIXED_LENGTH - 1})
  .. ' 0 0 0 - = ' .. string.format('%s:%.0f:-,', ARGV[1], number)
  .. table.concat(latest, '', 1, math.min(#latest, ${REMEMBERED_APPENDS})) .. kept .. (labels == '' and '' or '\\n' .. labels))
return {'removed', birth, number, labels}
`);

/**
 * Forgets a removal, unless there was a later one: deletes the line that it has left, and all other remains; without
 * such a line, removes it from the list of removals.
 *
 * KEYS  record, removals, and to delete the line also: journal, names
 * ARGV  path, the latest time
 */
const forgetScript = script(`${readHead}
local noted = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '')
if not noted or noted > tonumber(ARGV[2]) then return 0 end
if isAlive or head == '' then return redis.call('ZREM', KEYS[2], ARGV[1]) end
return KEYS[3] and redis.call('DEL', KEYS[1], KEYS[3], KEYS[4]) or 0
`);

/** Removes a session that was not removed from the list of removals. Returns how many entries were deleted. */
const unlistRemoval = (call: Call, { record, removals, path }: SessionKeys, until: number): Promise<number> =>
  counted(call.writeScript(forgetScript, [record, removals], [path, String(until)]));

export const removeSession = async (
  call: Call,
  session: SessionKeys,
  events: RedisEventLog,
  { revision, now = Date.now() }: Removal,
): Answer<'removed' | 'stale' | 'missing'> => {
  const written = await sendRemoval(call, session, revision, now);
  if (written.isErr()) return err(toStoreError(session)(written.error));
  const [outcome, birth, sequence, labels = ''] = written.value;
  if (outcome === 'stale') {
    void unlistRemoval(call, session, now);
    return ok(outcome);
  }
  if (outcome !== 'removed' && outcome !== 'missing') return err(unreadable(session));
  const made = { birth: String(birth), sequence: Number(sequence) };
  const [logged] = await Promise.all([
    birth === undefined ? ok(undefined) : events.log(call, session, made, { type: 'deleted', at: now }),
    clear(call, session, decodeLabels(`\n${String(labels)}`)),
    outcome === 'missing' && unlistRemoval(call, session, now),
  ]);
  return logged.map(() => outcome);
};

const sendRemoval = async (
  call: Call,
  { record, journal, names, removals, path }: SessionKeys,
  revision: number | undefined,
  now: number,
): Reply<readonly unknown[]> => {
  const keys = [record, journal, names, removals];
  const args = [newWriteId(), revision === undefined ? '' : encodeRevision(revision), path];
  const remembered = await call.writeListed(removeScript, keys, [...args, ''], () => [
    call.writeCommand((client) => client.zadd(removals, String(now), path)),
  ]);
  if (remembered.isOk()) return remembered;
  // Without room for the line that remembers a removal, the session can still be removed.
  const { code } = remembered.error;
  if (code !== 'OOM' && code !== 'WRONGTYPE') return remembered;
  return call.writeListed(removeScript, keys, [...args, '1'], () => []);
};

/** Forgets the removals that are older than an hour at `now`, at most `limit` per partition. Returns the number. */
export const purge = async (
  call: Call,
  keys: Keyspace,
  partitions: readonly number[],
  now: number,
  limit: number,
): Answer<number> => {
  const until = now - REMEMBERED_MS;
  const purgePartition = async (partition: number): Promise<Result<number, Failure>> => {
    const removals = keys.shared('removals', partition);
    const old = await call.readCommand((client) => client.zrangebyscore(removals, '-inf', until, 'LIMIT', 0, limit));
    if (old.isErr()) return err(old.error);
    const forgotten = await Promise.all(old.value.map((path) => forget(call, keys.of(keyOfPath(path)), until)));
    return ok(forgotten.reduce((sum, count) => sum + count, 0));
  };
  const purged = Result.combine(await Promise.all(partitions.map(purgePartition)));
  return purged.map((counts) => counts.reduce((sum, count) => sum + count, 0)).mapErr(({ error }) => error);
};

/** Deletes what a crash has left beside a removed session. Returns the number of entries. */
export const clearRemoved = async (call: Call, session: SessionKeys): Promise<number> => {
  const text = await call.readCommand((client) => client.get(session.record));
  return clear(call, session, decodeLabels(text.unwrapOr('') ?? ''));
};

const forget = async (call: Call, session: SessionKeys, until: number): Promise<number> => {
  const { record, journal, names, removals, path } = session;
  await clearRemoved(call, session);
  await call.writeScript(forgetScript, [record, removals, journal, names], [path, String(until)]);
  return unlistRemoval(call, session, until);
};
