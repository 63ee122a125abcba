import type { Authenticate } from './api-keys.js';
import type { OpenStreams } from './open-streams.js';
import type { Writer } from './session-writer.js';
import type { SnapshotTexts } from './snapshot-texts.js';
import type { Sessions, TenantSessions } from './tenant-sessions.js';

/** The options of a handler, read and with their defaults. */
export interface HandlerSettings {
  readonly sessions: Sessions<TenantSessions>;
  readonly authenticate: Authenticate;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly writer: Writer;
  readonly streams: OpenStreams;
  readonly texts: SnapshotTexts;
}
