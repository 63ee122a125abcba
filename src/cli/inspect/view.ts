import type { HistoryEntry } from '../../session/session.js';
import { print, printAll } from '../output.js';
import { jsonLine, printable } from '../printable.js';
import { sessionObject } from '../read/session-json.js';
import type { ReadChange, ReadSession } from '../read/source.js';
import { entryLines, lastOf, sessionLines, statusText } from './session-text.js';

type Event = Exclude<ReadChange, { readonly type: 'session.snapshot' }>;

/** How what is read is shown: each answers whether anybody looks on. */
export interface View {
  session(session: ReadSession): Promise<boolean>;
  /** The session once more, where events have been missed, and what of its history was not shown yet. */
  again(session: ReadSession, added: readonly HistoryEntry[]): Promise<boolean>;
  event(event: Event, added: readonly HistoryEntry[]): Promise<boolean>;
}

const DEFAULT_ENTRIES = 20;

/** For a person. */
export const textView = (history: number | undefined, room: number | undefined): View => {
  const entries = (added: readonly HistoryEntry[]): string[] => added.flatMap((entry) => entryLines(entry, room));
  return {
    session: (session) => printAll(sessionLines(session, history ?? DEFAULT_ENTRIES, room)),
    again: (session, added) => printAll([...entries(added), `now        ${statusText(session)}`]),
    event: ({ type, at, endReason }, added) => {
      if (type === 'session.appended') return printAll(entries(added));
      const reason = endReason === undefined ? '' : `, ${endReason}`;
      return print(`${printable(at)}  ${type.replace('session.', '')}${reason}`);
    },
  };
};

/** For a program: one line of JSON for a session, and while following one for each change. */
export const jsonView = (history: number | undefined, isFollowing: boolean): View => {
  const snapshot = (session: ReadSession): Promise<boolean> => {
    const shown = history === undefined ? session : { ...session, history: lastOf(session.history, history) };
    const object = sessionObject(shown);
    return print(jsonLine(isFollowing ? { type: 'session.snapshot', session: object } : object));
  };
  return {
    session: snapshot,
    again: snapshot,
    event: ({ type, id, sequence, at, endReason }, added) =>
      print(
        jsonLine({
          id,
          type,
          sequence,
          at,
          ...(endReason === undefined ? {} : { end_reason: endReason }),
          ...(type === 'session.appended' ? { entries: added } : {}),
        }),
      ),
  };
};
