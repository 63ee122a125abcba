import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { HistoryEntry, LabelChanges, SessionLabels, SessionOptions } from '../session/session.js';
import { CLAIM_LIMIT, KEY_LENGTH, type SessionLimits, SWEEP_LIMIT } from '../session/session-limits.js';
import type { ReadSize } from '../store/session-store.js';
import type { InputPolicy } from './input-policy.js';
import { parseEntries } from './parse-entries.js';
import {
  checkFunction,
  checkSwitch,
  parseFields,
  parseName,
  parseNumber,
  parseOperationId,
  parseUpTo,
  parseWhole,
} from './parse-fields.js';
import { parseLabelChanges, parseLabels } from './parse-labels.js';
import { parseHistoryLimit } from './parse-list-query.js';
import { checkKnown, parseKnown } from './parse-options.js';
import { type IssueList, parseSafely } from './parse-safely.js';
import { parseSessionOptions } from './parse-session-options.js';
import { parseTimestamp } from './parse-timestamp.js';
import {
  createRules,
  extendRules,
  fencingTokenRule,
  leaseRules,
  positionRule,
  redactRules,
  renewRules,
} from './rule.js';

export const parseId = (value: unknown): Result<string, InvalidInput> =>
  parseSafely('id', (issues) => parseName(issues, 'id', value, KEY_LENGTH));

export const parseTenant = (value: unknown): Result<string, InvalidInput> =>
  parseSafely('tenant', (issues) => parseName(issues, 'tenant', value, KEY_LENGTH));

export interface ParsedCreation extends ReadSize {
  readonly options: SessionOptions;
  readonly labels: SessionLabels | undefined;
  readonly isStarted: boolean;
  readonly isAwake: boolean;
  readonly entries: readonly HistoryEntry[];
  readonly from: { readonly id: string; readonly position?: number } | undefined;
  readonly idempotencyKey: string | undefined;
  /** With an idempotency key: the part of the input that must be the same in a repeated create. */
  readonly content: string;
}

const creationNames = [
  ...Object.keys(createRules),
  'labels',
  'start',
  'entries',
  'from',
  'idempotencyKey',
  'historyLimit',
  'wake',
];

const parseOrigin = (issues: IssueList, value: unknown): ParsedCreation['from'] => {
  if (value === undefined || value === null) return undefined;
  const fields = parseFields(issues, 'from', value);
  checkKnown(issues, fields, ['id', 'position'], 'from.');
  const { id, position } = fields;
  const name = parseName(issues, 'from.id', id, KEY_LENGTH);
  if (position === undefined || position === null) return { id: name };
  return { id: name, position: parseWhole(issues, 'from.position', position, positionRule.least) };
};

/** Parses the input of `create`. `null` in an optional field counts as absent. */
export const parseCreate = (input: unknown, policy: InputPolicy, now: string): Result<ParsedCreation, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = parseKnown(issues, 'input', input, creationNames);
    const { limits } = policy;
    const { idempotencyKey, historyLimit, start, entries, wake } = fields;
    const options: SessionOptions = parseSessionOptions(issues, fields, policy);
    checkSwitch(issues, 'start', start ?? false);
    checkSwitch(issues, 'wake', wake ?? false);
    const labels = parseLabels(issues, fields['labels']);
    const from = parseOrigin(issues, fields['from']);
    const { parsed, given } = parseEntries(issues, entries ?? [], { least: 0, now, limits });
    const isKeyed = idempotencyKey !== undefined;
    const awake = wake === true ? ['wake'] : [];
    return {
      options,
      labels,
      isStarted: start === true,
      isAwake: wake === true,
      entries: parsed,
      from,
      idempotencyKey: isKeyed ? parseName(issues, 'idempotencyKey', idempotencyKey, KEY_LENGTH) : undefined,
      content: isKeyed ? JSON.stringify([options, labels, start === true, from, given(), ...awake]) : '',
      ...parseHistoryLimit(issues, historyLimit),
    };
  });

/** The fencing token of a lease, if there is one. */
const parseFencingToken = (issues: IssueList, fencingToken: unknown): number | undefined =>
  fencingToken === undefined ? undefined : parseWhole(issues, 'fencingToken', fencingToken, fencingTokenRule.least);

export interface ParsedAppend {
  readonly entries: readonly HistoryEntry[];
  readonly operationId: string | undefined;
  /**
   * The part of the input that must be the same in a repeated append: the entries without the timestamps that were not
   * given, and `after`.
   */
  readonly content: string;
  readonly ifPosition: number | undefined;
  readonly after: number | undefined;
  readonly fencingToken: number | undefined;
}

