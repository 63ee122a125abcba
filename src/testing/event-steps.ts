import { ok } from 'neverthrow';
import type { SessionEvent } from '../session/session-event.js';
import type { EventLog, SessionStore } from '../store/session-store.js';
import { answerOf } from './answers.js';
import { answered } from './opened-store.js';
import { TENANT } from './samples.js';

type WithEvents = Pick<SessionStore, 'events'>;

export const logOf = ({ events }: WithEvents): EventLog => {
  if (events === undefined)
    throw new Error("the store has no events; if that is intended, set without: ['events']");
  return events;
};

/** The position of the latest event. For an empty store, the position before the first event. */
export const latestPosition = async (store: WithEvents, tenant = TENANT): Promise<string> => {
  const log = logOf(store);
  return answerOf(log.latest(log.streamOf(tenant)));
};

export const eventsAfter = async (
  store: WithEvents,
  position: string,
  tenant = TENANT,
): Promise<readonly SessionEvent[]> => {
  const log = logOf(store);
  const page = await answerOf(log.read(log.streamOf(tenant), position, 10_000));
  return page.events;
};

/** Whether the store has events. Without them, it has no log, or a log that refuses all calls. */
export const hasEvents = async ({ events }: WithEvents): Promise<boolean> => {
  if (events === undefined) return false;
  const opened = await (events.open?.() ?? ok());
  const read = opened.isErr() ? opened : await events.latest(events.streamOf(TENANT));
  return read.isOk() || read.error.type !== 'misconfigured';
};

/** Listens to the log of a store. `heard` waits for the first call, for at most `timeoutMs`. */
export const listenTo = (store: WithEvents, timeoutMs: number) => {
  let calls = 0;
  let stop: (() => void) | undefined;
  const log = logOf(store);
  if (log.listen === undefined) {
    throw new Error(
      "the log accepts no listeners; if watches should poll it, set without: ['listen']",
    );
  }
  const listen = log.listen.bind(log);
  const heard = new Promise<void>((resolve) => {
    stop = listen(() => {
      calls += 1;
      resolve();
    }, log.streamOf(TENANT));
  });
  return {
    calls: () => calls,
    heard: () => answered('the listener of events.listen()', timeoutMs, heard),
    stop: () => stop?.(),
  };
};
