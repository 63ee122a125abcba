import { listEvents } from './requests.js';

/**
 * How often the list is read without events, and with them: no event tells of an end by the clock
 * before a sweep.
 */
const POLL_MS = 5000;
const SLOW_POLL_MS = 15_000;

/** Milliseconds between two reads of the list, however many events arrive. */
const PAUSE_MS = 1000;

/** Milliseconds until a refused stream is asked for again. */
const RETRY_MS = 60_000;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/**
 * Keeps a list up to date: by the tenant's events if the host has them, and by polls. Nothing runs
 * in a hidden page.
 */
export const followList = (hasEvents: boolean, refresh: () => Promise<void>): void => {
  let source: EventSource | undefined;
  let isLive = false;
  let readAt = Date.now();
  let listenAt = 0;
  let isStale = false;
  let isReading = false;

  const read = async (): Promise<void> => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale && !document.hidden) {
      isStale = false;
      readAt = Date.now();
      await refresh();
      await pause();
    }
    isReading = false;
  };

  const listen = (): void => {
    if (!hasEvents || source !== undefined || document.hidden || Date.now() < listenAt) return;
    const opened = listEvents();
    source = opened;
    for (const type of ['change', 'open']) opened.addEventListener(type, () => void read());
    opened.addEventListener('open', () => {
      isLive = true;
    });
    opened.addEventListener('error', () => {
      isLive = false;
      // Browsers do not reconnect after a response that is not an event stream.
      if (opened.readyState !== EventSource.CLOSED) return;
      source = undefined;
      listenAt = Date.now() + RETRY_MS;
    });
  };

  // Browsers open few connections to one host: a hidden page gives its own back.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      source?.close();
      source = undefined;
      isLive = false;
      return;
    }
    void read();
    listen();
  });
  setInterval(() => {
    if (document.hidden || Date.now() - readAt < (isLive ? SLOW_POLL_MS : POLL_MS)) return;
    void read();
    listen();
  }, PAUSE_MS);
  listen();
};
