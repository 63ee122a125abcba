import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { type Fields, isFields } from '../session/fields.js';
import {
  CLAIM_LIMIT,
  DEFAULT_CLAIMS,
  HISTORY_LIMIT,
  KEY_LENGTH,
  MAX_CLAIMS,
  type SessionLimits,
  SWEEP_LIMIT,
} from '../session/limits.js';
import type { DataChanges } from '../session/update-labels-and-metadata.js';
import {
  by,
  fieldsOf,
  type InputOf,
  inputOf,
  nullable,
  optional,
  withDefault,
} from './fields-of.js';
import type { IssueList } from './issue-list.js';
import {
  parseArray,
  parseFunction,
  parseLimit,
  parseName,
  parseNumber,
  parseOperationId,
  parseSwitch,
  parseUpTo,
  parseWhole,
} from './parse-fields.js';
import { parseMetadataChanges } from './parse-json.js';
import { parseLabelChanges } from './parse-labels.js';
import { parseSafely } from './parse-safely.js';
import { parseTimestamp } from './parse-timestamp.js';
import {
  cancelRules,
  extendRules,
  fencingTokenRule,
  leaseRules,
  redactRules,
  revisionRule,
} from './rule.js';

export const parseId = (value: unknown): Result<string, InvalidInput> =>
  parseSafely('id', (issues) => parseName(issues, 'id', value, KEY_LENGTH));

export const parseTenant = (value: unknown): Result<string, InvalidInput> =>
  parseSafely('tenant', (issues) => parseName(issues, 'tenant', value, KEY_LENGTH));

const fencingToken = by(parseWhole, fencingTokenRule.least);

/** The options of each write on a session. */
export const commandFields = {
  operationId: parseOperationId,
  fencingToken: optional(fencingToken),
};

export const parseCommandOptions = inputOf('options', commandFields);

export type ParsedCommandOptions = InputOf<typeof parseCommandOptions>;

export const parseExtend = (
  input: unknown,
  limits: SessionLimits,
): Result<{ readonly timeLimit: number }, InvalidInput> => {
  const { least, most } = extendRules.timeLimit;
  return inputOf('input', { timeLimit: by(parseNumber, least, limits[most]) })(input);
};

/** Parses positions of entries. Returns each once, in ascending order. */
export const parseRedaction = (positions: unknown): Result<readonly number[], InvalidInput> =>
  parseSafely('positions', (issues) => {
    const size = { least: 1, most: redactRules.positions.most, of: 'positions' };
    const parsed = parseArray(issues, 'positions', positions, size).map((each, at) =>
      parseWhole(issues, `positions[${at}]`, each, 1),
    );
    return [...new Set(parsed)].sort((a, b) => a - b);
  });

/** Stores keep no times before the epoch. */
const parseWakeTime = (issues: IssueList, path: string, value: unknown): number =>
  Math.max(0, Date.parse(parseTimestamp(issues, path, value)));

export const parseWake = inputOf('options', { at: optional(parseWakeTime) });

export const parseCancel = inputOf('options', {
  reason: nullable(optional(by(parseName, cancelRules.reason.most))),
});

const parseSeconds = by(parseNumber, leaseRules.seconds.least, leaseRules.seconds.most);

const leaseFields = {
  holder: by(parseName, leaseRules.holder.most),
  seconds: parseSeconds,
};

/** From 0; above the highest it counts as that. */
const parseHistoryLimit = (issues: IssueList, path: string, value: unknown): number =>
  Math.min(parseWhole(issues, path, value, 0), HISTORY_LIMIT);

export const parseLease = inputOf('input', leaseFields);

export const parseClaim = inputOf('input', {
  ...leaseFields,
  limit: withDefault(1, by(parseLimit, CLAIM_LIMIT)),
  historyLimit: withDefault(0, parseHistoryLimit),
  attempts: withDefault(DEFAULT_CLAIMS, by(parseUpTo, MAX_CLAIMS)),
});

export type ParsedClaim = InputOf<typeof parseClaim>;

export const parseRenew = inputOf('input', { fencingToken, seconds: parseSeconds });

export const parseRelease = inputOf('input', { fencingToken, done: parseSwitch });

const parseSweepCursor = (issues: IssueList, path: string, cursor: unknown): string | undefined => {
  if (typeof cursor === 'string') return cursor;
  issues.check(cursor === undefined, path, 'must be the nextCursor of a sweep');
  return undefined;
};

const parseSweepOptions = fieldsOf({ onEnded: parseFunction, cursor: parseSweepCursor });

export const parseSweep = (limit: unknown, options: unknown) =>
  parseSafely('options', (issues) => ({
    ...parseSweepOptions(issues, 'options', options),
    limit: parseLimit(issues, 'limit', limit, SWEEP_LIMIT),
  }));

/**
 * Parses the changes of labels and metadata. `null` counts as absent, but there must be one of
 * them.
 */
export const parseUpdate = (
  input: unknown,
  limits: SessionLimits,
): Result<DataChanges, InvalidInput> =>
  parseSafely('input', (issues) => {
    const parse = fieldsOf({
      labels: parseLabelChanges,
      metadata: by(parseMetadataChanges, limits),
    });
    const changes = parse(issues, 'input', input);
    const { labels, metadata }: Fields = isFields(input) ? input : {};
    issues.check(
      (labels ?? metadata ?? undefined) !== undefined,
      'labels',
      'or metadata is required',
    );
    return changes;
  });

export const parseUpdateOptions = inputOf('options', {
  ...commandFields,
  ifRevision: optional(by(parseWhole, revisionRule.least)),
});
