import { deepFreeze } from '../session/deep-freeze.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import type { JsonObject, JsonValue, MetadataChanges } from '../session/session.js';
import type { SessionLimits } from '../session/session-limits.js';
import type { IssueList } from './issue-list.js';
import { isFields } from './parse-fields.js';
import { MAX_DEPTH, parseJson, TOO_DEEP, UNREADABLE, valueOfJson } from './parse-json.js';

type Limits = Pick<SessionLimits, 'metadataBytes'>;

const bytesRule = ({ metadataBytes }: Limits): string =>
  `must have at most ${metadataBytes} bytes of UTF-8 as JSON`;

/**
 * Why an object must not be read as metadata, or undefined. Calls none of its getters. Counts the
 * values in `left`: a value takes a byte of JSON at least, so more of them than bytes are allowed
 * are too many, however often one of them is repeated.
 */
const flawIn = (value: unknown, left: { values: number }, depth = 0): string | undefined => {
  left.values -= 1;
  if (typeof value !== 'object' || value === null || left.values < 0) return undefined;
  if (depth === MAX_DEPTH) return TOO_DEEP;
  for (const [name, { get, set, value: part }] of Object.entries(
    Object.getOwnPropertyDescriptors(value),
  )) {
    if ((get ?? set) !== undefined) return 'must have no getters and setters';
    if (name === '__proto__') return 'must have no member with the name __proto__';
    const flaw = flawIn(part, left, depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

const checkedFlaw = (value: unknown, limits: Limits): string | undefined => {
  try {
    if (!isFields(value)) return 'must be an object';
    const left = { values: limits.metadataBytes };
    const flaw = flawIn(value, left);
    if (left.values < 0) return bytesRule(limits);
    return flaw;
  } catch {
    return UNREADABLE;
  }
};

const isObject = (value: JsonValue): value is JsonObject => isFields(value);

/** Metadata to set, and with `null` to remove, as a frozen copy; undefined if none is given. */
export const parseMetadataChanges = (
  issues: IssueList,
  path: string,
  value: unknown,
  limits: Limits,
): MetadataChanges | undefined => {
  if (value === undefined || value === null) return undefined;
  const flaw = checkedFlaw(value, limits);
  issues.check(flaw === undefined, path, flaw ?? '');
  if (flaw !== undefined) return undefined;
  const text = parseJson(issues, path, value);
  if (text === undefined) return undefined;
  issues.check(!exceedsBytes(text, limits.metadataBytes), path, bytesRule(limits));
  const parsed = valueOfJson(text);
  if (isObject(parsed)) return deepFreeze(parsed);
  return undefined;
};

/** The metadata of a new session; undefined for none. */
export const parseMetadata = (
  issues: IssueList,
  path: string,
  value: unknown,
  limits: Limits,
): JsonObject | undefined => {
  const parsed = parseMetadataChanges(issues, path, value, limits);
  if (parsed === undefined || Object.keys(parsed).length === 0) return undefined;
  return parsed;
};
