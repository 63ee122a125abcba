import { err, ok } from 'neverthrow';
import type { PositionedEntry } from '../../src/session/session.js';
import type { EntriesOutcome, HistorySlice } from '../../src/store/session-store.js';
import { type Call, script } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import { decodeLines } from './journal.js';
import type { SessionKeys } from './keyspace.js';
import { decodeHeader, type Piece, type RecordHeader } from './record.js';
import readLua from './scripts/read.lua';

const readScript = script(readLua);

/** Minimum number of bytes that one command reads. */
const MIN_BYTES = 16 * 1024;

/**
 * Maximum number of bytes that one command reads, unless a single entry is longer: it blocks other
 * commands.
 */
const MAX_BYTES = 1024 * 1024;

/** A part of a history, and data about the whole journal. */
interface Part {
  readonly text: string;
  readonly header: RecordHeader;
  readonly pieces: readonly Piece[];
  /** Length of a text in the journal, in the unit in which the server counts. */
  readonly lengthOf: (lines: string) => number;
}

const sizeOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, [from, upto]) => sum + upto - from, 0);

const partOf = (reply: unknown): Part | undefined => {
  const [record, text, isBytes, ...offsets]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof record !== 'string' || typeof text !== 'string') return undefined;
  const [first = '', ranges = ''] = record.split('\n', 2);
  const header = decodeHeader(first, ranges);
  const pieces = offsets.flatMap((from, at): Piece[] =>
    at % 2 === 0 ? [[Number(from), Number(offsets[at + 1])]] : [],
  );
  const lengthOf = (lines: string): number =>
    Number(isBytes) === 1 ? Buffer.byteLength(lines) : lines.length;
  return header && { text, header, pieces, lengthOf };
};

/** Whether a part begins within a piece of the history. */
const isCut = ({ header, pieces: [first] }: Part): boolean =>
  first !== undefined && !header.pieces.some(([from]) => from === first[0]);

/** Whether entries of the history are between two offsets. */
const hasEntries = ({ pieces }: RecordHeader, after: number, before: number): boolean =>
  pieces.some(([from, upto]) => Math.min(upto, before) > Math.max(from, after));

/** Whether a rewind has taken a position out of the history. */
const isBetween = (position: number, { pieces }: RecordHeader): boolean =>
  position > 0 && !pieces.some(([from, upto]) => position >= from && position <= upto);

/** A line of a journal, and where it begins and ends. */
interface Line {
  readonly text: string;
  readonly from: number;
  readonly upto: number;
}

/**
 * The whole lines of a part, from the end back if `isBackward`, and where they end. Leaves out a
 * line that the end of the part cuts.
 */
const linesOf = (part: Part, isBackward: boolean) => {
  const { text, pieces, lengthOf } = part;
  const texts = text.split('\n');
  if (!isBackward || text === '' || text.endsWith('\n')) texts.pop();
  if (isBackward && isCut(part)) texts.shift();
  if (isBackward) texts.reverse();
  const rest = isBackward
    ? pieces.map(([from, upto]): Piece => [upto, from]).reverse()
    : [...pieces];
  let [offset, edge] = rest.shift() ?? [0, 0];
  const goOn = (): void => {
    while (offset === edge && rest.length > 0) [offset, edge] = rest.shift() ?? [0, 0];
  };
  const lines = texts.map((line): Line => {
    goOn();
    const begin = offset;
    offset += (isBackward ? -1 : 1) * lengthOf(`${line}\n`);
    return isBackward
      ? { text: line, from: offset, upto: begin }
      : { text: line, from: begin, upto: offset };
  });
  goOn();
  return { lines, end: offset };
};

/** Where the next part begins: 0 or the end of the journal if no entries are beyond an offset. */
const edgeOf = ({ header }: Part, offset: number, isBackward: boolean): number => {
  if (isBackward) return hasEntries(header, 0, offset) ? offset : 0;
  return hasEntries(header, offset, header.bytes) ? offset : header.bytes;
};

/**
 * Reads a part of a history, piece by piece. Splits it into lines here, because the server knows
 * neither entries nor characters. If the session is removed between two pieces, the answer is
 * `missing`, even if another session has the id now. If its history is rewound or redacted between
 * them, it is read again.
 */
export const readEntries = async (
  call: Call,
  session: SessionKeys,
  slice: HistorySlice,
): Answer<EntriesOutcome> => {
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
    const { header } = first;
    const edge = isBackward ? 0 : part.header.bytes;
    if (header.incarnation !== part.header.incarnation) return ok({ outcome: 'missing' });
    if (header.version !== part.header.version) return readEntries(call, session, slice);
    const { lines, end: offset } = linesOf(part, isBackward);
    if (offset < 0) return err(unreadable(session));
    // Without a piece, nothing is beyond the bounds.
    const end = part.pieces.length === 0 ? edge : edgeOf(part, offset, isBackward);
    const fitting = lines.findIndex(({ text }, at) => {
      bytes += Buffer.byteLength(text) + 1;
      return found.length + at === limit || (bytes > maxBytes && found.length + at > 0);
    });
    const isFull = fitting >= 0;
    found.push(...(isFull ? lines.slice(0, fitting) : lines));
    if (isFull || (isBackward ? end === 0 || found.length === limit : end === part.header.bytes)) {
      const entries = positioned(isBackward ? found.reverse() : found);
      if (entries === undefined) return err(unreadable(session));
      const { version } = header;
      const isSuperseded = isBetween(after ?? slice.before ?? 0, header);
      if (!isBackward) {
        const position = isFull ? found.at(-1)?.upto : end;
        const around = { start: after, position: position ?? after, hasMore: isFull };
        return ok({ outcome: 'found', entries, ...around, isSuperseded, version });
      }
      const start = isFull ? found[0]?.from : end;
      const position = slice.before ?? header.bytes;
      const hasMore = hasEntries(header, position, header.bytes);
      const around = { start: start ?? 0, position, hasMore };
      return ok({ outcome: 'found', entries, ...around, isSuperseded, version });
    }
    // The part is shorter than allowed, so it contains all entries.
    if (lines.length === 0 && sizeOf(part.pieces) < least) return err(unreadable(session));
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
  const args = [
    ...bounds,
    '',
    String(wanted),
    String(least),
    String(Math.min(MAX_BYTES, maxBytes)),
  ];
  const reply = await call.readScript(readScript, [session.record, session.journal], args);
  if (reply.isErr()) return err(toStoreError(session)(reply.error));
  if (reply.value === 'missing' || reply.value === 'invalid_position') return ok(reply.value);
  const part = partOf(reply.value);
  return part === undefined ? err(unreadable(session)) : ok(part);
};
