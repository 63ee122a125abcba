import type { SessionForm } from '../wire.js';
import type { AnswerBudget } from './answer-budget.js';
import type { Authenticate } from './api-keys.js';
import type { Sessions, TenantSessions } from './tenant-sessions.js';

/** The options of a handler, read and with their defaults. */
export interface HandlerSettings {
  readonly sessions: Sessions<TenantSessions>;
  readonly authenticate: Authenticate;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly budget: AnswerBudget;
  readonly form: SessionForm;
}
