import type { SessionEvent } from './event.js';

/**
 * The form of the positions that callers are given: a time in milliseconds, and behind a dash the id of an event or the
 * number of a change.
 */
export const positionForm = /^(\d{1,15})(?:-(?:([\w-]{1,64})\.)?(\d{1,15}))?$/;

/** Whether a text has the form of a position. */
export const isPosition = (text: string): boolean => positionForm.test(text);

/**
 * Where a watch goes on. It tells of what the watcher may see and of nothing else: when an event of its own was told, and
 * which change that was. How many events of others stand before it in the log shows in no position that leaves the engine.
 */
export interface Position {
  /** Milliseconds since the epoch, by the clock of the log. Whatever is not known yet was told then or later. */
  readonly ms: number;
  /** The last change that is known; nothing where none is. */
  readonly sequence: number | undefined;
  /** The id of the last event that is known; nothing where the position is not that of an event. */
  readonly eventId: string | undefined;
}

/**
 * So much earlier than it may be, a time that was not told by the log is taken, since clocks differ. Where they differ
 * more, a watcher is given a snapshot in place of events.
 */
export const CLOCK_MARGIN_MS = 10_000;

/** Behind all that stands in a log before a time. */
export const placeBefore = (ms: number): string => (ms <= 0 ? '0' : `${ms - 1}-18446744073709551615`);

/** Whether a position in a log comes after another: both are whole numbers, with a second behind a dash or without. */
export const isBehind = (position: string, other: string): boolean => {
  const [first = 0, second = 0] = position.split('-').map(Number);
  const [otherFirst = 0, otherSecond = 0] = other.split('-').map(Number);
  return first === otherFirst ? second > otherSecond : first > otherFirst;
};

/** When the event at a position in a log was told. */
export const timeAt = (place: string): number => Number(place.split('-', 1)[0]);

/** The position behind an event that was read from a log. */
export const positionOf = ({ id, sequence, position }: SessionEvent): string => {
  const text = `${timeAt(position)}-${id}`;
  return positionForm.test(text) ? text : `${timeAt(position)}-${sequence}`;
};

/** The position of a session that is as its change of this number has left it; without one, that of this moment. */
export const positionNow = (sequence?: number): string => {
  const ms = Date.now() - CLOCK_MARGIN_MS;
  return sequence === undefined ? String(ms) : `${ms}-${sequence}`;
};

/** What a position says; nothing for a text that is none. */
export const readPosition = (text: string): Position | undefined => {
  const [, ms, birth, sequence] = positionForm.exec(text) ?? [];
  if (ms === undefined) return undefined;
  return {
    ms: Number(ms),
    sequence: sequence === undefined ? undefined : Number(sequence),
    eventId: birth === undefined ? undefined : `${birth}.${sequence}`,
  };
};
