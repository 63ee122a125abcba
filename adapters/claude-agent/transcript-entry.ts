import { isFields } from '../../src/input/parse-fields.js';
import type { NewHistoryEntry } from '../../src/service/append-history.js';
import type { HistoryEntry, JsonValue } from '../../src/session/session.js';
import { ENTRY_ID_LENGTH, ROLE_LENGTH } from '../../src/session/session-limits.js';
import { sha256 } from '../../src/session/sha256.js';

/** Names a transcript, as the SDK does: a main one, or with `subpath` that of a subagent. */
export interface TranscriptKey {
  /** The scope. By default the SDK makes it of the working directory. */
  readonly projectKey: string;
  /** The id that the SDK gave the session. */
  readonly sessionId: string;
  /** Not empty; absent for the main transcript. */
  readonly subpath?: string | undefined;
}

/** A line of a transcript: a JSON object. */
export interface TranscriptEntry {
  /** The kind of the line, such as `user`. */
  type: string;
  /** A line whose `uuid` the transcript has is not appended again. */
  uuid?: string;
  /** When the SDK wrote the line: RFC 3339. */
  timestamp?: string;
  /** The rest belongs to the SDK. */
  [name: string]: unknown;
}

/** What is a name as it is: as a label, and as an idempotency key. No digest looks like it. */
const PLAIN = /^(?!sha256:)[ -~]{1,256}$/;

/** A text as a name of 1 to 256 characters that no other text has. */
export const nameOf = async (text: string): Promise<string> => {
  if (PLAIN.test(text)) return text;
  // As JSON, because a lone surrogate has no UTF-8 of its own.
  return `sha256:${await sha256(JSON.stringify(text))}`;
};

/** A key as a text that no other key has. */
export const textOf = ({ projectKey, sessionId, subpath }: TranscriptKey): string => {
  if (subpath === '') throw new TypeError('subpath must not be empty: the key of a main transcript has none');
  return JSON.stringify(['claude-agent', projectKey, sessionId, ...(subpath === undefined ? [] : [subpath])]);
};

/** The key of a text. */
export const keyOf = (text: string): TranscriptKey => {
  const parts: unknown = JSON.parse(text);
  const [, projectKey, sessionId, subpath]: readonly unknown[] = Array.isArray(parts) ? parts : [];
  return {
    projectKey: String(projectKey),
    sessionId: String(sessionId),
    ...(typeof subpath === 'string' && { subpath }),
  };
};

/** Characters of a message that are its content too: both count into one limit. */
const CONTENT_LENGTH = 10_000;

const isName = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most;

/** The service checks what is JSON, and refuses what is not. */
const isJson = (value: unknown): value is JsonValue => value !== undefined;

const contentOf = (message: unknown): string => {
  const content = isFields(message) ? message['content'] : undefined;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.map((part) => (isFields(part) ? part['text'] : undefined));
  return texts
    .filter((text) => typeof text === 'string')
    .join('')
    .slice(0, CONTENT_LENGTH);
};

/** The entry of a history for a line: the line is its data. */
export const entryOf = (line: TranscriptEntry): NewHistoryEntry => ({
  role: isName(line.type, ROLE_LENGTH) ? line.type : 'entry',
  content: contentOf(line['message']),
  ...(isName(line.uuid, ENTRY_ID_LENGTH) && { id: line.uuid }),
  ...(isJson(line) && { data: line }),
});

/** Only lines are stored as data. */
const isLine = (value: unknown): value is TranscriptEntry => isFields(value);

/** The lines of a history without those that were erased. */
export const linesOf = (entries: readonly HistoryEntry[]): TranscriptEntry[] =>
  entries.map(({ data }): unknown => data).filter(isLine);

/** The lines to append: of those with the same `uuid` the first, unless it is known. */
export const newOf = (lines: readonly TranscriptEntry[], known: ReadonlySet<unknown>): readonly TranscriptEntry[] => {
  const seen = new Set<unknown>();
  const isNew = (uuid: unknown) => !known.has(uuid) && !seen.has(uuid) && seen.add(uuid) !== undefined;
  return lines.filter(({ uuid }) => uuid === undefined || isNew(uuid));
};
