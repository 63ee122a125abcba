/**
 * The text of a position for callers: a time in milliseconds, optionally followed by a dash and the
 * id of an event or a sequence.
 */
const positionForm = /^(\d{1,15})(?:-(?:([\w-]{1,64})\.)?(\d{1,15}))?$/;

/**
 * Where to continue a watch. It contains only data that the watcher may see: when one of its own
 * events was logged, and the sequence of that event. A position in the log would reveal the number
 * of other tenants' events, so it never leaves the engine.
 */
export interface EventPosition {
  /**
   * Milliseconds since the epoch on the clock of the log. All undelivered events were logged at
   * this time or later.
   */
  readonly ms: number;
  /** Sequence of the last known change; undefined if there is none. */
  readonly sequence: number | undefined;
  /** Distinguishes sessions that had the same id; undefined if the position does not contain it. */
  readonly incarnation: string | undefined;
}

/**
 * Clocks differ, so a time that is not from the log is reduced by this margin. If they differ by
 * more, a watcher receives a snapshot instead of events.
 */
export const CLOCK_MARGIN_MS = 10_000;

/** The log position directly before the first event of a millisecond. */
export const positionBefore = (ms: number): string =>
  ms <= 0 ? '0' : `${ms - 1}-18446744073709551615`;

/**
 * Whether a log position is after another. A position is a whole number, optionally followed by a
 * dash and a second one.
 */
export const isAfter = (position: string, other: string): boolean => {
  const [first = 0, second = 0] = position.split('-').map(Number);
  const [otherFirst = 0, otherSecond = 0] = other.split('-').map(Number);
  if (first === otherFirst) return second > otherSecond;
  return first > otherFirst;
};

/** When the event at a log position was logged, in milliseconds since the epoch. */
export const timeAt = (position: string): number => Number(position.split('-', 1)[0]);

/**
 * The incarnation in an event id. It distinguishes sessions that had the same id one after another.
 */
export const incarnationOf = (eventId: string): string =>
  eventId.slice(0, Math.max(0, eventId.lastIndexOf('.')));

/**
 * The position after the change with this id and sequence, the last known change of the session.
 */
export const positionOf = (
  ms: number,
  { id, sequence }: { readonly id: string; readonly sequence: number },
): string => {
  const text = `${ms}-${id}`;
  if (positionForm.test(text)) return text;
  return `${ms}-${sequence}`;
};

export const parsePosition = (text: string): EventPosition | undefined => {
  const [, ms, incarnation, sequence] = positionForm.exec(text) ?? [];
  if (ms === undefined) return undefined;
  return {
    ms: Number(ms),
    sequence: sequence === undefined ? undefined : Number(sequence),
    incarnation,
  };
};
