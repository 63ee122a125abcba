import { isFields } from './input/values.js';
import type { SessionHead } from './session/record.js';
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

interface WireHead {
  readonly id: string;
  readonly options: WireOptions;
  readonly created_at: string;
}

/** What never changes of a session, as one JSON object. */
export const headJson = ({ id, options, createdAt }: SessionHead): string => {
  const head: WireHead = { id, options: toWireOptions(options), created_at: createdAt };
  return JSON.stringify(head);
};

const isWireOptions = (value: unknown): value is WireOptions =>
  isFields(value) &&
  typeof value['face'] === 'string' &&
  typeof value['profile'] === 'string' &&
  typeof value['context'] === 'string' &&
  typeof value['behavior'] === 'string' &&
  typeof value['time_limit'] === 'number';

const isWireHead = (value: unknown): value is WireHead =>
  isFields(value) &&
  typeof value['id'] === 'string' &&
  isWireOptions(value['options']) &&
  typeof value['created_at'] === 'string';

/** What `headJson` wrote, or nothing if it did not write this. */
export const decodeHead = (json: string): SessionHead | undefined => {
  try {
    const head: unknown = JSON.parse(json);
    if (!isWireHead(head)) return undefined;
    const { face, profile, context, behavior, time_limit: timeLimit } = head.options;
    return { id: head.id, options: { face, profile, context, behavior, timeLimit }, createdAt: head.created_at };
  } catch {
    return undefined;
  }
};

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
