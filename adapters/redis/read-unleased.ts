import { err, ok, type Result } from 'neverthrow';
import { misconfigured, type StoreError } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { UnleasedPage, UnleasedRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { type Call, script } from './connection.js';
import type { TenantKeys } from './keyspace.js';
import { loadSessions } from './read-sessions.js';
import unleasedLua from './scripts/unleased.lua';
import { letterOf } from './status-letters.js';

const unleasedScript = script(unleasedLua);

const noLeaseIndex = misconfigured('RedisSessionStore: unleased needs the option leaseIndex');

/** Reads sessions that nobody holds: a script finds their ids, and then those that still exist are read. */
export const readUnleased = async (
  call: Call,
  keys: TenantKeys,
  { status, now, limit, after }: UnleasedRange,
): Promise<Result<UnleasedPage, StoreError>> => {
  if (keys.unleased === undefined) return err(noLeaseIndex);
  const args = [String(now), String(limit + 1)];
  if (after !== undefined) args.push(String(after.since), escapeName(after.id));
  const reply = await call.readScript(unleasedScript, [keys.unleased + letterOf(status)], args);
  if (reply.isErr()) return err(reply.error.error);
  const flat = Array.isArray(reply.value) ? reply.value.map(String) : [];
  const members = flat.filter((_, at) => at % 2 === 0).slice(0, limit);
  const sized = members.map((member) => ({ member, recordBytes: 0, historyBytes: 0 }));
  const read = await loadSessions(call, keys, sized, true);
  if (read.isErr()) return err(read.error.error);
  const records = read.value.filter((record): record is SessionRecord => typeof record === 'object');
  const unreadable = members.filter((_, at) => read.value[at] === 'corrupt').map(unescapeName);
  const last = flat.length > 2 * limit ? members.at(-1) : undefined;
  if (last === undefined) return ok({ records, unreadable });
  return ok({ records, unreadable, next: { since: Number(flat[2 * limit - 1]), id: unescapeName(last) } });
};
