/*
 * Rules that no schema library brings. Each library reads these values by the same code of Colloquy.
 */
import { positionOfCursor } from '../../src/input/cursor.js';
import { jsonText, metadata as metadataOf, valueOfJson } from '../../src/input/json-values.js';
import { timestamp } from '../../src/input/timestamp.js';
import { IssueList } from '../../src/schema/issue-list.js';
import type { Schema } from '../../src/schema/schema.js';
import { didYouMean, nearest } from '../../src/schema/unknown-fields.js';
import { sortedLabels } from '../../src/session/labels.js';
import { defaultLimits } from '../../src/session/limits.js';
import type { JsonValue, SessionLabels } from '../../src/session/session.js';
import type { Answer } from './subject.js';

export { exceedsBytes } from '../../src/session/exceeds-bytes.js';
export {
  ENTRY_ID_LENGTH,
  KEY_LENGTH,
  LABEL_VALUE_LENGTH,
  MAX_LABELS,
  NAME_LENGTH,
  PAGE_LIMIT,
  ROLE_LENGTH,
} from '../../src/session/limits.js';

export const limits = defaultLimits;
export const STATUSES = ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'] as const;
export const ORDERS = ['newest', 'oldest', 'updated'] as const;
export const LABEL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
export const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/** Reads a value by a schema of Colloquy. `tell` is called with each rule that the value breaks. */
const readBy =
  <T>(of: Schema<T>) =>
  (value: unknown, tell: (rule: string) => void): T => {
    const issues = new IssueList();
    const read = of.read(issues, 'value', value);
    for (const { message } of issues.found) tell(message);
    return read;
  };

export const readTime = readBy(timestamp);
export const readJson = readBy(jsonText);
export const readMetadata = readBy(metadataOf(limits.metadataBytes));

/** The labels of a session by name. */
export const labelsOf = (given: Readonly<Record<string, string>>): SessionLabels | undefined =>
  sortedLabels(Object.entries(given));

export const unknownRule = (name: string, names: readonly string[]): string =>
  `is unknown${didYouMean(nearest(name, names))}`;

interface ReadEntry {
  readonly role: string;
  readonly content: string;
  readonly timestamp?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly data?: string | null | undefined;
}

interface Entry {
  readonly role: string;
  readonly content: string;
  readonly timestamp: string | undefined;
  readonly id: string | undefined;
  readonly data: JsonValue | undefined;
}

export const entryOf = ({ role, content, timestamp, id, data }: ReadEntry): Entry => ({
  role,
  content,
  timestamp: timestamp ?? undefined,
  id: id ?? undefined,
  data: data === undefined || data === null ? undefined : valueOfJson(data),
});

interface ReadCreation {
  readonly face: string;
  readonly profile: string;
  readonly context: string;
  readonly behavior: string;
  readonly timeLimit: number;
  readonly entries: readonly ReadEntry[];
}

/** What `create` works with: the options of a session in an object of their own. */
export const creationOf = (read: ReadCreation): unknown => {
  const { face, profile, context, behavior, timeLimit, entries, ...others } = read;
  const options = Object.freeze({ face, profile, context, behavior, timeLimit });
  return { ...others, options, entries: entries.map(entryOf) };
};

interface ReadQuery {
  readonly limit: number;
  readonly page?: number | undefined;
  readonly order?: string | undefined;
  readonly status?: readonly string[] | undefined;
  readonly cursor?: string | undefined;
}

const NO_CURSOR = { issues: [{ path: 'cursor', message: 'must be a cursor' }] };

/** The page that a query asks for. */
export const pageOf = ({ page, cursor, status: statuses, ...filter }: ReadQuery): Answer => {
  const offset = Math.min(((page ?? 1) - 1) * filter.limit, Number.MAX_SAFE_INTEGER);
  const range = { ...filter, statuses, offset };
  if (cursor === undefined) return { value: { range, page: page ?? 1 } };
  const position = positionOfCursor(cursor, filter.order === 'updated');
  if (position === undefined || page !== undefined) return NO_CURSOR;
  return { value: { range: { ...range, cursor: position }, page: undefined } };
};

/** Getters of a caller may throw. */
export const safely = (read: () => Answer): Answer => {
  try {
    return read();
  } catch {
    return { issues: [{ path: 'input', message: 'cannot be read: it throws' }] };
  }
};

/** `entries[0].role`, from the parts of a path. */
export const pathOf = (parts: readonly PropertyKey[]): string =>
  parts.reduce<string>((path, part) => {
    if (typeof part === 'number') return `${path}[${part}]`;
    return path === '' ? String(part) : `${path}.${String(part)}`;
  }, '');
