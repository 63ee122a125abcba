import { err, ok } from 'neverthrow';
import type { PositionedEntry } from '../../src/session/session.js';
import type { EntriesOutcome, HistorySlice } from '../../src/store/session-store.js';
import { type Call, script } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import { decodeLines } from './journal.js';
import type { SessionKeys } from './keyspace.js';
import { field, historyVersion, isRecord, numberField, readHead } from './record.js';
import { pieces } from './scripts/spans.js';

/** Minimum number of bytes that one command reads. */
const MIN_BYTES = 16 * 1024;

/** Maximum number of bytes that one command reads, unless a single entry is longer: it blocks other commands. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a part of a history, in bytes: it may begin or end within a line, or within a character. Its length is 1.25
 * times the average size of the requested number of entries.
 *
 * KEYS  1 record, 2 journal
 * ARGV  1 the beginning, or '' for a part that ends at a position, 2 that position or '' for the end, 3 the requested
 *       number of entries, 4 the minimum and 5 the maximum length
 * Returns {the text, incarnation, 1 if the server counts bytes or 0 if it counts characters, as test doubles do, the
 * committed length of the journal, the version of the history, 1 if the text begins within a span, 1 if a part that ends
 * at a position has entries after it, 1 if the position is superseded, then the beginning and the end of each piece in
 * the journal}, or 'missing', 'corrupt', or 'invalid_position' if no line begins at the position.
 */
const partScript = script(`${pieces('KEYS[2]')}
${readHead('KEYS[1]').trim()}
if head == '' and redis.call('EXISTS', KEYS[2]) == 0 then return 'missing' end
if not ${isRecord('head')} then return 'corrupt' end
local length, entries, span = ${numberField('head', 'bytes')}, ${numberField('head', 'entries')}, ${numberField('head', 'span')}
if redis.call('STRLEN', KEYS[2]) < length or span > length then return 'corrupt' end
local from, upto = tonumber(ARGV[1]), tonumber(ARGV[2]) or length
local given = from or upto
if given > length or (given > 0 and redis.call('GETRANGE', KEYS[2], given - 1, given - 1) ~= '\\n') then return 'invalid_position' end
local wanted = entries > 0 and math.ceil(1.25 * ${numberField('head', 'shown')} / entries * ARGV[3]) or 0
local size = math.max(tonumber(ARGV[4]), math.min(tonumber(ARGV[5]), wanted))
local found, isCut, hasMore, isSuperseded
if span > 0 then
  local _, child = lastSpan(spanAt(span), function(each) return each.start > given end)
  isSuperseded = child and given > child.after
end
if span > 0 and from then
  found = piecesAfter(span, length, entries, from, size, tonumber(ARGV[3]) + 1)
elseif span > 0 then
  found, isCut, hasMore = piecesBefore(span, length, entries, upto, size, tonumber(ARGV[3]))
elseif from then
  found = {{from, math.min(length, from + size)}}
else
  found, isCut, hasMore = {{math.max(0, upto - size), upto}}, upto > size, upto < length
end
if isDamaged then return 'corrupt' end
local text, sum = textOf(found), 0
local reply = {text, ${field('head', 'incarnation')}, 1, length, ${historyVersion('head')},
  isCut and 1 or 0, hasMore and 1 or 0, isSuperseded and 1 or 0}
for _, piece in ipairs(found) do
  sum = sum + piece[2] - piece[1]
  reply[#reply + 1] = piece[1]
  reply[#reply + 1] = piece[2]
end
if #text ~= sum then reply[3] = 0 end
-- Test doubles return only arrays that are created in one expression; a server cannot unpack long ones.
if #reply < 1000 then return {unpack(reply)} end
return reply
`);

/** A piece of a journal: where it begins and ends. */
type Piece = readonly [from: number, upto: number];

/** A part of a history, and data about the whole journal. */
interface Part {
  readonly text: string;
  readonly incarnation: string;
  /** Where the history ends. */
  readonly end: number;
  readonly version: string;
  readonly isCut: boolean;
  readonly hasMore: boolean;
  readonly isSuperseded: boolean;
  readonly pieces: readonly Piece[];
  /** Length of a text in the journal, in the unit in which the server counts. */
  readonly lengthOf: (lines: string) => number;
}

const partOf = (reply: unknown): Part | undefined => {
  const [text, incarnation, isBytes, end, version, isCut, hasMore, isSuperseded, ...offsets]: readonly unknown[] =
    Array.isArray(reply) ? reply : [];
  if (typeof text !== 'string' || typeof incarnation !== 'string' || typeof version !== 'string') return undefined;
  const lengthOf = (lines: string): number => (Number(isBytes) === 1 ? Buffer.byteLength(lines) : lines.length);
  const pieces = offsets.flatMap((from, at): Piece[] =>
    at % 2 === 0 ? [[Number(from), Number(offsets[at + 1])]] : [],
  );
  const isSet = (flag: unknown): boolean => Number(flag) === 1;
  const flags = { isCut: isSet(isCut), hasMore: isSet(hasMore), isSuperseded: isSet(isSuperseded) };
  return { text, incarnation, end: Number(end), version, ...flags, pieces, lengthOf };
};

