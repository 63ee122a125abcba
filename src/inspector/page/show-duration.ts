import { setText } from './dom.js';
import type { SessionRow } from './sessions.js';
import { asDuration } from './text.js';

interface Running {
  readonly session: SessionRow;
  readonly readAt: number;
}

const shown = new Map<HTMLElement, Running>();

/** The server's duration plus the time since it was read, because this machine's clock may be wrong. */
const secondsAt = ({ session, readAt }: Running, now: number): number => {
  const { status, duration, options } = session;
  if (status !== 'ACTIVE') return duration;
  const seconds = duration + (now - readAt) / 1000;
  return options.time_limit > 0 ? Math.min(seconds, options.time_limit) : seconds;
};

const draw = (target: HTMLElement, running: Running): void =>
  setText(target, asDuration(secondsAt(running, performance.now())));

/** Shows a session's duration, and updates it every second while the element is on the page. */
export const showDuration = (target: HTMLElement, session: SessionRow): void => {
  const now = performance.now();
  const before = shown.get(target);
  // The server rounds to whole seconds, so a count that still agrees is not reset.
  const agrees = before !== undefined && Math.abs(secondsAt(before, now) - session.duration) < 1.5;
  const running = { session, readAt: now };
  if (session.status !== 'ACTIVE') shown.delete(target);
  else if (!agrees) shown.set(target, running);
  draw(target, shown.get(target) ?? running);
};

setInterval(() => {
  for (const [target, running] of shown) {
    if (target.isConnected) draw(target, running);
    else shown.delete(target);
  }
}, 1000);
