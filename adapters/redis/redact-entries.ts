import { err, ok, type Result } from 'neverthrow';
import type { Redacted } from '../../src/store/session-store.js';
import { encodeEntry, isRedacted, redactedEntry } from '../shared/stored-json.js';
import { type Call, script } from './connection.js';
import { type Answer, type Failure, outcomeOf, toStoreError, unreadable } from './failure.js';
import { decodeLines } from './journal.js';
import type { SessionKeys } from './keyspace.js';
import type { Overwrite } from './mutation.js';
import linesLua from './scripts/lines.lua';

const linesScript = script(linesLua);

/**
 * The replacement of the line that ends at a position, in the same length; none for a line of a
 * rewind and for a redacted one, and `undefined` for a line that cannot be read. Only redacted
 * lines begin with `content`.
 */
const overwritesOf = (
  start: number,
  line: string,
  position: number,
): readonly Overwrite[] | undefined => {
  if (!/^[{?]/.test(line)) return [];
  const [entry] = decodeLines(line) ?? [];
  if (entry === undefined) return undefined;
  if (isRedacted(entry)) return [];
  const { role, timestamp } = redactedEntry(entry);
  const text = `{"content":"",${encodeEntry({ role, content: '', timestamp }).slice(1).replace('"content":"",', '')}`;
  // Test doubles count characters.
  const isCharacters = position - start === line.length;
  const length = isCharacters ? text.length : Buffer.byteLength(text);
  return [[start, `${text}${' '.repeat(position - start - length - 2)},\n`]];
};

/** Overwrites lines of the session with this incarnation. */
type Overwriting = (
  incarnation: string,
  overwrites: readonly Overwrite[],
) => Promise<Result<string, Failure>>;

/** Overwrites entries in a journal: reads their lines, and then writes. */
export const redactEntries = async (
  call: Call,
  keys: SessionKeys,
  { positions }: { readonly positions: readonly number[] },
  overwrite: Overwriting,
): Answer<Redacted> => {
  const read = await call.readScript(
    linesScript,
    [keys.record, keys.journal],
    positions.map(String),
  );
  if (read.isErr()) return err(toStoreError(keys)(read.error));
  if (read.value === 'missing' || read.value === 'invalid_position') return ok(read.value);
  const [header, ...found]: readonly unknown[] = Array.isArray(read.value) ? read.value : [];
  const incarnation = String(header).split(' ')[2] ?? '';
  const overwrites: Overwrite[] = [];
  for (const [at, position] of positions.entries()) {
    const [start, line] = [Number(found[2 * at]), found[2 * at + 1]];
    const changes = typeof line === 'string' ? overwritesOf(start, line, position) : undefined;
    if (changes === undefined) return err(unreadable(keys));
    overwrites.push(...changes);
  }
  if (overwrites.length === 0) return ok('redacted');
  return outcomeOf(keys, await overwrite(incarnation, overwrites), ['redacted', 'missing']);
};
