import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { HistoryEntry, LabelChanges, SessionLabels, SessionOptions } from '../session/session.js';
import { KEY_LENGTH, type SessionLimits, SWEEP_LIMIT } from '../session/session-limits.js';
import { isSessionStatus, type OpenStatus } from '../session/session-status.js';
import type { ReadSize } from '../store/session-store.js';
import type { InputPolicy } from './input-policy.js';
import { readEntries } from './read-entries.js';
import {
  checkFunction,
  readFields,
  readName,
  readNumber,
  readOperationId,
  readUpTo,
  readWhole,
} from './read-fields.js';
import { readLabelChanges, readLabels } from './read-labels.js';
import { readHistoryLimit } from './read-list-query.js';
import { checkKnown, readKnown } from './read-options.js';
import { type IssueList, readSafely } from './read-safely.js';
import { readSessionOptions } from './read-session-options.js';
import {
  createRules,
  extendRules,
  fencingTokenRule,
  leaseRules,
  positionRule,
  redactRules,
  renewRules,
} from './rule.js';

export const readId = (value: unknown): Result<string, InvalidInput> =>
  readSafely('id', (issues) => readName(issues, 'id', value, KEY_LENGTH));

export const readTenant = (value: unknown): Result<string, InvalidInput> =>
  readSafely('tenant', (issues) => readName(issues, 'tenant', value, KEY_LENGTH));

export interface ReadCreation extends ReadSize {
  readonly options: SessionOptions;
  readonly labels: SessionLabels | undefined;
  readonly isStarted: boolean;
  readonly entries: readonly HistoryEntry[];
  readonly from: { readonly id: string; readonly position?: number } | undefined;
  readonly idempotencyKey: string | undefined;
  /** With a key: what a repeated create has in common with the first one. */
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
];

const readOrigin = (issues: IssueList, value: unknown): ReadCreation['from'] => {
  if (value === undefined || value === null) return undefined;
  const fields = readFields(issues, 'from', value);
  checkKnown(issues, fields, ['id', 'position'], 'from.');
  const { id, position } = fields;
  const name = readName(issues, 'from.id', id, KEY_LENGTH);
  if (position === undefined || position === null) return { id: name };
  return { id: name, position: readWhole(issues, 'from.position', position, positionRule.least) };
};

/** Reads the input of `create`. `null` in an optional field counts as absent. */
export const readCreate = (input: unknown, policy: InputPolicy, now: string): Result<ReadCreation, InvalidInput> =>
  readSafely('input', (issues) => {
    const fields = readKnown(issues, 'input', input, creationNames);
    const { limits } = policy;
    const { idempotencyKey, historyLimit, start, entries } = fields;
    const options: SessionOptions = readSessionOptions(issues, fields, policy);
    const isFlag = start === undefined || start === null || typeof start === 'boolean';
    issues.check(isFlag, 'start', 'must be true or false');
    const labels = readLabels(issues, fields['labels']);
    const from = readOrigin(issues, fields['from']);
    const { read, given } = readEntries(issues, entries ?? [], { least: 0, now, limits });
    const isKeyed = idempotencyKey !== undefined;
    return {
      options,
      labels,
      isStarted: start === true,
      entries: read,
      from,
      idempotencyKey: isKeyed ? readName(issues, 'idempotencyKey', idempotencyKey, KEY_LENGTH) : undefined,
      content: isKeyed ? JSON.stringify([options, labels, start === true, from, given()]) : '',
      ...readHistoryLimit(issues, historyLimit),
    };
  });

/** The fencing token of a lease, if there is one. */
const readFencingToken = (issues: IssueList, fencingToken: unknown): number | undefined =>
  fencingToken === undefined ? undefined : readWhole(issues, 'fencingToken', fencingToken, fencingTokenRule.least);

export interface ReadAppend {
  readonly entries: readonly HistoryEntry[];
  readonly operationId: string | undefined;
  /**
   * What a repeated append has in common with the first one: the entries without the times that were not given, and the
   * position that they follow if it is not the end.
   */
  readonly content: string;
  readonly ifPosition: number | undefined;
  readonly after: number | undefined;
  readonly fencingToken: number | undefined;
}

/** Reads the entries of an append. An entry without a timestamp gets `now`. */
export const readAppend = (
  entries: unknown,
  options: unknown,
  now: string,
  limits: SessionLimits,
): Result<ReadAppend, InvalidInput> =>
  readSafely('entries', (issues) => {
    const { operationId, ifPosition, after, fencingToken } = readKnown(issues, 'options', options, [
      'operationId',
      'ifPosition',
      'after',
      'fencingToken',
    ]);
    const { read, given } = readEntries(issues, entries, { least: after === undefined ? 1 : 0, now, limits });
    const name = readOperationId(issues, operationId);
    const rewind = after === undefined ? undefined : readWhole(issues, 'after', after, positionRule.least);
    return {
      entries: read,
      operationId: name,
      content: name === undefined ? '' : `${rewind ?? ''}${JSON.stringify(given())}`,
      after: rewind,
      ifPosition:
        ifPosition === undefined ? undefined : readWhole(issues, 'ifPosition', ifPosition, positionRule.least),
      fencingToken: readFencingToken(issues, fencingToken),
    };
  });

