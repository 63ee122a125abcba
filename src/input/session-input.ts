import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import {
  CLAIM_LIMIT,
  DEFAULT_ATTEMPTS,
  HISTORY_LIMIT,
  KEY_LENGTH,
  MAX_ATTEMPTS,
  type SessionLimits,
  SWEEP_LIMIT,
} from '../session/session-limits.js';
import {
  checkFunction,
  parseLimit,
  parseName,
  parseNumber,
  parseOperationId,
  parseSwitch,
  parseUpTo,
  parseWhole,
} from './parse-fields.js';
import { parseKnown } from './parse-options.js';
import { type IssueList, parseSafely } from './parse-safely.js';
import { parseTimestamp } from './parse-timestamp.js';
import {
  cancelRules,
  extendRules,
  fencingTokenRule,
  leaseRules,
  redactRules,
  renewRules,
} from './rule.js';

export const parseId = (value: unknown): Result<string, InvalidInput> =>
  parseSafely('id', (issues) => parseName(issues, 'id', value, KEY_LENGTH));

export const parseTenant = (value: unknown): Result<string, InvalidInput> =>
  parseSafely('tenant', (issues) => parseName(issues, 'tenant', value, KEY_LENGTH));

/** The fencing token of a lease, if there is one. */
export const parseFencingToken = (issues: IssueList, fencingToken: unknown): number | undefined =>
  fencingToken === undefined
    ? undefined
    : parseWhole(issues, 'fencingToken', fencingToken, fencingTokenRule.least);

export interface ParsedCommandOptions {
  readonly operationId: string | undefined;
  readonly fencingToken: number | undefined;
}

export const commandOptionNames = ['operationId', 'fencingToken'] as const;

export const commandOptionsOf = (
  issues: IssueList,
  {
    operationId,
    fencingToken,
  }: { readonly operationId?: unknown; readonly fencingToken?: unknown },
): ParsedCommandOptions => ({
  operationId: parseOperationId(issues, operationId),
  fencingToken: parseFencingToken(issues, fencingToken),
});

export const parseCommandOptions = (options: unknown): Result<ParsedCommandOptions, InvalidInput> =>
  parseSafely('options', (issues) =>
    commandOptionsOf(issues, parseKnown(issues, 'options', options, commandOptionNames)),
  );

export const parseExtend = (
  input: unknown,
  limits: SessionLimits,
): Result<{ readonly timeLimit: number }, InvalidInput> =>
  parseSafely('input', (issues) => {
    const { timeLimit } = parseKnown(issues, 'input', input, ['timeLimit']);
    const { least, most } = extendRules.timeLimit;
    return { timeLimit: parseNumber(issues, 'timeLimit', timeLimit, least, limits[most]) };
  });

/** Parses positions of entries. Returns each once, in ascending order. */
export const parseRedaction = (positions: unknown): Result<readonly number[], InvalidInput> =>
  parseSafely('positions', (issues) => {
    const list: readonly unknown[] = Array.isArray(positions) ? positions : [];
    const fits = list.length >= 1 && list.length <= redactRules.positions.most;
    issues.check(
      fits,
      'positions',
      `must be an array of 1 to ${redactRules.positions.most} positions`,
    );
    const parsed = list
      .slice(0, redactRules.positions.most)
      .map((each, at) => parseWhole(issues, `positions[${at}]`, each, 1));
    return [...new Set(parsed)].sort((a, b) => a - b);
  });

/**
 * Parses the time from which a session wants a worker, by default `now`, in milliseconds since the
 * epoch.
 */
export const parseWake = (options: unknown, now: number): Result<number, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { at } = parseKnown(issues, 'options', options, ['at']);
    // Stores keep no times before the epoch.
    return at === undefined ? now : Math.max(0, Date.parse(parseTimestamp(issues, 'at', at)));
  });

