import { oneAtATime } from './one-at-a-time.js';
import { listEvents } from './requests.js';

/**
 * How often the list is read, without events and with events: before a sweep, no event reports an
 * expiry.
 */
const POLL_MS = 5000;
const SLOW_POLL_MS = 15_000;

/** Milliseconds between two reads of the list, however many events arrive. */
const PAUSE_MS = 1000;

/** Milliseconds until a refused stream is asked for again. */
const RETRY_MS = 60_000;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** The events of the tenant's sessions, which a page follows while it is shown. */
const eventsFor = (onChange: () => void) => {
  let source: EventSource | undefined;
  let listenAt = 0;
  const events = {
    isLive: false,
    open(): void {
      if (source !== undefined || document.hidden || Date.now() < listenAt) return;
      const opened = listEvents();
      source = opened;
      for (const type of ['change', 'open']) opened.addEventListener(type, onChange);
      opened.addEventListener('open', () => {
        events.isLive = true;
      });
      opened.addEventListener('error', () => {
        events.isLive = false;
        // Browsers do not reconnect after a response that is not an event stream.
        if (opened.readyState !== EventSource.CLOSED) return;
        source = undefined;
        listenAt = Date.now() + RETRY_MS;
      });
    },
    close(): void {
      source?.close();
      source = undefined;
      events.isLive = false;
    },
  };
  return events;
};

/**
 * Keeps a list up to date: by the tenant's events if the host has them, and by polls. Nothing runs
 * in a hidden page.
 */
export const followList = (hasEvents: boolean, refresh: () => Promise<void>): void => {
  let readAt = Date.now();
  const read = oneAtATime(async () => {
    if (document.hidden) return;
    readAt = Date.now();
    await refresh();
    await pause();
  });
  const events = eventsFor(() => void read());
  const refreshAll = (): void => {
    void read();
    if (hasEvents) events.open();
  };
  document.addEventListener('visibilitychange', () => {
    // Browsers open few connections to one host, so a hidden page closes its own.
    if (document.hidden) events.close();
    else refreshAll();
  });
  setInterval(() => {
    const period = events.isLive ? SLOW_POLL_MS : POLL_MS;
    if (!document.hidden && Date.now() - readAt >= period) refreshAll();
  }, PAUSE_MS);
  if (hasEvents) events.open();
};
