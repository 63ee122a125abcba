export type {
  RemoteClaimedSession,
  RemoteClaims,
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
  RemoteSummary,
} from '../operations/outputs.js';
export type {
  CallOptions,
  RemoteAppendOptions,
  RemoteGetOptions,
  RemoteUpdateOptions,
  RemoteWatchOptions,
  WriteOptions,
} from './call-options.js';
export type {
  Aborted,
  CallError,
  ClientError,
  KeyUnavailable,
  Refused,
  RemoteError,
  RemoteErrors,
  UnexpectedAnswer,
  Unreachable,
} from './client-error.js';
export type {
  RemoteChange,
  RemoteChanged,
  RemoteDeleted,
  RemoteExpiring,
  RemoteSnapshot,
} from './read-change.js';
export { SessionClient } from './session-client.js';
export type { ClientFetch, ClientTiming, SessionClientOptions } from './session-client-options.js';
export { SessionFailure } from './session-failure.js';
