import { err, type Result } from 'neverthrow';
import { frame } from '../http/event-frame.js';
import { encoder } from '../http/event-stream.js';
import { eventStreams, mapped } from '../http/event-streams.js';
import { methodRefusal, refusal } from '../http/handler-error.js';
import type { Answer, Call } from '../http/index.js';
import { hasMethods } from '../session/fields.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { TenantChange, WatchAllOptions } from '../session/session-event.js';

/** The streams of open pages. A page beyond these limits reads its list every few seconds. */
const limits = { heartbeatMs: 15_000, maxStreams: 1000, maxStreamsPerTenant: 100 };

type Changes = AsyncIterable<Result<TenantChange, OperationErrors['watchAll']>>;

interface TenantWatch {
  watchAll(options: WatchAllOptions): Changes;
}

/** The sessions of a host may lack this method: the page then reads its list every few seconds. */
const canWatchAll = (sessions: unknown): sessions is TenantWatch =>
  hasMethods(sessions, 'watchAll');

/** The changes that a list shows, which appends are not. */
async function* listChanges(changes: Changes) {
  for await (const change of changes) {
    if (change.isErr() || change.value.type !== 'session.appended') yield change;
  }
}

/** Answers with a stream of events after which a list of the tenant's sessions may differ. */
export const listStream = (): ((call: Call<unknown>) => Answer) => {
  const stream = eventStreams(limits);
  return async (call) => {
    const { request, sessions } = call;
    const refused = methodRefusal(request);
    if (refused !== undefined) return err(refused);
    if (!canWatchAll(sessions)) return err(refusal('route_not_found'));
    return stream(call, {
      watch: (options) =>
        mapped(listChanges(sessions.watchAll(options)), ({ type }) => ({
          bytes: encoder.encode(frame('change', { type })),
        })),
      isBare: request.method === 'HEAD',
    });
  };
};
