import type { EndReason } from '../status.js';

/** What has happened to a session. */
export type SessionEventType =
  | 'session.created'
  | 'session.started'
  | 'session.paused'
  | 'session.resumed'
  | 'session.appended'
  | 'session.terminated'
  | 'session.deleted';

interface EventBase {
  /** The same whenever this event is told again, and another for every other event: for de-duplication. */
  readonly id: string;
  readonly tenant: string;
  readonly sessionId: string;
  /** The number of the change within the session: 1 for its creation, then 2, 3 and so on. */
  readonly sequence: number;
  /** When it took effect: RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** Where to go on behind this event, with `from`. Of an event in a log: where it stands there. */
  readonly position: string;
}

/** One change of one session. Told at least once, in order within the session. */
export type SessionEvent =
  | (EventBase & { readonly type: Exclude<SessionEventType, 'session.terminated' | 'session.appended'> })
  | (EventBase & { readonly type: 'session.terminated'; readonly endReason: EndReason })
  | (EventBase & {
      readonly type: 'session.appended';
      /** Where the history stands after these entries, as `append` has answered. */
      readonly historyPosition: number;
    });

/** Events of one stream, in the order in which they were told. */
export interface EventPage {
  readonly events: readonly SessionEvent[];
  /** Behind the last event that was looked at. */
  readonly position: string;
  /** Whether events behind the given position are gone: a stream keeps the latest only. */
  readonly isTrimmed: boolean;
}

/**
 * The form of the positions that callers are given: a time in milliseconds, and behind a dash the id of an event or the
 * number of a change.
 */
export const positionForm = /^(\d{1,15})(?:-(?:([\w-]{1,64})\.)?(\d{1,15}))?$/;

/** Whether a text has the form of a position. */
export const isPosition = (text: string): boolean => positionForm.test(text);

/** Whether a position in a log comes after another: both are whole numbers, with a second behind a dash or without. */
export const isBehind = (position: string, other: string): boolean => {
  const [first = 0, second = 0] = position.split('-').map(Number);
  const [otherFirst = 0, otherSecond = 0] = other.split('-').map(Number);
  return first === otherFirst ? second > otherSecond : first > otherFirst;
};
