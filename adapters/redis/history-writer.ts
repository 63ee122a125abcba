import { err, ok } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import type { AppendOutcome, HistoryAppend } from '../../src/store/session-store.js';
import { type Call, type Reply, script } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import { encodeEntries, MARK_LENGTH, MARK_PATTERN, readEnd } from './journal-text.js';
import type { SessionKeys } from './keyspace.js';
import { changesOf, decodeState, field, ID_LENGTH, newWriteId, readHead, recall } from './record-text.js';
import type { RedisEventLog } from './redis-event-log.js';

/** More characters than a state line has. */
const MAX_LINE_LENGTH = 16 * 1024;

/** Number of bytes of a journal that are searched at a time. */
const SEARCHED_BYTES = 64 * 1024;

/**
 * Defines `find(from, start, id, digest)`: the end and the number of the mark with this beginning, if it is after `from`,
 * and where its write id begins. `digest` is the number of characters between the beginning and the write id. Must follow
 * `readEnd`.
 */
const findMark = `
local function find(from, start, id, digest)
  for first = math.max(0, from - 1), length - 1, ${SEARCHED_BYTES} - #start - #id do
    local part = redis.call('GETRANGE', KEYS[2], first, first + ${SEARCHED_BYTES} - 1)
    local at = string.find(part, start .. id, 1, true)
    while at do
      local mark = first + at - 1 + #start + digest
      local text = redis.call('GETRANGE', KEYS[2], mark, mark + ${MARK_LENGTH - 1})
      local _, _, number = string.match(text, '^${MARK_PATTERN}$')
      if number then return mark + ${MARK_LENGTH}, tonumber(number, 16), mark end
      at = string.find(part, start .. id, at + 1, true)
    end
  end
end`;

/** A Lua condition: whether a session accepts history at the time in ARGV[2]. */
const isOpen = `(${field('head', 'open')} == '1' and tonumber(ARGV[2]) < tonumber(${field('head', 'deadline')}))`;

/** Returns why a session that accepts history does not accept this append. The scripts share the arguments up to 8. */
const refuse = `
if ARGV[8] ~= '' then
  local fence, till = string.match(redis.call('GETRANGE', KEYS[1], 0, ${MAX_LINE_LENGTH}), '^[^\\n]* @(%d+):(%d+):')
  if fence ~= ARGV[8] or tonumber(ARGV[2]) >= tonumber(till) then return 'not_held' end
end
if ARGV[7] ~= '' and tonumber(ARGV[7]) ~= length then return {'moved', length} end
if entries + ARGV[5] > tonumber(ARGV[6]) then return 'full' end`;

/**
 * Adds lines to a journal, if the session accepts history.
 *
 * KEYS  record, journal, and names if the append has a name
 * ARGV  birth, now, write id, the lines, number of lines, maximum number of entries in a history, the position that the
 *       history must end at or '', the fence of the hold or '', a length that the journal had before this call began, the
 *       write id in the mark that it ended with, and the name and the digest if there is a name
 * Returns {the length of the journal after the mark of the lines, the number of this change, 1 if they were there
 * before}, or {'closed', state line}, {'moved', position}, 'not_held', 'full', 'missing', 'recreated' if another session has
 * this id now, 'mismatch' if the name has another digest, 'corrupt', or 'unlisted' if the name is not noted.
 *
 * A call may arrive twice. An earlier arrival has written after the given length, so the cost of the search for its
 * mark depends on what others have written since, not on the length of the journal. If the given mark is gone, the
 * journal is another one, and the search starts at its beginning. The mark of a name is after the length that is noted
 * for the name.
 */
export const appendScript = script(`${readHead}
if head == '' then return isAlive and 'corrupt' or 'missing' end
if not isAlive or ${field('head', 'birth')} ~= ARGV[1] then${recall}
  local line = string.match(redis.call('GET', KEYS[1]), '^[^\\n]*')
  local number, position = recall(line, ARGV[3])
  if number then return {tonumber(position), number, 1} end
  return isAlive and 'recreated' or 'missing'
end${readEnd()}
if not isWhole then return 'corrupt' end
local from, name = tonumber(ARGV[9]), ARGV[11]
local noted = name and tonumber(redis.call('HGET', KEYS[3], name) or '')
if noted or (not name and (from ~= length or lastId ~= ARGV[10])) then${findMark}
  local finish, number
  if noted then
    local mark
    finish, number, mark = find(noted, '\\n"' .. name .. '/', '', #ARGV[12] + 1)
    if finish and redis.call('GETRANGE', KEYS[2], mark - #ARGV[12] - 1, mark - 2) ~= ARGV[12] then return 'mismatch' end
  else
    local known = from > 0 and length > 0
      and redis.call('GETRANGE', KEYS[2], from - ${MARK_LENGTH}, from - ${MARK_LENGTH - ID_LENGTH + 1})
    finish, number = find(known == ARGV[10] and from or 0, '\\n"', ARGV[3], 0)
  end
  if finish then return {finish, number, 1} end
end
if not ${isOpen} then return {'closed', string.match(redis.call('GET', KEYS[1]), '^[^\\n]*')} end
${refuse}
if name and not noted then return 'unlisted' end
local number = ${changesOf('head')} + appends + 1
local written = string.format('%s:%06x:%06x:%06x",\\n', ARGV[3], appends + 1, number, entries + ARGV[5])
return {redis.call('APPEND', KEYS[2], ARGV[4] .. '"' .. (name and name .. '/' .. ARGV[12] .. '/' or '') .. written), number, 0}
`);

