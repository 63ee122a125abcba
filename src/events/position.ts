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
  /** Milliseconds since the epoch, by the clock of the log. What was not given yet was told then or later. */
  readonly ms: number;
  /** The sequence of the last change that is known; undefined where none is. */
  readonly sequence: number | undefined;
  /** What tells apart sessions that had the same id; undefined where the position does not say. */
  readonly birth: string | undefined;
}

/**
 * Clocks differ: a time that was not told by the log is taken to be this much earlier. Where they differ more, a watcher
 * is given a snapshot in place of events.
 */
export const CLOCK_MARGIN_MS = 10_000;

/** The place behind all that stands in a log before a time. */
export const placeBefore = (ms: number): string => (ms <= 0 ? '0' : `${ms - 1}-18446744073709551615`);

/** Whether a place in a log comes after another: both are whole numbers, with a second behind a dash or without. */
export const isBehind = (place: string, other: string): boolean => {
  const [first = 0, second = 0] = place.split('-').map(Number);
  const [otherFirst = 0, otherSecond = 0] = other.split('-').map(Number);
  return first === otherFirst ? second > otherSecond : first > otherFirst;
};

/** When the event at a place in a log was told. */
export const timeAt = (place: string): number => Number(place.split('-', 1)[0]);

/** What the id of an event says of its session: it tells apart sessions that had the same id one after another. */
export const birthOf = (eventId: string): string => eventId.slice(0, Math.max(0, eventId.lastIndexOf('.')));

/** The position of a session of which the change with this id and sequence is known, and no later one. */
export const positionOf = (
  ms: number,
  { id, sequence }: { readonly id: string; readonly sequence: number },
): string => {
  const text = `${ms}-${id}`;
  return positionForm.test(text) ? text : `${ms}-${sequence}`;
};

/** The text of a position that was read. */
export const positionText = ({ ms, birth, sequence }: Position): string => {
  if (sequence === undefined) return String(ms);
  return birth === undefined ? `${ms}-${sequence}` : `${ms}-${birth}.${sequence}`;
};

/** A time that is not later than now by the clock of any log. */
export const nowAtLeast = (): number => Date.now() - CLOCK_MARGIN_MS;

/** What a position says; undefined for a text that is none. */
export const readPosition = (text: string): Position | undefined => {
  const [, ms, birth, sequence] = positionForm.exec(text) ?? [];
  if (ms === undefined) return undefined;
  return { ms: Number(ms), sequence: sequence === undefined ? undefined : Number(sequence), birth };
};