/** A line of a journal, and where it begins and ends. */
interface Line {
  readonly text: string;
  readonly from: number;
  readonly upto: number;
}

/**
 * The whole lines of a part, from the end back if `isBackward`, and where they end. Leaves out a line that the end of
 * the part cuts.
 */
const linesOf = ({ text, pieces, isCut, lengthOf }: Part, isBackward: boolean) => {
  const texts = text.split('\n');
  if (!isBackward || text === '' || text.endsWith('\n')) texts.pop();
  if (isBackward && isCut) texts.shift();
  if (isBackward) texts.reverse();
  const rest = isBackward ? pieces.map(([from, upto]): Piece => [upto, from]).reverse() : [...pieces];
  let [offset, edge] = rest.shift() ?? [0, 0];
  const goOn = (): void => {
    while (offset === edge && rest.length > 0) [offset, edge] = rest.shift() ?? [0, 0];
  };
  const lines = texts.map((line): Line => {
    goOn();
    const begin = offset;
    offset += (isBackward ? -1 : 1) * lengthOf(`${line}\n`);
    return isBackward ? { text: line, from: offset, upto: begin } : { text: line, from: begin, upto: offset };
  });
  goOn();
  return { lines, end: offset };
};

/**
 * Reads a part of a history, piece by piece. Splits it into lines here, because the server knows neither entries nor
 * characters. If the session is removed between two pieces, the answer is `missing`, even if another session has the id
 * now. If its history is rewound or redacted between them, it is read again.
 */
export const readEntries = async (call: Call, session: SessionKeys, slice: HistorySlice): Answer<EntriesOutcome> => {
  const { after, before = '', limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
  const isBackward = after === undefined;
  const found: Line[] = [];
  let first: Part | undefined;
  let bytes = 0;
  let bounds = isBackward ? ['', String(before)] : [String(after), ''];
  for (let least = MIN_BYTES; ; ) {
    const read = await readPart(call, session, bounds, limit - found.length, least, maxBytes);
    if (read.isErr()) return err(read.error);
    const part = read.value;
    if (typeof part === 'string') return ok({ outcome: first === undefined ? part : 'missing' });
    first ??= part;
    if (first.incarnation !== part.incarnation) return ok({ outcome: 'missing' });
    if (first.version !== part.version) return readEntries(call, session, slice);
    const { lines, end } = linesOf(part, isBackward);
    if (end < 0) return err(unreadable(session));
    const fitting = lines.findIndex(({ text }, at) => {
      bytes += Buffer.byteLength(text) + 1;
      return found.length + at === limit || (bytes > maxBytes && found.length + at > 0);
    });
    const isFull = fitting >= 0;
    found.push(...(isFull ? lines.slice(0, fitting) : lines));
    if (isFull || (isBackward ? end === 0 || found.length === limit : end === part.end)) {
      const entries = positioned(isBackward ? found.reverse() : found);
      if (entries === undefined) return err(unreadable(session));
      const { isSuperseded, version } = first;
      if (!isBackward) {
        const position = isFull ? found.at(-1)?.upto : end;
        const around = { start: after, position: position ?? after, hasMore: isFull };
        return ok({ outcome: 'found', entries, ...around, isSuperseded, version });
      }
      const start = isFull ? found[0]?.from : end;
      const position = slice.before ?? first.end;
      const around = { start: start ?? 0, position, hasMore: first.hasMore };
      return ok({ outcome: 'found', entries, ...around, isSuperseded, version });
    }
    // The part is shorter than allowed, so it contains all entries.
    const size = part.pieces.reduce((sum, [from, upto]) => sum + upto - from, 0);
    if (lines.length === 0 && size < least) return err(unreadable(session));
    least = lines.length === 0 ? 4 * least : MIN_BYTES;
    bounds = isBackward ? ['', String(end)] : [String(end), ''];
  }
};

/** The entries in lines, each with the end of its line; `undefined` if they cannot be read. */
const positioned = (lines: readonly Line[]): readonly PositionedEntry[] | undefined =>
  decodeLines(lines.map(({ text }) => `${text}\n`).join(''))?.map((entry, at) => ({
    ...entry,
    position: lines[at]?.upto ?? 0,
  }));

const readPart = async (
  call: Call,
  session: SessionKeys,
  bounds: readonly string[],
  wanted: number,
  least: number,
  maxBytes: number,
): Answer<Part | 'missing' | 'invalid_position'> => {
  const args = [...bounds, String(wanted), String(least), String(Math.min(MAX_BYTES, maxBytes))];
  const reply = await call.readScript(partScript, [session.record, session.journal], args);
  if (reply.isErr()) return err(toStoreError(session)(reply.error));
  if (reply.value === 'missing' || reply.value === 'invalid_position') return ok(reply.value);
  const part = partOf(reply.value);
  return part === undefined ? err(unreadable(session)) : ok(part);
};
