import { err, ok, type Result } from 'neverthrow';
import { eventStreams } from '../http/event-streams.js';
import { refusal } from '../http/handler-error.js';
import type { Answer, Call } from '../http/index.js';
import { hasMethods } from '../input/parse-fields.js';
import type { WatchError } from '../session/errors.js';
import type { SessionEvent, TenantChange, WatchAllOptions } from '../session/session-event.js';

/** The streams of open pages. A page beyond these limits reads its list every few seconds. */
const limits = { heartbeatMs: 15_000, maxStreams: 1000, maxStreamsPerTenant: 100 };

interface TenantWatch {
  watchAll(options: WatchAllOptions): AsyncIterable<Result<TenantChange, WatchError>>;
}

/** The sessions of a host may lack this method: the page then reads its list every few seconds. */
const canWatchAll = (sessions: unknown): sessions is TenantWatch => hasMethods(sessions, 'watchAll');

/** The list shows nothing that appends and leases change. */
const withoutEffect: readonly string[] = ['events_lost', 'session.appended', 'session.leased', 'session.released'];

const changesList = (change: TenantChange): change is SessionEvent => !withoutEffect.includes(change.type);

/** The events that change a list. */
async function* listEvents(changes: AsyncIterable<Result<TenantChange, WatchError>>) {
  for await (const change of changes) {
    if (change.isErr()) yield err<SessionEvent, WatchError>(change.error);
    else if (changesList(change.value)) yield ok<SessionEvent, WatchError>(change.value);
  }
}

/** Answers with a stream of the events after which a list of the tenant's sessions may differ. */
export const listStream = (): ((call: Call<unknown>) => Answer) => {
  const stream = eventStreams(limits);
  return async (call) => {
    const { request, sessions } = call;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return err({ ...refusal('method_not_allowed'), allow: 'GET, HEAD' });
    }
    if (!canWatchAll(sessions)) return err(refusal('route_not_found'));
    return stream(call, {
      watch: (options) => listEvents(sessions.watchAll(options)),
      isBare: request.method === 'HEAD',
    });
  };
};
