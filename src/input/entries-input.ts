import type { Result } from 'neverthrow';
import { object } from '../schema/object.js';
import { readSafely } from '../schema/read-input.js';
import { about, like, named, nullish, optional, type Schema } from '../schema/schema.js';
import { flag, list, name, onOrOff, text, whole } from '../schema/values.js';
import type { InvalidInput } from '../session/errors.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import { ENTRY_ID_LENGTH, ROLE_LENGTH } from '../session/limits.js';
import type { Mutable } from '../session/mutable.js';
import type { HistoryEntry, JsonValue } from '../session/session.js';
import { commandFields } from './command-inputs.js';
import { describedBy } from './host-schemas.js';
import type { InputPolicy } from './input-policy.js';
import { bytesRule, jsonText, valueOfJson } from './json-values.js';
import { perPolicy } from './per-policy.js';
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
const entryAt = (now: string, given: GivenEntry): HistoryEntry => {
  const { role, content, timestamp = now, id, data } = given;
  const entry: Mutable<HistoryEntry> = { role, content, timestamp };
  if (id !== undefined) entry.id = id;
  if (data !== undefined) entry.data = data;
  return Object.freeze(entry);
};

/** Entries with the time of the call where none was given. */
export const entriesAt = (now: string, given: readonly GivenEntry[]): readonly HistoryEntry[] =>
  given.map((entry) => entryAt(now, entry));

/** The rule of data that has a maximum size. */
export const dataRule = (most: number): string => `${bytesRule(most)}, together with the content`;

/** An entry of the caller. Its position elsewhere is ignored: the store gives it one. */
const newEntry = perPolicy(({ limits, schemas }): Schema<GivenEntry> => {
  const most = limits.contentBytes;
  const fields = object({
    role: about('Who said it; usually user or assistant.', like('user', name(ROLE_LENGTH))),
    content: about('What was said.', like('Hello'.slice(0, most), text(most))),
    timestamp: about('When it was said.', nullish(timestamp)),
    id: about('An id of your own.', nullish(name(ENTRY_ID_LENGTH))),
    data: describedBy(
      schemas?.data,
      'NewEntryData',
      about('Data beside the text, such as tool calls: any JSON value.', nullish(jsonText)),
    ),
    position: about(
      'Ignored, so that an entry of a history can be sent as it is.',
      nullish(whole(0)),
    ),
  });
  const rule = dataRule(most);
  return named(
    'NewHistoryEntry',
    about('A history entry. Without a timestamp, it gets the time at which it arrives.', {
      ...fields,
      read: (issues, path, value) => {
        const { role, content, timestamp, id, data: text } = fields.read(issues, path, value);
        if (text === undefined) return { role, content, timestamp, id, data: undefined };
        const fits = !exceedsBytes(text, most) && !exceedsBytes(text + content, most);
        issues.check(fits, `${path}.data`, rule);
        return { role, content, timestamp, id, data: valueOfJson(text) };
      },
    }),
  );
});

/** Entries of a policy, at least `least`. */
const entriesFrom = (least: number) =>
  perPolicy((policy) =>
    list(newEntry(policy), { least, most: policy.limits.entriesPerAppend, of: 'entries' }),
  );

const someEntries = entriesFrom(1);

/** Entries that may be missing. */
export const maybeEntries = entriesFrom(0);

/** The position of the history's end, or of an entry in it. */
const position = whole(0);

const WAKE = 'Whether a worker should claim the session.';

/** The field `wake` of an input, in which `null` counts as missing. */
export const wakeField = about(WAKE, nullish(flag, false));

const MOVED = 'Refused if the history does not end at this position.';

const conditions = {
  ifPosition: about(MOVED, optional(position)),
  wake: about(WAKE, onOrOff),
};

/** The body of an append over HTTP. */
export const appendBody = perPolicy((policy) =>
  about(
    'What to append.',
    object({
      entries: about('Oldest first. All of them are appended, or none.', someEntries(policy)),
      ...conditions,
    }),
  ),
);

const rewindFields = perPolicy((policy) => ({
  to: about('The position of an entry, or 0: the entries after it are superseded.', position),
  ifPosition: about(MOVED, like(1, position)),
  wake: wakeField,
  entries: about(
    'The entries that follow `to`, oldest first. Default: none.',
    nullish(maybeEntries(policy), []),
  ),
}));

/** The body of a rewind over HTTP. */
export const rewindBody = perPolicy((policy) =>
  about('Where to go back to, and what follows.', object(rewindFields(policy))),
);

const rewindInput = perPolicy((policy) => object({ ...commandFields, ...rewindFields(policy) }));

export interface ParsedAppend {
  readonly entries: readonly GivenEntry[];
  readonly operationId: string | undefined;
  /** Of a rewind, the position to go back to. */
  readonly to?: number;
  readonly ifPosition: number | undefined;
  readonly fencingToken: number | undefined;
  readonly wake: boolean;
}

const appendOptions = object({ ...commandFields, ...conditions });

/** Reads the arguments of an append. */
export const parseAppend = (
  entries: unknown,
  options: unknown,
  policy: InputPolicy,
): Result<ParsedAppend, InvalidInput> =>
  readSafely((issues) => {
    const fields = issues.read('options', appendOptions, options);
    const { operationId, fencingToken, ifPosition, wake } = fields;
    const all = issues.read('entries', someEntries(policy), entries);
    return { entries: all, operationId, fencingToken, ifPosition, wake };
  });

/** Reads the input of a rewind. */
export const parseRewind = (
  input: unknown,
  policy: InputPolicy,
): Result<ParsedAppend, InvalidInput> =>
  readSafely((issues) => issues.read('input', rewindInput(policy), input));
