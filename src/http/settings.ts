import type { Authenticate } from './api-keys.js';
import type { Writer } from './session-writer.js';
import type { Sessions, TenantSessions } from './tenant-sessions.js';

/** The options of a handler, read and with their defaults. */
export interface HandlerSettings {
  readonly sessions: Sessions<TenantSessions>;
  readonly authenticate: Authenticate;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly writer: Writer;
}
