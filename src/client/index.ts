export type { RemoteCreated, RemotePage, RemoteSession } from '../operations/outputs.js';
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
  RemoteHistoryError,
  RemoteListError,
  RemoteReadError,
  RemoteWatchError,
  UnexpectedAnswer,
  Unreachable,
} from './call-error.js';
export type { CallOptions, RemoteWatchOptions, WriteOptions } from './call-options.js';
export type { ClientTiming } from './client-timing.js';
export type { RemoteChange, RemoteEvent, RemoteExpiring, RemoteSnapshot } from './read-event.js';
export { SessionClient } from './session-client.js';
export type { ClientFetch, SessionClientOptions } from './session-client-options.js';
