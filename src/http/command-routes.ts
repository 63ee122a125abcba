import { append, changes, remove } from '../operations/commands.js';
import { history } from '../operations/sessions.js';
import type { TenantCommands, TenantHistories } from '../operations/tenant-sessions.js';
import type { RouteGroup } from './route.js';

/**
 * The commands, for `createSessionHandler({ routes: [commandRoutes()] })`: `POST /start-session/{session_id}`,
 * `/pause-session`, `/resume-session`, `/terminate-session`, `/fail-session`, `/append-history` and `/delete-session`. With
 * them whoever has an API key drives, writes to and deletes the sessions of its tenant.
 */
export const commandRoutes = (): RouteGroup<TenantCommands> =>
  [...Object.values(changes), append, remove].map((operation) => ({ operation }));

/**
 * `GET /session/{session_id}/history`, for `createSessionHandler({ routes: [historyRoutes()] })`: a history by parts, the
 * last entries or those behind a position. Whoever has an API key can read the same by `GET /session/{session_id}`.
 */
export const historyRoutes = (): RouteGroup<TenantHistories> => [{ operation: history }];
