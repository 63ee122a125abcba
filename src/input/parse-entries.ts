import { exceedsBytes } from '../session/exceeds-bytes.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionLimits } from '../session/session-limits.js';
import type { IssueList } from './issue-list.js';
import {
  isFields,
  parseArray,
  parseFields,
  parseName,
  parseText,
  parseWhole,
} from './parse-fields.js';
import { parseJson, valueOfJson } from './parse-json.js';
import { checkKnown } from './parse-options.js';
import { parseTimestamp } from './parse-timestamp.js';
import { entryRules } from './rule.js';

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
