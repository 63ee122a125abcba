import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type InvalidInput, invalidInput, type SessionError, storeUnavailable } from '../errors.js';
import type { HandlerError } from './errors.js';
import type { HandlerRequest, HandlerResponse } from './message.js';
import { isSessionError } from './problem.js';
import type { Route } from './routes.js';
import type { HandlerSettings } from './settings.js';
import type { TenantSessions } from './tenant-sessions.js';
import { inWireNames } from './wire-paths.js';
import { late, within } from './within.js';

export type Answer = Promise<Result<HandlerResponse, HandlerError>>;

export type RouteOf<O extends Route['operation']> = Extract<Route, { readonly operation: O }>;

/** What an operation works with. */
export interface Call<R extends Route = Route, S extends TenantSessions = TenantSessions> {
  readonly settings: HandlerSettings;
  /** Whose the sessions are. */
  readonly tenant: string;
  readonly sessions: S;
  readonly request: HandlerRequest;
  readonly route: R;
  /** Tells the host of an error that no answer can tell any more. */
  readonly report: (error: HandlerError) => void;
}

/** An error of the service in the client's names. */
export const inClientTerms = (error: SessionError): HandlerError => {
  if (error.type === 'invalid_input') return inWireNames(error);
  return isSessionError(error) ? error : storeUnavailable('the store gave an unknown error', 'unknown', error);
};

/** The service's answer, in time and in the client's names. */
export const answerOf = async <T, E extends SessionError>(
  { settings }: Pick<Call, 'settings'>,
  answer: ResultAsync<T, E>,
): Promise<Result<T, HandlerError>> => {
  const result = await within(settings.timeoutMs, answer);
  if (result === late) return err(storeUnavailable('the store took too long to answer', 'unknown'));
  return result.mapErr(inClientTerms);
};

/** A session's id as it stands in a path. */
export const decodeId = (encoded: string): Result<string, InvalidInput> => {
  try {
    return ok(decodeURIComponent(encoded));
  } catch {
    return err(invalidInput([{ path: 'session_id', message: 'must be percent-encoded UTF-8' }]));
  }
};
