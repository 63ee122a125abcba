import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import type { HistoryEntry, SessionLabels, SessionOptions } from '../session/session.js';
import {
  ENTRY_ID_LENGTH,
  KEY_LENGTH,
  MAX_LEASE_SECONDS,
  NAME_LENGTH,
  ROLE_LENGTH,
  type SessionLimits,
  SWEEP_LIMIT,
} from '../session/session-limits.js';
import { isSessionStatus, type OpenStatus } from '../session/session-status.js';
import type { ReadSize } from '../store/session-store.js';
import type { InputPolicy } from './input-policy.js';
import { readJson, valueOfJson } from './read-json.js';
import { readLabels } from './read-labels.js';
import { readHistoryLimit } from './read-list-query.js';
import { didYouMean, nearest, readKnown } from './read-options.js';
import { type IssueList, readSafely } from './read-safely.js';
import { readTimestamp } from './read-timestamp.js';
import type { createRules, entryRules, extendRules, leaseRules, ReadBy } from './rule.js';
import {
  checkFunction,
  exceedsBytes,
  type Fields,
  isFields,
  readFields,
  readName,
  readNumber,
  readOperationId,
  readText,
  readUpTo,
  readWhole,
} from './values.js';

const checkAllowed = (issues: IssueList, path: string, name: string, allowed: ReadonlySet<string> | undefined): void =>
  issues.check(allowed?.has(name) ?? true, path, 'is not one of the names that this host allows');

const entryNames = [
  'role',
  'content',
  'timestamp',
  'id',
  'data',
] as const satisfies readonly (keyof typeof entryRules)[];

/** An unknown field would be lost. Its name is not repeated: entries come from anywhere. */
const checkEntryNames = (issues: IssueList, path: string, fields: Fields): void => {
  const unknown = Object.keys(fields).find((name) => !entryNames.some((known) => known === name));
  if (unknown === undefined) return;
  const hint = didYouMean(nearest(unknown, entryNames));
  issues.check(false, path, `has an unknown field${hint}: an entry has ${entryNames.join(', ')}`);
};

const readEntry = (issues: IssueList, path: string, value: unknown, now: string, most: number): HistoryEntry => {
  const fields = readFields(issues, path, value);
  checkEntryNames(issues, path, fields);
  const { role, content, timestamp, id, data } = fields;
  const entry = {
    role: readName(issues, `${path}.role`, role, ROLE_LENGTH),
    content: readText(issues, `${path}.content`, content, most),
    timestamp:
      timestamp === undefined || timestamp === null ? now : readTimestamp(issues, `${path}.timestamp`, timestamp),
  };
  if ((id ?? data ?? undefined) === undefined) return Object.freeze(entry);
  const more = {
    ...(id !== undefined && id !== null && { id: readName(issues, `${path}.id`, id, ENTRY_ID_LENGTH) }),
  } satisfies Partial<ReadBy<typeof entryRules>>;
  const text = readJson(issues, `${path}.data`, data ?? undefined);
  if (text === undefined) return Object.freeze({ ...entry, ...more });
  const fits = !exceedsBytes(text, most) && !exceedsBytes(text + entry.content, most);
  issues.check(fits, `${path}.data`, `must have at most ${most} bytes of UTF-8 as JSON, together with the content`);
  return Object.freeze({ ...entry, ...more, data: valueOfJson(text) });
};

export const readId = (value: unknown): Result<string, InvalidInput> =>
  readSafely('id', (issues) => readName(issues, 'id', value, KEY_LENGTH));

export const readTenant = (value: unknown): Result<string, InvalidInput> =>
  readSafely('tenant', (issues) => readName(issues, 'tenant', value, KEY_LENGTH));

export interface ReadCreation extends ReadSize {
  readonly options: SessionOptions;
  readonly labels: SessionLabels | undefined;
  readonly idempotencyKey: string | undefined;
}

const creationNames = [
  'face',
  'profile',
  'behavior',
  'context',
  'timeLimit',
  'labels',
  'idempotencyKey',
  'historyLimit',
] as const;

