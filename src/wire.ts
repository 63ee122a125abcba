import type { HistoryEntry, Session, SessionOptions } from './session/session.js';
import { encodedHistoryOf } from './session/view.js';

/**
 * The JSON form of `interface.md` part 2. Here alone, and in what the HTTP handler reads, are its snake_case names.
 * Texts are put together from parts rather than from objects: a store that keeps this form gives its histories as
 * text, and they go out unparsed.
 */

/** The options on the wire. */
export interface WireOptions {
  readonly face: string;
  readonly profile: string;
  readonly context: string;
  readonly behavior: string;
  readonly time_limit: number;
}

export const toWireOptions = ({ face, profile, context, behavior, timeLimit }: SessionOptions): WireOptions => ({
  face,
  profile,
  context,
  behavior,
  time_limit: timeLimit,
});

/** One history entry, with these three fields in this order and no others. */
export const entryJson = ({ role, content, timestamp }: HistoryEntry): string =>
  JSON.stringify({ role, content, timestamp });

/** One Session object. */
export const sessionJson = (session: Session): string => {
  const { id, status, options, createdAt, duration } = session;
  const history = encodedHistoryOf(session)?.json() ?? `[${session.history.map(entryJson).join(',')}]`;
  return (
    `{"id":${JSON.stringify(id)},"status":"${status}","options":${JSON.stringify(toWireOptions(options))},` +
    `"history":${history},"created_at":${JSON.stringify(createdAt)},"duration":${duration}}`
  );
};
