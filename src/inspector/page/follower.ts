import { eventsOf } from './requests.js';
import type { ChangedEvent, SessionDetail } from './session-row.js';

/** The callbacks of `follow`. */
export interface Follower {
  /** Called with the session at first, and again after a rewind or a redaction. */
  onSnapshot(session: SessionDetail): void;
  /** Called with the session and its new entries after a change. */
  onChange(change: ChangedEvent): void;
  /** Called when the session may have changed, to read it again. */
  refresh(): void;
  /** Called with the state of the connection, as text for the user. */
  showState(how: string): void;
}

const POLL_MS = 3000;

const poll = ({ refresh, showState }: Follower): (() => void) => {
  showState(`updates every ${POLL_MS / 1000} seconds`);
  const timer = setInterval(() => {
    if (!document.hidden) refresh();
  }, POLL_MS);
  return () => clearInterval(timer);
};

const listen = (id: string, follower: Follower): (() => void) => {
  const source = eventsOf(id);
  let stop = () => source.close();
  const on = (type: string, take: (data: string) => void): void =>
    source.addEventListener(type, ({ data }: MessageEvent<string>) => take(data));
  on('session.snapshot', (data) => follower.onSnapshot(JSON.parse(data)));
  on('session.changed', (data) => follower.onChange(JSON.parse(data)));
  on('open', () => follower.showState('live'));
  on('end', () => {
    source.close();
    follower.showState('');
    // If the session was deleted, this says so.
    follower.refresh();
  });
  on('error', () => {
    follower.showState('connection lost, reconnecting');
    follower.refresh();
    // Browsers do not reconnect after a response that is not an event stream.
    if (source.readyState === EventSource.CLOSED) stop = poll(follower);
  });
  return () => stop();
};

/**
 * Follows a session through its events, or by polling if the host has no events. Returns a function
 * that stops it.
 */
export const follow = (id: string, hasEvents: boolean, follower: Follower): (() => void) => {
  if (hasEvents) return listen(id, follower);
  return poll(follower);
};