/** Reads the input of `create`. `null` in an optional field counts as absent. */
export const readCreate = (
  input: unknown,
  { limits, faces, profiles }: InputPolicy,
): Result<ReadCreation, InvalidInput> =>
  readSafely('input', (issues) => {
    const fields = readKnown(issues, 'input', input, creationNames);
    const { face, profile, behavior, context, timeLimit, labels, idempotencyKey, historyLimit } = fields;
    const options: SessionOptions = Object.freeze({
      face: readName(issues, 'face', face, NAME_LENGTH),
      profile: readName(issues, 'profile', profile, NAME_LENGTH),
      context: readText(issues, 'context', context ?? '', limits.textBytes),
      behavior: readText(issues, 'behavior', behavior ?? '', limits.textBytes),
      timeLimit: readNumber(issues, 'timeLimit', timeLimit ?? 0, 0, limits.timeLimit),
    } satisfies ReadBy<typeof createRules>);
    checkAllowed(issues, 'face', options.face, faces);
    checkAllowed(issues, 'profile', options.profile, profiles);
    return {
      options,
      labels: readLabels(issues, labels),
      idempotencyKey:
        idempotencyKey === undefined ? undefined : readName(issues, 'idempotencyKey', idempotencyKey, KEY_LENGTH),
      ...readHistoryLimit(issues, historyLimit),
    };
  });

/** The fencing token of a lease, if there is one. */
const readFencingToken = (issues: IssueList, fencingToken: unknown): number | undefined =>
  fencingToken === undefined ? undefined : readWhole(issues, 'fencingToken', fencingToken, 1);

export interface ReadAppend {
  readonly entries: readonly HistoryEntry[];
  readonly operationId: string | undefined;
  /** What a repeated append has in common with the first one: the entries without the times that were not given. */
  readonly content: string;
  readonly ifPosition: number | undefined;
  readonly fencingToken: number | undefined;
}

const withoutTime = ({ timestamp: _, ...rest }: HistoryEntry): unknown => rest;

const isTimed = (value: unknown): boolean =>
  isFields(value) && value['timestamp'] !== undefined && value['timestamp'] !== null;

/** Reads the entries of an append. An entry without a timestamp gets `now`. */
export const readAppend = (
  entries: unknown,
  options: unknown,
  now: string,
  limits: SessionLimits,
): Result<ReadAppend, InvalidInput> =>
  readSafely('entries', (issues) => {
    const most = limits.entriesPerAppend;
    const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
    const fits = Array.isArray(entries) && list.length >= 1 && list.length <= most;
    issues.check(fits, 'entries', `must be an array of 1 to ${most} entries`);
    const { operationId, ifPosition, fencingToken } = readKnown(issues, 'options', options, [
      'operationId',
      'ifPosition',
      'fencingToken',
    ]);
    const read = Array.from({ length: Math.min(list.length, most) }, (_, index) =>
      readEntry(issues, `entries[${index}]`, list[index], now, limits.contentBytes),
    );
    const name = readOperationId(issues, operationId);
    return {
      entries: read,
      operationId: name,
      content:
        name === undefined
          ? ''
          : JSON.stringify(read.map((entry, at) => (isTimed(list[at]) ? entry : withoutTime(entry)))),
      ifPosition: ifPosition === undefined ? undefined : readWhole(issues, 'ifPosition', ifPosition, 0),
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

export const readExtend = (input: unknown, limits: SessionLimits): Result<ReadBy<typeof extendRules>, InvalidInput> =>
  readSafely('input', (issues) => {
    const { timeLimit } = readKnown(issues, 'input', input, ['timeLimit']);
    return { timeLimit: readNumber(issues, 'timeLimit', timeLimit, 0, limits.timeLimit) };
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

export const readLease = (input: unknown): Result<ReadLease, InvalidInput> =>
  readSafely('input', (issues) => {
    const { holder, seconds } = readKnown(issues, 'input', input, ['holder', 'seconds']);
    const read = {
      holder: readName(issues, 'holder', holder, KEY_LENGTH),
      seconds: readNumber(issues, 'seconds', seconds, 0.001, MAX_LEASE_SECONDS),
    } satisfies ReadBy<typeof leaseRules>;
    return { holder: read.holder, durationMs: Math.round(read.seconds * 1000) };
  });

export interface ReadRenew {
  readonly fencingToken: number;
  readonly durationMs: number;
}

export const readRenew = (input: unknown): Result<ReadRenew, InvalidInput> =>
  readSafely('input', (issues) => {
    const { fencingToken, seconds } = readKnown(issues, 'input', input, ['fencingToken', 'seconds']);
    return {
      fencingToken: readWhole(issues, 'fencingToken', fencingToken, 1),
      durationMs: Math.round(readNumber(issues, 'seconds', seconds, 0.001, MAX_LEASE_SECONDS) * 1000),
    };
  });

export const readRelease = (input: unknown): Result<number, InvalidInput> =>
  readSafely('input', (issues) =>
    readWhole(issues, 'fencingToken', readKnown(issues, 'input', input, ['fencingToken']).fencingToken, 1),
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
