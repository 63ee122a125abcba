import { eventsOf } from './requests.js';
import type { Change } from './session-row.js';

/** The callbacks of `follow`. */
export interface Follower {
  /** Called for each event. */
  onEvent(change: Change): void;
  /** Called when the session may have changed, to read it again. */
  refresh(): void;
  /** Called when no further event follows, because the session has ended or is deleted. */
  onEnd(): void;
  /** Called with the state of the connection, as text for the user. */
  showState(how: string): void;
}

const POLL_MS = 3000;

/** The types of all events but appends. */
export const sessionEvents = [
  'session.created',
  'session.started',
  'session.paused',
  'session.resumed',
  'session.extended',
  'session.updated',
  'session.redacted',
  'session.leased',
  'session.released',
  'session.terminated',
  'session.deleted',
];

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
  for (const type of [...sessionEvents, 'session.appended']) {
    source.addEventListener(type, ({ data }: MessageEvent<string>) => follower.onEvent(JSON.parse(data)));
  }
  source.addEventListener('session.snapshot', () => follower.refresh());
  source.addEventListener('open', () => follower.showState('live'));
  source.addEventListener('end', () => {
    source.close();
    follower.showState('');
    follower.onEnd();
    follower.refresh();
  });
  source.addEventListener('error', () => {
    follower.showState('connection lost, reconnecting');
    // Browsers do not reconnect after a response that is not an event stream.
    if (source.readyState === EventSource.CLOSED) stop = poll(follower);
  });
  return () => stop();
};

/** Follows a session through its events, or by polling if the host has no events. Returns a function that stops it. */
export const follow = (id: string, hasEvents: boolean, follower: Follower): (() => void) =>
  hasEvents ? listen(id, follower) : poll(follower);
