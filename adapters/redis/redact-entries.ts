import { err, ok } from 'neverthrow';
import type { Redacted, SessionKey } from '../../src/store/session-store.js';
import { encodeEntry, isRedacted, redactedEntry } from '../shared/stored-json.js';
import type { OpenCall } from './deployment.js';
import { detailText } from './detail-text.js';
import { type Answer, outcomeOf, toStoreError, unreadable } from './failure.js';
import { decodeLines } from './journal.js';
import { linesScript, redactScript } from './scripts/redact-script.js';

/** The offset of a text in a journal. */
type Change = readonly [start: number, text: string];

/**
 * The replacement of the line that ends at a position, in the same length; none for a mark and for a redacted line, and
 * `undefined` for a line that cannot be read. Only redacted lines begin with `content`.
 */
const changesOf = (start: number, line: string, position: number): readonly Change[] | undefined => {
  if (!line.startsWith('{')) return [];
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

/** Overwrites entries in a journal: reads their lines, and then writes by one script. */
export const redactEntries = async (
  { call, keys: keyspace, eventsLength }: OpenCall,
  key: SessionKey,
  positions: readonly number[],
  now: number,
): Answer<Redacted> => {
  const { writes, record, journal, events, path } = keyspace.of(key);
  const read = await call.readScript(linesScript, [record, journal], positions.map(String));
  if (read.isErr()) return err(toStoreError(key)(read.error));
  if (read.value === 'missing' || read.value === 'invalid_position') return ok(read.value);
  const [incarnation, ...found]: readonly unknown[] = Array.isArray(read.value) ? read.value : [];
  const changes: Change[] = [];
  for (const [at, position] of positions.entries()) {
    const [start, line] = [Number(found[2 * at]), found[2 * at + 1]];
    const change = typeof line === 'string' ? changesOf(start, line, position) : undefined;
    if (change === undefined) return err(unreadable(key));
    changes.push(...change);
  }
  if (changes.length === 0) return ok('redacted');
  const args = [
    String(incarnation),
    String(now),
    eventsLength,
    `${path} ${detailText({ type: 'redacted', at: now, positions })}`,
  ];
  for (const [start, text] of changes) args.push(String(start), text);
  return outcomeOf(key, await call.writeScript(redactScript, writes, [record, journal, events], args), [
    'redacted',
    'missing',
  ]);
};
