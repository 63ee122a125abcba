import { exceedsBytes } from '../session/exceeds-bytes.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionLimits } from '../session/session-limits.js';
import { isFields, parseFields, parseName, parseText, parseWhole } from './parse-fields.js';
import { parseJson, valueOfJson } from './parse-json.js';
import { checkKnown } from './parse-options.js';
import type { IssueList } from './parse-safely.js';
import { parseTimestamp } from './parse-timestamp.js';
import { entryRules } from './rule.js';

const entryNames = Object.keys(entryRules);

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
    timestamp:
      timestamp === undefined || timestamp === null
        ? now
        : parseTimestamp(issues, `${path}.timestamp`, timestamp),
  };
  if ((id ?? data ?? undefined) === undefined) return Object.freeze(entry);
  const more = {
    ...(id !== undefined &&
      id !== null && { id: parseName(issues, `${path}.id`, id, entryRules.id.most) }),
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

const withoutTime = ({ timestamp: _, ...rest }: HistoryEntry): unknown => rest;

const isTimed = (value: unknown): boolean =>
  isFields(value) && value['timestamp'] !== undefined && value['timestamp'] !== null;

/** Parses entries. `given` are the same entries, without the timestamps that were not given. */
export const parseEntries = (
  issues: IssueList,
  entries: unknown,
  {
    least,
    now,
    limits,
  }: { readonly least: number; readonly now: string; readonly limits: SessionLimits },
) => {
  const most = limits.entriesPerAppend;
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const fits = Array.isArray(entries) && list.length >= least && list.length <= most;
  issues.check(fits, 'entries', `must be an array of ${least} to ${most} entries`);
  const parsed = Array.from({ length: Math.min(list.length, most) }, (_, index) =>
    parseEntry(issues, `entries[${index}]`, list[index], now, limits.contentBytes),
  );
  return {
    parsed,
    given: () => parsed.map((entry, at) => (isTimed(list[at]) ? entry : withoutTime(entry))),
  };
};