/** Parses the entries of an append. An entry without a timestamp gets `now`. */
export const parseAppend = (
  entries: unknown,
  options: unknown,
  now: string,
  limits: SessionLimits,
): Result<ParsedAppend, InvalidInput> =>
  parseSafely('entries', (issues) => {
    const { operationId, ifPosition, after, fencingToken } = parseKnown(issues, 'options', options, [
      'operationId',
      'ifPosition',
      'after',
      'fencingToken',
    ]);
    const { parsed, given } = parseEntries(issues, entries, { least: after === undefined ? 1 : 0, now, limits });
    const name = parseOperationId(issues, operationId);
    const rewind = after === undefined ? undefined : parseWhole(issues, 'after', after, positionRule.least);
    return {
      entries: parsed,
      operationId: name,
      content: name === undefined ? '' : `${rewind ?? ''}${JSON.stringify(given())}`,
      after: rewind,
      ifPosition:
        ifPosition === undefined ? undefined : parseWhole(issues, 'ifPosition', ifPosition, positionRule.least),
      fencingToken: parseFencingToken(issues, fencingToken),
    };
  });

export interface ParsedCommandOptions {
  readonly operationId: string | undefined;
  readonly fencingToken: number | undefined;
}

export const parseCommandOptions = (options: unknown): Result<ParsedCommandOptions, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { operationId, fencingToken } = parseKnown(issues, 'options', options, ['operationId', 'fencingToken']);
    return {
      operationId: parseOperationId(issues, operationId),
      fencingToken: parseFencingToken(issues, fencingToken),
    };
  });

export const parseExtend = (
  input: unknown,
  limits: SessionLimits,
): Result<{ readonly timeLimit: number }, InvalidInput> =>
  parseSafely('input', (issues) => {
    const { timeLimit } = parseKnown(issues, 'input', input, ['timeLimit']);
    const { least, most } = extendRules.timeLimit;
    return { timeLimit: parseNumber(issues, 'timeLimit', timeLimit, least, limits[most]) };
  });

export const parseUpdate = (input: unknown): Result<LabelChanges, InvalidInput> =>
  parseSafely('input', (issues) => parseLabelChanges(issues, parseKnown(issues, 'input', input, ['labels']).labels));

/** Parses positions of entries. Returns each once, in ascending order. */
export const parseRedaction = (positions: unknown): Result<readonly number[], InvalidInput> =>
  parseSafely('positions', (issues) => {
    const list: readonly unknown[] = Array.isArray(positions) ? positions : [];
    const fits = list.length >= 1 && list.length <= redactRules.positions.most;
    issues.check(fits, 'positions', `must be an array of 1 to ${redactRules.positions.most} positions`);
    const parsed = list
      .slice(0, redactRules.positions.most)
      .map((each, at) => parseWhole(issues, `positions[${at}]`, each, 1));
    return [...new Set(parsed)].sort((a, b) => a - b);
  });

/** Parses the time from which a session wants a worker, by default `now`, in milliseconds since the epoch. */
export const parseWake = (options: unknown, now: number): Result<number, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { at } = parseKnown(issues, 'options', options, ['at']);
    return at === undefined ? now : Date.parse(parseTimestamp(issues, 'at', at));
  });

export interface ParsedClaim extends ParsedLease {
  readonly limit: number;
}

export const parseClaim = (input: unknown): Result<ParsedClaim, InvalidInput> =>
  parseSafely('input', (issues) => {
    const { holder, seconds, limit = 1 } = parseKnown(issues, 'input', input, ['holder', 'seconds', 'limit']);
    return {
      holder: parseName(issues, 'holder', holder, leaseRules.holder.most),
      durationMs: parseLeaseMs(issues, seconds, leaseRules.seconds),
      limit: parseUpTo(issues, 'limit', limit, CLAIM_LIMIT),
    };
  });

export interface ParsedLease {
  readonly holder: string;
  readonly durationMs: number;
}

const parseLeaseMs = (issues: IssueList, seconds: unknown, { least, most }: typeof leaseRules.seconds): number =>
  Math.round(parseNumber(issues, 'seconds', seconds, least, most) * 1000);

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
    const { fencingToken, seconds } = parseKnown(issues, 'input', input, ['fencingToken', 'seconds']);
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
    const { fencingToken, done = false } = parseKnown(issues, 'input', input, ['fencingToken', 'done']);
    checkSwitch(issues, 'done', done);
    return {
      fencingToken: parseWhole(issues, 'fencingToken', fencingToken, fencingTokenRule.least),
      isDone: done === true,
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
    issues.check(cursor === undefined || typeof cursor === 'string', 'cursor', 'must be the nextCursor of a sweep');
    return {
      limit: parseUpTo(issues, 'limit', limit, SWEEP_LIMIT),
      onEnded: typeof onEnded === 'function' ? (session) => onEnded(session) : undefined,
      cursor: typeof cursor === 'string' ? cursor : undefined,
    };
  });
