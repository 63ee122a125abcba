import { storeUnavailable } from '../errors.js';
import type { SessionChange, SessionSnapshot } from '../events/change.js';
import type { EndReason } from '../status.js';
import { type Call, inClientTerms, type RouteOf } from './call.js';
import type { HandlerError } from './errors.js';
import { endFrame, eventFrame, heartbeatLine, preamble, snapshotFrame, unavailableFrame } from './event-frames.js';
import { heartbeat, withHeartbeats } from './heartbeat.js';
import type { TenantEvents, TenantSessions } from './tenant-sessions.js';

export type WatchingCall = Call<RouteOf<'events'>, TenantSessions & TenantEvents>;

/** What is to be streamed, and how. */
export interface Watching {
  readonly call: WatchingCall;
  readonly id: string;
  /** What the session is, where the client is to begin with that. */
  readonly snapshot: SessionSnapshot | undefined;
  /** What the client knows already. */
  readonly from: string;
}

const endReasonOf = (change: SessionChange): EndReason | undefined => {
  if (change.type === 'session.terminated') return change.endReason;
  if (change.type !== 'session.snapshot') return undefined;
  return change.session.status === 'TERMINATED' ? change.session.endReason : undefined;
};

async function* framesOf({ call, id, snapshot, from }: Watching, signal: AbortSignal): AsyncGenerator<string, void> {
  const { sessions, settings, report } = call;
  const { form, heartbeatMs } = settings;
  const frameOf = (change: SessionChange): string =>
    change.type === 'session.snapshot'
      ? snapshotFrame(change, JSON.stringify(form.session(change.session)))
      : eventFrame(change);
  const broken = (error: HandlerError): string => {
    report(error);
    return unavailableFrame(error);
  };
  try {
    yield preamble;
    let reason = snapshot && endReasonOf(snapshot);
    if (snapshot !== undefined) yield frameOf(snapshot);
    if (reason === undefined) {
      const changes = sessions.watch(id, { from, signal })[Symbol.asyncIterator]();
      for await (const change of withHeartbeats(changes, heartbeatMs, signal)) {
        if (change === heartbeat) {
          yield heartbeatLine;
          continue;
        }
        if (change.isErr()) {
          yield broken(inClientTerms(change.error));
          return;
        }
        const { value } = change;
        // Between the position of a snapshot and its reading there may be changes that are in it.
        const isKnown = value.type !== 'session.snapshot' && value.sequence <= (snapshot?.sequence ?? 0);
        if (isKnown && value.type !== 'session.deleted') continue;
        reason = endReasonOf(value);
        yield frameOf(value);
      }
    }
    if (!signal.aborted) yield endFrame(reason);
  } catch (cause) {
    yield broken(storeUnavailable('the events could not be read', 'not_applied', cause));
  }
}

/** The events of a session as text, until it has ended or the client has gone. Nothing throws. */
export const eventStream = (watching: Watching): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => {
    const gone = new AbortController();
    const frames = framesOf(watching, gone.signal);
    return {
      next: () => frames.next(),
      // Of a return alone a generator hears only once something has happened.
      return: () => {
        gone.abort();
        return frames.return();
      },
    };
  },
});
