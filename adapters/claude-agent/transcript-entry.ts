import { Result } from 'neverthrow';
import { fieldsIn, object } from '../../src/schema/object.js';
import { readArgument } from '../../src/schema/options-of.js';
import { checked, optional, typed } from '../../src/schema/schema.js';
import { anyText } from '../../src/schema/values.js';
import { wireList } from '../../src/schema/wire.js';
import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import { cutText } from '../../src/session/cut-text.js';
import { isFields } from '../../src/session/fields.js';
import { ENTRY_ID_LENGTH, ROLE_LENGTH } from '../../src/session/limits.js';
import type { HistoryEntry } from '../../src/session/session.js';
import { sha256 } from '../../src/session/sha256.js';
import { isJson, isName, textsIn } from '../sdk/entry-fields.js';

/** The key of a transcript in the SDK: of a main transcript, or with `subpath` of a subagent. */
export interface TranscriptKey {
  /** The scope. By default, the SDK derives it from the working directory. */
  readonly projectKey: string;
  /** The id that the SDK gave the session. */
  readonly sessionId: string;
  /** Not empty; absent for the main transcript. */
  readonly subpath?: string | undefined;
}

/** A line of a transcript: a JSON object. */
export interface TranscriptEntry {
  /** The kind of the line, for example `user`. */
  type: string;
  /** A line whose `uuid` is already in the transcript is not appended again. */
  uuid?: string;
  /** When the SDK wrote the line: RFC 3339. */
  timestamp?: string;
  /** The rest belongs to the SDK. */
  [name: string]: unknown;
}

/** Strings that can be a label and an idempotency key unchanged. No digest has this form. */
const PLAIN = /^(?!sha256:)[ -~]{1,256}$/;

/** A unique name of 1 to 256 characters for a text. */
export const nameOf = async (text: string): Promise<string> => {
  if (PLAIN.test(text)) return text;
  // As JSON, because lone surrogates would all become the same UTF-8.
  return `sha256:${await sha256(JSON.stringify(text))}`;
};

const keyFields = object({
  projectKey: anyText,
  sessionId: anyText,
  subpath: optional(
    checked(anyText, (text) => text !== '', 'must be absent in the key of a main transcript'),
  ),
} satisfies Readonly<Record<keyof TranscriptKey, unknown>>);

/** A key. A later version of the SDK may add fields, so unknown ones are ignored. */
const transcriptKey: typeof keyFields = {
  ...keyFields,
  read: (issues, path, value) => {
    const { projectKey, sessionId, subpath } = fieldsIn(issues, path, value);
    return keyFields.read(issues, path, { projectKey, sessionId, subpath });
  },
};

/** A unique string for a key. Throws a `TypeError` for an invalid key. */
export const textOf = (key: TranscriptKey): string => {
  const { projectKey, sessionId, subpath } = readArgument(
    'TranscriptStore',
    'key',
    transcriptKey,
    key,
  );
  const parts = ['claude-agent', projectKey, sessionId];
  if (subpath !== undefined) parts.push(subpath);
  return JSON.stringify(parts);
};

export const keyOf = (text: string): TranscriptKey => {
  // The error of `JSON.parse` quotes the text, which another program may have written.
  const parts = Result.fromThrowable((): unknown => JSON.parse(text))().unwrapOr(undefined);
  if (!Array.isArray(parts)) throw new Error('the context of a transcript is not its key');
  const [, projectKey, sessionId, subpath]: readonly unknown[] = parts;
  return {
    projectKey: String(projectKey),
    sessionId: String(sessionId),
    ...(typeof subpath === 'string' && { subpath }),
  };
};

/**
 * Maximum characters of a message that are also the content of its entry: both count towards one
 * limit.
 */
const CONTENT_LENGTH = 10_000;

const contentOf = (message: unknown): string => {
  const texts = textsIn(isFields(message) ? message['content'] : undefined);
  return cutText(texts.filter((text) => typeof text === 'string').join(''), CONTENT_LENGTH);
};

/** The entry of a history for a line: the line is its data. */
export const entryOf = (line: TranscriptEntry): NewHistoryEntry => ({
  role: isName(line.type, ROLE_LENGTH) ? line.type : 'entry',
  content: contentOf(line['message']),
  ...(isName(line.uuid, ENTRY_ID_LENGTH) && { id: line.uuid }),
  ...(isJson(line) && { data: line }),
});

const isLine = (value: unknown): value is TranscriptEntry => isFields(value);

export const givenLines = wireList(
  typed<TranscriptEntry>(isLine, 'must be an object', { type: '' }),
);

export const linesOf = (entries: readonly HistoryEntry[]): TranscriptEntry[] =>
  entries.map(({ data }): unknown => data).filter(isLine);

/** The lines to append: the first line of each `uuid` that is not `known`. */
export const newOf = (
  lines: readonly TranscriptEntry[],
  known: ReadonlySet<unknown>,
): readonly TranscriptEntry[] => {
  const seen = new Set<unknown>();
  const isNew = (uuid: unknown) =>
    !known.has(uuid) && !seen.has(uuid) && seen.add(uuid) !== undefined;
  return lines.filter(({ uuid }) => uuid === undefined || isNew(uuid));
};
