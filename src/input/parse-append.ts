import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionLimits } from '../session/session-limits.js';
import { asGiven, by, fieldsOf, nullable, optional } from './fields-of.js';
import { parseSafely } from './issue-list.js';
import { parseEntries } from './parse-entries.js';
import { parseSwitch, parseWhole } from './parse-fields.js';
import { entriesRange, optionalEntriesRange, positionRule, rewindRules } from './rule.js';
import { commandFields } from './session-input.js';

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