export const parseCancel = (
  options: unknown,
): Result<{ readonly reason: string | undefined }, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { reason } = parseKnown(issues, 'options', options, ['reason']);
    if (reason === undefined || reason === null) return { reason: undefined };
    return { reason: parseName(issues, 'reason', reason, cancelRules.reason.most) };
  });

export interface ParsedClaim extends ParsedLease {
  readonly limit: number;
  readonly historyLimit: number;
  readonly maxAttempts: number;
}

const claimNames = ['holder', 'seconds', 'limit', 'historyLimit', 'attempts'] as const;

export const parseClaim = (input: unknown): Result<ParsedClaim, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = parseKnown(issues, 'input', input, claimNames);
    const { holder, seconds, limit = 1, historyLimit = 0, attempts = DEFAULT_ATTEMPTS } = fields;
    return {
      holder: parseName(issues, 'holder', holder, leaseRules.holder.most),
      durationMs: parseLeaseMs(issues, seconds, leaseRules.seconds),
      limit: parseLimit(issues, 'limit', limit, CLAIM_LIMIT),
      historyLimit: Math.min(parseWhole(issues, 'historyLimit', historyLimit, 0), HISTORY_LIMIT),
      maxAttempts: parseUpTo(issues, 'attempts', attempts, MAX_ATTEMPTS),
    };
  });

export interface ParsedLease {
  readonly holder: string;
  readonly durationMs: number;
}

const parseLeaseMs = (
  issues: IssueList,
  seconds: unknown,
  { least, most }: typeof leaseRules.seconds,
): number => Math.round(parseNumber(issues, 'seconds', seconds, least, most) * 1000);

export const parseLease = (input: unknown): Result<ParsedLease, InvalidInput> =>
  parseSafely('input', (issues) => {
    const { holder, seconds } = parseKnown(issues, 'input', input, ['holder', 'seconds']);
    return {
      holder: parseName(issues, 'holder', holder, leaseRules.holder.most),
      durationMs: parseLeaseMs(issues, seconds, leaseRules.seconds),
    };
  });

export interface ParsedRenew {
  readonly fencingToken: number;
  readonly durationMs: number;
}

export const parseRenew = (input: unknown): Result<ParsedRenew, InvalidInput> =>
  parseSafely('input', (issues) => {
    const { fencingToken, seconds } = parseKnown(issues, 'input', input, [
      'fencingToken',
      'seconds',
    ]);
    return {
      fencingToken: parseWhole(issues, 'fencingToken', fencingToken, renewRules.fencingToken.least),
      durationMs: parseLeaseMs(issues, seconds, renewRules.seconds),
    };
  });

export interface ParsedRelease {
  readonly fencingToken: number;
  readonly isDone: boolean;
}

export const parseRelease = (input: unknown): Result<ParsedRelease, InvalidInput> =>
  parseSafely('input', (issues) => {
    const { fencingToken, done } = parseKnown(issues, 'input', input, ['fencingToken', 'done']);
    return {
      fencingToken: parseWhole(issues, 'fencingToken', fencingToken, fencingTokenRule.least),
      isDone: parseSwitch(issues, 'done', done),
    };
  });

export interface ParsedSweep {
  readonly limit: number;
  readonly onEnded: ((session: unknown) => unknown) | undefined;
  readonly cursor: string | undefined;
}

export const parseSweep = (limit: unknown, options: unknown): Result<ParsedSweep, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { onEnded, cursor } = parseKnown(issues, 'options', options, ['onEnded', 'cursor']);
    checkFunction(issues, 'onEnded', onEnded);
    issues.check(
      cursor === undefined || typeof cursor === 'string',
      'cursor',
      'must be the nextCursor of a sweep',
    );
    return {
      limit: parseLimit(issues, 'limit', limit, SWEEP_LIMIT),
      onEnded: typeof onEnded === 'function' ? (session) => onEnded(session) : undefined,
      cursor: typeof cursor === 'string' ? cursor : undefined,
    };
  });