export interface ReadCommandOptions {
  readonly operationId: string | undefined;
  readonly fencingToken: number | undefined;
}

export const readCommandOptions = (options: unknown): Result<ReadCommandOptions, InvalidInput> =>
  readSafely('options', (issues) => {
    const { operationId, fencingToken } = readKnown(issues, 'options', options, ['operationId', 'fencingToken']);
    return { operationId: readOperationId(issues, operationId), fencingToken: readFencingToken(issues, fencingToken) };
  });

export const readExtend = (
  input: unknown,
  limits: SessionLimits,
): Result<{ readonly timeLimit: number }, InvalidInput> =>
  readSafely('input', (issues) => {
    const { timeLimit } = readKnown(issues, 'input', input, ['timeLimit']);
    const { least, most } = extendRules.timeLimit;
    return { timeLimit: readNumber(issues, 'timeLimit', timeLimit, least, limits[most]) };
  });

export const readUpdate = (input: unknown): Result<LabelChanges, InvalidInput> =>
  readSafely('input', (issues) => readLabelChanges(issues, readKnown(issues, 'input', input, ['labels']).labels));

/** Positions of entries, each once and rising. */
export const readRedaction = (positions: unknown): Result<readonly number[], InvalidInput> =>
  readSafely('positions', (issues) => {
    const list: readonly unknown[] = Array.isArray(positions) ? positions : [];
    const fits = list.length >= 1 && list.length <= redactRules.positions.most;
    issues.check(fits, 'positions', `must be an array of 1 to ${redactRules.positions.most} positions`);
    const read = list
      .slice(0, redactRules.positions.most)
      .map((each, at) => readWhole(issues, `positions[${at}]`, each, 1));
    return [...new Set(read)].sort((a, b) => a - b);
  });

const isOpen = (value: unknown): value is OpenStatus => isSessionStatus(value) && value !== 'TERMINATED';

export const readUnleased = (query: unknown): Result<OpenStatus, InvalidInput> =>
  readSafely('query', (issues) => {
    const { status } = readKnown(issues, 'query', query, ['status']);
    issues.check(isOpen(status), 'status', 'must be IDLE, ACTIVE or PAUSED');
    return isOpen(status) ? status : 'IDLE';
  });

export interface ReadLease {
  readonly holder: string;
  readonly durationMs: number;
}

const readLeaseMs = (issues: IssueList, seconds: unknown, { least, most }: typeof leaseRules.seconds): number =>
  Math.round(readNumber(issues, 'seconds', seconds, least, most) * 1000);

export const readLease = (input: unknown): Result<ReadLease, InvalidInput> =>
  readSafely('input', (issues) => {
    const { holder, seconds } = readKnown(issues, 'input', input, ['holder', 'seconds']);
    return {
      holder: readName(issues, 'holder', holder, leaseRules.holder.most),
      durationMs: readLeaseMs(issues, seconds, leaseRules.seconds),
    };
  });

export interface ReadRenew {
  readonly fencingToken: number;
  readonly durationMs: number;
}

export const readRenew = (input: unknown): Result<ReadRenew, InvalidInput> =>
  readSafely('input', (issues) => {
    const { fencingToken, seconds } = readKnown(issues, 'input', input, ['fencingToken', 'seconds']);
    return {
      fencingToken: readWhole(issues, 'fencingToken', fencingToken, renewRules.fencingToken.least),
      durationMs: readLeaseMs(issues, seconds, renewRules.seconds),
    };
  });

export const readRelease = (input: unknown): Result<number, InvalidInput> =>
  readSafely('input', (issues) =>
    readWhole(
      issues,
      'fencingToken',
      readKnown(issues, 'input', input, ['fencingToken']).fencingToken,
      fencingTokenRule.least,
    ),
  );

export interface ReadSweep {
  readonly limit: number;
  readonly onEnded: ((session: unknown) => unknown) | undefined;
  readonly after: string | undefined;
}

export const readSweep = (limit: unknown, options: unknown): Result<ReadSweep, InvalidInput> =>
  readSafely('options', (issues) => {
    const { onEnded, after } = readKnown(issues, 'options', options, ['onEnded', 'after']);
    checkFunction(issues, 'onEnded', onEnded);
    issues.check(after === undefined || typeof after === 'string', 'after', 'must be the next of a sweep');
    return {
      limit: readUpTo(issues, 'limit', limit, SWEEP_LIMIT),
      onEnded: typeof onEnded === 'function' ? (session) => onEnded(session) : undefined,
      after: typeof after === 'string' ? after : undefined,
    };
  });
