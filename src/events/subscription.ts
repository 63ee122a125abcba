import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput } from '../errors.js';
import type { Settings } from '../service/settings.js';
import type { EventLog } from '../store.js';
import type { WatchError, WatchSignal } from './change.js';
import type { SessionEvent } from './event.js';
import { Inbox } from './inbox.js';

/** Events that are asked for at a time by who catches up. */
const PAGE = 500;

const noEvents = (): InvalidInput =>
  invalidInput([{ path: 'store', message: 'tells no events; switch them on with its option `events`' }]);

/** An inbox that is being filled. */
export interface Open {
  readonly log: EventLog;
  readonly inbox: Inbox;
  readonly position: string;
  end(): void;
}

/** Listens before anything is read, so that nothing falls between. */
export const subscribe = async (
  { store, hub }: Settings,
  tenant: string,
  sessionId: string | undefined,
  signal: WatchSignal | undefined,
): Promise<Result<Open, WatchError>> => {
  const log = store.events;
  if (log === undefined || hub === undefined) return err(noEvents());
  const inbox = new Inbox(tenant, sessionId);
  const subscribed = await hub.subscribe(inbox);
  return subscribed.map(({ position, end }) => {
    const stop = (): void => {
      signal?.removeEventListener('abort', stop);
      inbox.close();
      end();
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    return { log, inbox, position, end: stop };
  });
};

/** The events between two positions that a reader was away for; nothing where some of them are gone. */
export async function* caughtUp(
  { log, inbox }: Open,
  from: string,
): AsyncGenerator<Result<SessionEvent | undefined, WatchError>> {
  const { tenant, sessionId } = inbox;
  for (let position = from; !inbox.isClosed; ) {
    const page = await log.read(log.streamOf(tenant), position, PAGE);
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    if (page.value.isTrimmed) yield ok(undefined);
    for (const event of page.value.events) {
      if (event.tenant === tenant && (sessionId === undefined || event.sessionId === sessionId)) yield ok(event);
    }
    if (page.value.position === position) return;
    position = page.value.position;
  }
}
