import { eventsOf } from './requests.js';
import type { Change } from './sessions.js';

/** Who follows a session. */
export interface Follower {
  /** An event has come. */
  changed(change: Change): void;
  /** Something may have happened: look. */
  look(): void;
  /** How the following goes, for whoever looks at the page. */
  told(how: string): void;
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

const poll = ({ look, told }: Follower): (() => void) => {
  told(`looks every ${POLL_MS / 1000} seconds`);
  const timer = setInterval(() => {
    if (!document.hidden) look();
  }, POLL_MS);
  return () => clearInterval(timer);
};

const listen = (id: string, follower: Follower): (() => void) => {
  const source = eventsOf(id);
  let stop = () => source.close();
  for (const type of changes) {
    source.addEventListener(type, ({ data }: MessageEvent<string>) => follower.changed(JSON.parse(data)));
  }
  source.addEventListener('session.snapshot', () => follower.look());
  source.addEventListener('open', () => follower.told('live'));
  source.addEventListener('end', () => {
    source.close();
    follower.told('');
    follower.look();
  });
  source.addEventListener('error', () => {
    follower.told('connection lost, trying again');
    // A browser does not come back after an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) stop = poll(follower);
  });
  return () => stop();
};

/** Follows a session by its events, or by looking every few seconds where the host tells none. Gives what ends it. */
export const follow = (id: string, hasEvents: boolean, follower: Follower): (() => void) =>
  hasEvents ? listen(id, follower) : poll(follower);
