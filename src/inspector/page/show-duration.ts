import { setText } from './dom.js';
import type { SessionRow } from './session-row.js';
import { asDuration } from './text.js';
import { drawEverySecond, drawOnce } from './ticking.js';

interface Reading {
  readonly session: SessionRow;
  /** Milliseconds on the page's clock. */
  readonly readAt: number;
}

const latest = new WeakMap<HTMLElement, Reading>();

/**
 * The server's duration plus the time since it was read, because this machine's clock may be wrong.
 */
const secondsAt = ({ session, readAt }: Reading, now: number): number => {
  const { status, duration, options } = session;
  if (status !== 'ACTIVE') return duration;
  const seconds = duration + (now - readAt) / 1000;
  return Math.min(seconds, options.time_limit || seconds);
};

/**
 * Calls `draw` with the seconds that a session was ACTIVE: now, and every second until the session
 * has ended.
 */
export const drawDuration = (
  target: HTMLElement,
  session: SessionRow,
  draw: (seconds: number) => void,
): void => {
  const now = performance.now();
  const before = latest.get(target);
  // The server rounds to seconds, so a count that still agrees is not reset.
  const agrees =
    before !== undefined &&
    before.session.status === session.status &&
    Math.abs(secondsAt(before, now) - session.duration) < 1.5;
  const reading = agrees ? before : { session, readAt: now };
  latest.set(target, reading);
  const drawNow = () => draw(secondsAt(reading, performance.now()));
  if (session.status === 'TERMINATED') drawOnce(target, drawNow);
  else drawEverySecond(target, drawNow);
};

export const showDuration = (target: HTMLElement, session: SessionRow): void =>
  drawDuration(target, session, (seconds) => setText(target, asDuration(seconds)));
