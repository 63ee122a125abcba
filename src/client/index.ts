export type {
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
  RemoteSummary,
} from '../operations/outputs.js';
export { SessionFailure } from '../session/session-failure.js';
export type {
  Aborted,
  CallError,
  ClientError,
  KeyUnavailable,
  Refused,
  RemoteAppendError,
  RemoteChangeError,
  RemoteCreateError,
  RemoteDeleteError,
  RemoteError,
  RemoteGetOrCreateError,
  RemoteHistoryError,
  RemoteLeaseError,
  RemoteListError,
  RemoteReadError,
  RemoteRedactError,
  RemoteReleaseError,
  RemoteRenewError,
  RemoteStartError,
  RemoteUpdateError,
  RemoteWatchError,
  RemoteWithLeaseError,
  UnexpectedAnswer,
  Unreachable,
} from './client-error.js';
export type {
  CallOptions,
  RemoteAppendOptions,
  RemoteGetOptions,
  RemoteUpdateOptions,
  RemoteWatchOptions,
  WriteOptions,
} from './client-request.js';
export type { RemoteChange, RemoteChanged, RemoteDeleted, RemoteExpiring, RemoteSnapshot } from './read-change.js';
export { SessionClient } from './session-client.js';
export type { ClientFetch, ClientTiming, SessionClientOptions } from './session-client-options.js';
