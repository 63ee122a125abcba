import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { isPosition } from '../events/position.js';
import type { WatchSignal } from '../events/session-event.js';
import { type IssueList, readSafely } from '../input/read-safely.js';
import { isFields, readName, readNumber, readOperationId } from '../input/values.js';
import type { OperationOptions } from '../service/change-session.js';
import { randomIds } from '../session/ids.js';
import { KEY_LENGTH, WARNING_SECONDS } from '../session/session-limits.js';
import { readMs } from './session-client-options.js';

/** Options of a call. */
export interface CallOptions {
  /** Ends the call at once, with the error `aborted`. */
  readonly signal?: WatchSignal;
  /** Timeout of this call in milliseconds, from 1. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}

/** Options of a write. Without an `operationId` the client generates one, so that its retries are safe. */
export interface WriteOptions extends CallOptions, OperationOptions {}

/** Options of `watch`. */
export interface RemoteWatchOptions extends Pick<CallOptions, 'signal'> {
  /** The position of an event or a snapshot, to continue after it. Default: now. */
  readonly from?: string;
  /**
   * Whole seconds before the end of the session at which `session.expiring` is sent, 1 to 86400. Default: no warning.
   */
  readonly warnBefore?: number;
  /** Milliseconds for which a lost connection is retried. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}

/** The checked options of a call. */
export interface CallSettings {
  readonly signal: WatchSignal | undefined;
  readonly timeoutMs: number | undefined;
}

const isSignal = (value: unknown): value is WatchSignal =>
  isFields(value) &&
  typeof value['aborted'] === 'boolean' &&
  typeof value['addEventListener'] === 'function' &&
  typeof value['removeEventListener'] === 'function';

const readCall = (issues: IssueList, options: unknown) => {
  issues.check(isFields(options), 'options', 'must be an object');
  const fields = isFields(options) ? options : {};
  const { signal, timeoutMs } = fields;
  issues.check(signal === undefined || isSignal(signal), 'signal', 'must be an AbortSignal');
  return {
    fields,
    signal: isSignal(signal) ? signal : undefined,
    timeoutMs: timeoutMs === undefined ? undefined : readMs(issues, 'timeoutMs', timeoutMs),
  };
};

export const readCallOptions = (options: unknown): Result<CallSettings, InvalidInput> =>
  readSafely('options', (issues) => readCall(issues, options));

/** The caller's `operationId`, or a new one. */
export const readWriteName = (options: unknown): Result<string, InvalidInput> =>
  readSafely('options', (issues) => {
    const { operationId } = isFields(options) ? options : {};
    return readOperationId(issues, operationId) ?? randomIds.next();
  });

export const readRemoteWatch = (
  options: unknown,
): Result<
  CallSettings & { readonly from: string | undefined; readonly warnBefore: number | undefined },
  InvalidInput
> =>
  readSafely('options', (issues) => {
    const { fields, ...call } = readCall(issues, options);
    const { from, warnBefore } = fields;
    const fits = from === undefined || (typeof from === 'string' && isPosition(from));
    issues.check(fits, 'from', 'must be the position of an event or of a snapshot');
    const seconds =
      warnBefore === undefined ? undefined : readNumber(issues, 'warnBefore', warnBefore, 1, WARNING_SECONDS);
    return { ...call, from: typeof from === 'string' ? from : undefined, warnBefore: seconds };
  });

/** The caller's `idempotencyKey`, if a header can contain it unchanged, or a new one. */
export const readIdempotencyKey = (input: unknown): Result<string, InvalidInput> =>
  readSafely('input', (issues) => {
    const { idempotencyKey = randomIds.next() } = isFields(input) ? input : {};
    const key = readName(issues, 'idempotencyKey', idempotencyKey, KEY_LENGTH);
    const isSendable = /^[!-~](?:[ -~]*[!-~])?$/.test(key);
    issues.check(key === '' || isSendable, 'idempotencyKey', 'must be visible ASCII characters to be sent');
    return key;
  });

/** The id of a session, encoded for a path. */
export const readIdInPath = (id: unknown): Result<string, InvalidInput> =>
  readSafely('id', (issues) => {
    const name = readName(issues, 'id', id, KEY_LENGTH);
    // URL parsers resolve the segments `.` and `..`, which would change the path.
    issues.check(!/^\.{1,2}$/.test(name), 'id', 'cannot be sent');
    const isWellFormed = !/\p{Surrogate}/u.test(name);
    issues.check(isWellFormed, 'id', 'must be well-formed Unicode to be sent');
    return isWellFormed ? encodeURIComponent(name) : '';
  });
