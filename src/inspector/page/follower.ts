import { eventsOf } from './requests.js';
import type { Change } from './sessions.js';

/** Who follows a session. */
export interface Follower {
  /** An event has come. */
  onEvent(change: Change): void;
  /** Something may have happened: look. */
  refresh(): void;
  /** How the following goes, for whoever looks at the page. */
  showState(how: string): void;
}

const POLL_MS = 3000;

const changes = [
  'session.created',
  'session.started',
  'session.paused',
  'session.resumed',
  'session.appended',
  'session.terminated',
  'session.deleted',
];

const poll = ({ refresh, showState }: Follower): (() => void) => {
  showState(`looks every ${POLL_MS / 1000} seconds`);
  const timer = setInterval(() => {
    if (!document.hidden) refresh();
  }, POLL_MS);
  return () => clearInterval(timer);
};

const listen = (id: string, follower: Follower): (() => void) => {
  const source = eventsOf(id);
  let stop = () => source.close();
  for (const type of changes) {
    source.addEventListener(type, ({ data }: MessageEvent<string>) => follower.onEvent(JSON.parse(data)));
  }
  source.addEventListener('session.snapshot', () => follower.refresh());
  source.addEventListener('open', () => follower.showState('live'));
  source.addEventListener('end', () => {
    source.close();
    follower.showState('');
    follower.refresh();
  });
  source.addEventListener('error', () => {
    follower.showState('connection lost, trying again');
    // A browser does not come back after an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) stop = poll(follower);
  });
  return () => stop();
};

/** Follows a session by its events, or by looking every few seconds where the host tells none. Gives what ends it. */
export const follow = (id: string, hasEvents: boolean, follower: Follower): (() => void) =>
  hasEvents ? listen(id, follower) : poll(follower);
