import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import { isFields } from '../session/fields.js';
import type { SessionLimits } from '../session/limits.js';
import type { HistoryEntry } from '../session/session.js';
import { asGiven, by, fieldsOf, nullable, optional } from './fields-of.js';
import type { IssueList } from './issue-list.js';
import {
  parseArray,
  parseFields,
  parseName,
  parseSwitch,
  parseText,
  parseWhole,
} from './parse-fields.js';
import { parseJson, valueOfJson } from './parse-json.js';
import { parseSafely } from './parse-safely.js';
import { parseTimestamp } from './parse-timestamp.js';
import {
  entriesRange,
  entryRules,
  optionalEntriesRange,
  positionRule,
  rewindRules,
} from './rule.js';
import { commandFields } from './session-input.js';
import { checkKnown } from './unknown-fields.js';

const entryNames = Object.keys(entryRules);

const isTimed = (value: unknown): boolean =>
  isFields(value) && value['timestamp'] !== undefined && value['timestamp'] !== null;

const parseEntry = (
  issues: IssueList,
  path: string,
  value: unknown,
  now: string,
  most: number,
): HistoryEntry => {
  const fields = parseFields(issues, path, value);
  // An unknown field would be lost.
  checkKnown(issues, fields, entryNames, `${path}.`);
  const { role, content, timestamp, id, data, position } = fields;
  // The place that the entry had elsewhere: its place here is given by the store.
  if (position !== undefined && position !== null)
    parseWhole(issues, `${path}.position`, position, entryRules.position.least);
  const entry = {
    role: parseName(issues, `${path}.role`, role, entryRules.role.most),
    content: parseText(issues, `${path}.content`, content, most),
    timestamp: isTimed(fields) ? parseTimestamp(issues, `${path}.timestamp`, timestamp) : now,
  };
  if ((id ?? data ?? undefined) === undefined) return Object.freeze(entry);
  const isNamed = id !== undefined && id !== null;
  const more = {
    ...(isNamed && { id: parseName(issues, `${path}.id`, id, entryRules.id.most) }),
  };
  const text = parseJson(issues, `${path}.data`, data ?? undefined);
  if (text === undefined) return Object.freeze({ ...entry, ...more });
  const fits = !exceedsBytes(text, most) && !exceedsBytes(text + entry.content, most);
  issues.check(
    fits,
    `${path}.data`,
    `must have at most ${most} bytes of UTF-8 as JSON, together with the content`,
  );
  return Object.freeze({ ...entry, ...more, data: valueOfJson(text) });
};

interface EntriesRange {
  readonly least: number;
  readonly now: string;
  readonly limits: SessionLimits;
}

/** Parses entries. `given` are the same entries, without the timestamps that were not given. */
export const parseEntries = (
  issues: IssueList,
  path: string,
  entries: unknown,
  { least, now, limits }: EntriesRange,
) => {
  const size = { least, most: limits.entriesPerAppend, of: 'entries' };
  const list = parseArray(issues, path, entries, size);
  const parsed = list.map((entry, index) =>
    parseEntry(issues, `${path}[${index}]`, entry, now, limits.contentBytes),
  );
  const givenAt = (entry: HistoryEntry, at: number): unknown => {
    if (isTimed(list[at])) return entry;
    const { timestamp: _, ...rest } = entry;
    return rest;
  };
  return { parsed, given: () => parsed.map(givenAt) };
};

export interface ParsedAppend {
  readonly entries: readonly HistoryEntry[];
  readonly operationId: string | undefined;
  /**
   * The part of the input that must be the same in a repeated call: the entries without the
   * timestamps that were not given, and of a rewind the position before them, so that it differs
   * from that of every append.
   */
  readonly content: () => string;
  /** Of a rewind, the position to go back to. */
  readonly to?: number;
  readonly ifPosition: number | undefined;
  readonly fencingToken: number | undefined;
  readonly wake: boolean;
}

const parseAppendOptions = fieldsOf({
  ...commandFields,
  ifPosition: optional(by(parseWhole, positionRule.least)),
  wake: parseSwitch,
});

const parseRewindInput = fieldsOf({
  ...commandFields,
  to: by(parseWhole, rewindRules.to.least),
  entries: asGiven,
  ifPosition: by(parseWhole, rewindRules.ifPosition.least),
  wake: nullable(parseSwitch),
});

/** Parses the entries of an append. An entry without a timestamp gets `now`. */
export const parseAppend = (
  entries: unknown,
  options: unknown,
  now: string,
  limits: SessionLimits,
): Result<ParsedAppend, InvalidInput> =>
  parseSafely('entries', (issues) => {
    const parsed = parseAppendOptions(issues, 'options', options);
    const { operationId, fencingToken, ifPosition, wake } = parsed;
    const range = { least: entriesRange.least, now, limits };
    const { parsed: all, given } = parseEntries(issues, 'entries', entries, range);
    const content = () => JSON.stringify(given());
    return { entries: all, operationId, fencingToken, ifPosition, wake, content };
  });

/** Parses the input of a rewind. An entry without a timestamp gets `now`. */
export const parseRewind = (
  input: unknown,
  now: string,
  limits: SessionLimits,
): Result<ParsedAppend, InvalidInput> =>
  parseSafely('input', (issues) => {
    const range = { least: optionalEntriesRange.least, now, limits };
    const { entries, ...parsed } = parseRewindInput(issues, 'input', input);
    const { parsed: all, given } = parseEntries(issues, 'entries', entries ?? [], range);
    const content = () => `${parsed.to}${JSON.stringify(given())}`;
    return { ...parsed, entries: all, content };
  });
