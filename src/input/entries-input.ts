import type { Result } from 'neverthrow';
import { object } from '../schema/object.js';
import { readSafely } from '../schema/read-input.js';
import { about, ignored, like, named, nullish, optional, type Schema } from '../schema/schema.js';
import { flag, list, name, text, whole } from '../schema/values.js';
import { timestampOf } from '../session/clock.js';
import type { InvalidInput } from '../session/errors.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import { ENTRY_ID_LENGTH, ROLE_LENGTH } from '../session/limits.js';
import type { Mutable } from '../session/members.js';
import type { Counters, HistoryEntry, JsonValue } from '../session/session.js';
import { commandFields } from './command-inputs.js';
import { usageField } from './counters.js';
import { describedBy } from './host-schemas.js';
import type { InputPolicy } from './input-policy.js';
import { perPolicy } from './input-policy.js';
import { bytesRule, jsonText, valueOfJson } from './json-values.js';
import { timestamp } from './timestamp.js';

/** An entry as it was given, so that a repeated call has the same. */
export interface GivenEntry {
  readonly role: string;
  readonly content: string;
  /** Undefined for the time of the call. */
  readonly timestamp: string | undefined;
  readonly id: string | undefined;
  readonly data: JsonValue | undefined;
}

/** The entry to store: with a time, and without what was not given. */
export const entryAt = (now: string, given: GivenEntry): Mutable<HistoryEntry> => {
  const { role, content, timestamp = now, id, data } = given;
  const entry: Mutable<HistoryEntry> = { role, content, timestamp };
  if (id !== undefined) entry.id = id;
  if (data !== undefined) entry.data = data;
  return entry;
};

const numbered = (entry: Mutable<HistoryEntry>, turn: number | undefined): HistoryEntry => {
  if (turn !== undefined) entry.turn = turn;
  return entry;
};

/** Entries with the time of the call where none was given, and with the number of their turn. */
export const entriesAt = (
  now: number,
  given: readonly GivenEntry[],
  turn?: number,
): readonly HistoryEntry[] => {
  const at = timestampOf(now);
  return given.map((entry) => Object.freeze(numbered(entryAt(at, entry), turn)));
};

export const dataRule = (most: number): string => `${bytesRule(most)}, together with the content`;

const entryId = name(ENTRY_ID_LENGTH);

const IGNORED = 'Ignored, so that an entry of a history can be sent as it is.';

/** An entry of the caller. Its place elsewhere is ignored: the store gives it one. */
const entryFields = (
  { limits: { contentBytes: most }, schemas }: InputPolicy,
  role: Schema<string>,
  id: Schema<string>,
): Schema<GivenEntry> => {
  const fields = object({
    role: about('Who said it; usually user or assistant.', role),
    content: about('What was said.', like('Hello'.slice(0, most), text(most))),
    timestamp: about('When it was said.', nullish(timestamp)),
    id: about('An id of your own.', nullish(id)),
    data: describedBy(
      schemas?.data,
      'NewEntryData',
      about('Data next to the text, like tool calls: any JSON value.', nullish(jsonText)),
    ),
    position: about(IGNORED, ignored(whole(0))),
    turn: about(IGNORED, ignored(whole(1))),
    message: about(IGNORED, ignored(flag)),
  });
  const rule = dataRule(most);
  return {
    ...fields,
    read: (issues, path, value) => {
      const { role, content, timestamp, id, data: json } = fields.read(issues, path, value);
      if (json === undefined) return { role, content, timestamp, id, data: undefined };
      const fits = !exceedsBytes(json, most) && !exceedsBytes(json + content, most);
      issues.check(fits, path ? `${path}.data` : 'data', rule);
      return { role, content, timestamp, id, data: valueOfJson(json) };
    },
  };
};

const newEntry = perPolicy((policy) =>
  named(
    'NewHistoryEntry',
    about(
      'A history entry. Without a timestamp, it gets the time at which it arrives.',
      entryFields(policy, like('user', name(ROLE_LENGTH)), entryId),
    ),
  ),
);

/** An entry that is given as an object or as its text, with a default of its role. */
export const textOrEntry = (
  policy: InputPolicy,
  role: string,
  id: Schema<string> = entryId,
): Schema<GivenEntry> => {
  const entry = entryFields(policy, nullish(name(ROLE_LENGTH), role), id);
  return {
    ...entry,
    read: (issues, path, value) =>
      entry.read(issues, path, typeof value === 'string' ? { content: value } : value),
  };
};

const entriesFrom = (least: number) =>
  perPolicy((policy) =>
    list(newEntry(policy), { least, most: policy.limits.entriesPerAppend, of: 'entries' }),
  );

const someEntries = entriesFrom(1);

export const maybeEntries = entriesFrom(0);

export const position = whole(0);

const WAKE = 'Whether a worker should claim the session.';

export const wakeField = about(WAKE, nullish(flag, false));

const MOVED = 'Refused if the history does not end at this position.';

export const ifPosition = about(MOVED, optional(position));

export const appendBody = perPolicy((policy) =>
  about(
    'What to append.',
    object({
      entries: about('Oldest first. All of them are appended, or none.', someEntries(policy)),
      ifPosition,
      usage: usageField,
    }),
  ),
);

export interface ParsedAppend {
  readonly entries: readonly GivenEntry[];
  readonly operationId: string | undefined;
  readonly ifPosition: number | undefined;
  readonly fencingToken: number | undefined;
  readonly usage?: Counters | undefined;
}

const appendOptions = object({ ...commandFields, ifPosition, usage: usageField });

export const parseAppend = (
  entries: unknown,
  options: unknown,
  policy: InputPolicy,
): Result<ParsedAppend, InvalidInput> =>
  readSafely((issues) => {
    const fields = issues.read('options', appendOptions, options);
    const { operationId, fencingToken, ifPosition, usage } = fields;
    const all = issues.read('entries', someEntries(policy), entries);
    return { entries: all, operationId, fencingToken, ifPosition, usage };
  });