/**
 * Notes where to look for the mark of lines with a name: from the current length of the journal on. A name that is
 * noted and has its mark stays unchanged. If the lines would be refused, nothing is noted.
 *
 * KEYS  record, journal, names
 * ARGV  birth, now, the name, the digest, number of lines, maximum number of entries in a history, the position that the
 *       history must end at or '', the fence of the hold or ''
 */
const noteNameScript = script(`${readHead}
if not isAlive or ${field('head', 'birth')} ~= ARGV[1] or not ${isOpen} then return 0 end${readEnd()}
if not isWhole then return 0 end${refuse}
local noted = tonumber(redis.call('HGET', KEYS[3], ARGV[3]) or '')
if noted == length then return 0 end${findMark}
if noted and find(noted, '\\n"' .. ARGV[3] .. '/', '', #ARGV[4] + 1) then return 0 end
redis.call('HSET', KEYS[3], ARGV[3], string.format('%.0f', length))
return 1
`);

/**
 * Reads which session exists and how its journal ends.
 *
 * KEYS  record, journal
 * Returns {birth, length of the journal, the write id in its last mark}, or 'missing' or 'corrupt'.
 */
const endScript = script(`${readHead}
if not isAlive then return 'missing' end${readEnd()}
if head == '' or not isWhole then return 'corrupt' end
return {${field('head', 'birth')}, length, lastId}
`);

/** Maximum number of journal ends to remember; when it is reached, all are forgotten. */
const MAX_KNOWN_ENDS = 10_000;

/** Maximum number of attempts if a session is created again in between. */
const MAX_ATTEMPTS = 5;

/** The session of a journal, the length of the journal, and the write id in its last mark. */
interface JournalEnd {
  readonly birth: string;
  readonly length: number;
  readonly mark: string;
}

/** Appends to histories. */
export class HistoryWriter {
  readonly #events: RedisEventLog;
  /**
   * The ends of the journals that this process wrote to last. The search for an append that arrives twice starts at
   * that end, so its cost does not depend on the length of the journal. Without this map, every append would ask for
   * the end first.
   */
  readonly #ends = new Map<string, JournalEnd>();

  constructor(events: RedisEventLog) {
    this.#events = events;
  }

  async append(call: Call, session: SessionKeys, append: HistoryAppend): Answer<AppendOutcome> {
    const { journal } = session;
    const lines = encodeEntries(append.entries);
    const writeId = newWriteId();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const known = this.#ends.get(journal);
      const end = known === undefined ? await readJournalEnd(call, session) : ok(known);
      if (end.isErr()) return err(end.error);
      if (end.value === 'missing') return ok({ outcome: 'missing' });
      const reply = await send(call, session, append, writeId, lines, end.value);
      if (reply.isErr()) return err(toStoreError(session)(reply.error));
      const [first, second, repeated] = reply.value;
      if (first === 'full' || first === 'not_held' || first === 'mismatch') return ok({ outcome: first });
      if (first === 'moved') return ok({ outcome: 'moved', position: Number(second) });
      if (first === 'closed') {
        const decoded = decodeState(String(second));
        return typeof decoded === 'object' ? ok({ outcome: 'closed', state: decoded.state }) : err(unreadable(session));
      }
      if (first === 'missing' || first === 'recreated') {
        this.#ends.delete(journal);
        if (first === 'missing') return ok({ outcome: 'missing' });
        // Nothing was added to the deleted session: the caller means the existing one.
        continue;
      }
      const position = Number(first);
      if (!Number.isSafeInteger(position)) return err(unreadable(session));
      const { birth } = end.value;
      this.#remember(journal, Number(repeated) === 1 ? end.value : { birth, length: position, mark: writeId });
      const made = { birth, sequence: Number(second) };
      const logged = await this.#events.log(call, session, made, { type: 'appended', at: append.now, position });
      return logged.map(() => ({ outcome: 'appended', position }));
    }
    return err(
      storeUnavailable('the session was deleted and created again several times during the append', 'not_applied'),
    );
  }

  /** Forgets the end of the journal of a session that is removed. */
  forget({ journal }: SessionKeys): void {
    this.#ends.delete(journal);
  }

  #remember(journal: string, end: JournalEnd): void {
    if (this.#ends.size >= MAX_KNOWN_ENDS && !this.#ends.has(journal)) this.#ends.clear();
    this.#ends.set(journal, end);
  }
}

const readJournalEnd = async (call: Call, session: SessionKeys): Answer<JournalEnd | 'missing'> => {
  const reply = await call.readScript(endScript, [session.record, session.journal], []);
  if (reply.isErr()) return err(toStoreError(session)(reply.error));
  if (reply.value === 'missing') return ok('missing');
  const [birth, length, mark]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
  const isEnd = typeof birth === 'string' && typeof mark === 'string';
  return isEnd ? ok({ birth, length: Number(length), mark }) : err(unreadable(session));
};

const send = (
  call: Call,
  { record, journal, names }: SessionKeys,
  { entries, now, operation, maxEntries = Number.MAX_SAFE_INTEGER, ifPosition, fence }: HistoryAppend,
  writeId: string,
  lines: string,
  { birth, length, mark }: JournalEnd,
): Reply<readonly unknown[]> => {
  const limits = [entries.length, maxEntries, ifPosition ?? '', fence ?? ''].map(String);
  const args = [birth, String(now), writeId, lines, ...limits, String(length), mark];
  if (operation === undefined) return call.writeListed(appendScript, [record, journal], args, () => []);
  const keys = [record, journal, names];
  const { id, digest } = operation;
  return call.writeListed(appendScript, keys, [...args, id, digest], () => [
    call.writeScript(noteNameScript, keys, [birth, String(now), id, digest, ...limits]),
  ]);
};
