import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionLimits } from '../session/session-limits.js';
import { parseEntries } from './parse-entries.js';
import { parseOperationId, parseSwitch, parseWhole } from './parse-fields.js';
import { parseKnown } from './parse-options.js';
import { parseSafely } from './parse-safely.js';
import { entriesRange, optionalEntriesRange, positionRule, rewindRules } from './rule.js';
import { parseFencingToken } from './session-input.js';

export interface ParsedAppend {
  readonly entries: readonly HistoryEntry[];
  readonly operationId: string | undefined;
  /**
   * The part of the input that must be the same in a repeated call: the entries without the
   * timestamps that were not given, and of a rewind the position before them, so that it differs
   * from that of every append.
   */
  readonly content: string;
  /** Of a rewind, the position to go back to. */
  readonly to: number | undefined;
  readonly ifPosition: number | undefined;
  readonly fencingToken: number | undefined;
  readonly isAwake: boolean;
}

const appendNames = ['operationId', 'ifPosition', 'fencingToken', 'wake'] as const;

/** Parses the entries of an append. An entry without a timestamp gets `now`. */
export const parseAppend = (
  entries: unknown,
  options: unknown,
  now: string,
  limits: SessionLimits,
): Result<ParsedAppend, InvalidInput> =>
  parseSafely('entries', (issues) => {
    const { operationId, ifPosition, fencingToken, wake } = parseKnown(
      issues,
      'options',
      options,
      appendNames,
    );
    const { parsed, given } = parseEntries(issues, entries, {
      least: entriesRange.least,
      now,
      limits,
    });
    const name = parseOperationId(issues, operationId);
    return {
      entries: parsed,
      operationId: name,
      content: name === undefined ? '' : JSON.stringify(given()),
      to: undefined,
      ifPosition:
        ifPosition === undefined
          ? undefined
          : parseWhole(issues, 'ifPosition', ifPosition, positionRule.least),
      fencingToken: parseFencingToken(issues, fencingToken),
      isAwake: parseSwitch(issues, 'wake', wake),
    };
  });

/** Parses the input of a rewind. An entry without a timestamp gets `now`. */
export const parseRewind = (
  input: unknown,
  now: string,
  limits: SessionLimits,
): Result<ParsedAppend, InvalidInput> =>
  parseSafely('input', (issues) => {
    const names = ['to', 'entries', 'ifPosition', 'operationId', 'fencingToken', 'wake'] as const;
    const fields = parseKnown(issues, 'input', input, names);
    const to = parseWhole(issues, 'to', fields.to, rewindRules.to.least);
    const range = { least: optionalEntriesRange.least, now, limits };
    const { parsed, given } = parseEntries(issues, fields.entries ?? [], range);
    const operationId = parseOperationId(issues, fields.operationId);
    return {
      to,
      entries: parsed,
      operationId,
      content: operationId === undefined ? '' : `${to}${JSON.stringify(given())}`,
      ifPosition: parseWhole(issues, 'ifPosition', fields.ifPosition, rewindRules.ifPosition.least),
      fencingToken: parseFencingToken(issues, fields.fencingToken),
      isAwake: parseSwitch(issues, 'wake', fields.wake ?? false),
    };
  });
