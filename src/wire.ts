import type { SessionHead } from './session/record.js';
import type { HistoryEntry, Session, SessionOptions, SessionState } from './session/session.js';
import { encodedPartsOf } from './session/view.js';

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

/** What never changes of a session, as one JSON object. */
export const headJson = ({ id, options, createdAt }: SessionHead): string =>
  JSON.stringify({ id, options: toWireOptions(options), created_at: createdAt });

/** The options in text that is known to be theirs. */
export const decodeOptions = (json: string): SessionOptions => {
  const { face, profile, context, behavior, time_limit: timeLimit }: WireOptions = JSON.parse(json);
  return { face, profile, context, behavior, timeLimit };
};

/** One history entry, with these three fields in this order and no others. */
export const entryJson = ({ role, content, timestamp }: HistoryEntry): string =>
  JSON.stringify({ role, content, timestamp });

/** Where a session stands, which is what a command answers. */
export const stateJson = (state: SessionState): string => {
  const { id, status, duration } = state;
  return JSON.stringify({ id, status, duration, ...(status === 'TERMINATED' ? { end_reason: state.endReason } : {}) });
};

/** The text of a Session object around its status and its duration, which alone depend on the time. */
export interface SessionFrame {
  readonly start: string;
  readonly middle: string;
}

export const sessionFrame = (session: Session): SessionFrame => {
  const kept = encodedPartsOf(session);
  const options = kept?.optionsJson ?? JSON.stringify(toWireOptions(session.options));
  const history = kept?.history.json() ?? `[${session.history.map(entryJson).join(',')}]`;
  const createdAt = JSON.stringify(session.createdAt);
  return {
    start: `{"id":${JSON.stringify(session.id)},"status":"`,
    // Joined rather than added up: that makes one text of it at once, and not whenever it is sent.
    middle: ['","options":', options, ',"history":', history, ',"created_at":', createdAt, ',"duration":'].join(''),
  };
};

export const inFrame = ({ start, middle }: SessionFrame, { status, duration }: SessionState): string =>
  `${start}${status}${middle}${duration}}`;

/** One Session object. */
export const sessionJson = (session: Session): string => inFrame(sessionFrame(session), session);
