export type {
  RemoteChange,
  RemoteChanged,
  RemoteClaimedSession,
  RemoteClaims,
  RemoteCreated,
  RemoteDeleted,
  RemoteExpiring,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
  RemoteSnapshot,
  RemoteSummary,
} from '../service/remote-results.js';
export type {
  CallOptions,
  RemoteAnswerOptions,
  RemoteAppendOptions,
  RemoteGetOptions,
  RemoteSendOptions,
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
export { SessionClient } from './session-client.js';
export type { ClientFetch, ClientTiming, SessionClientOptions } from './session-client-options.js';
export { SessionFailure } from './session-failure.js';
