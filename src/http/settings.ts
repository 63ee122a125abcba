import type { SessionForm } from '../wire.js';
import type { AnswerBudget } from './answer-budget.js';
import type { Authenticate, DeniedRequest } from './authenticate.js';
import type { OpenStreams } from './open-streams.js';
import type { SnapshotTexts } from './snapshot-texts.js';
import type { Sessions, TenantSessions } from './tenant-sessions.js';

/** The options of a handler, read and with their defaults. */
export interface HandlerSettings {
  readonly sessions: Sessions<TenantSessions>;
  readonly authenticate: Authenticate;
  readonly tellDenied: (denied: DeniedRequest) => void;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly budget: AnswerBudget;
  readonly form: SessionForm;
  readonly streams: OpenStreams;
  readonly texts: SnapshotTexts;
}
