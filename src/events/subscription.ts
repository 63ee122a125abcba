import { err, ok, type Result } from 'neverthrow';
import type { WatchError } from '../errors.js';
import { invalidInput } from '../errors.js';
import type { Settings } from '../service/settings.js';
import type { EventLog } from '../store.js';
import type { SessionEvent, WatchSignal } from './event.js';
import { Inbox } from './inbox.js';
import { isBehind, type Position, placeBefore, timeAt } from './position.js';

/** Events that are looked at at a time by who catches up. */
const PAGE = 500;

/** An inbox that is being filled. */
export interface Open {
  readonly log: EventLog;
  readonly inbox: Inbox;
  /** Where in the log the inbox begins. */
  readonly place: string;
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
  if (log === undefined || hub === undefined) {
    return err(invalidInput([{ path: 'store', message: 'tells no events; switch them on with its option `events`' }]));
  }
  const inbox = new Inbox(tenant, sessionId);
  const subscribed = await hub.subscribe(inbox);
  return subscribed.map(({ position: place, end }) => {
    const stop = (): void => {
      signal?.removeEventListener('abort', stop);
      inbox.close();
      end();
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    return { log, inbox, place, end: stop };
  });
};

/**
 * What a reader was away for: its events between a position and the beginning of its inbox, and `lost` where some may be
 * gone. It gives up after so many events of others, and ends with whether it has come to the inbox.
 */
export async function* missed(
  { log, inbox, place: end }: Open,
  { ms, eventId }: Pick<Position, 'ms' | 'eventId'>,
  mostOfOthers: number,
): AsyncGenerator<Result<SessionEvent | 'lost', WatchError>, boolean> {
  const { tenant, sessionId } = inbox;
  const isOwn = (event: SessionEvent): boolean =>
    event.tenant === tenant && (sessionId === undefined || event.sessionId === sessionId);
  /** What was told in the millisecond of the last known event, while that is looked for. */
  let before: SessionEvent[] | undefined = eventId === undefined ? undefined : [];
  let left = mostOfOthers;
  for (let place = placeBefore(ms), isOver = false; !isOver && (before !== undefined || isBehind(end, place)); ) {
    if (left <= 0 || inbox.isClosed) return false;
    const page = await log.read(log.streamOf(tenant), place, PAGE, { tenant, sessionId });
    if (page.isErr()) {
      yield err(page.error);
      return false;
    }
    const { events, position, isTrimmed } = page.value;
    let own = events.filter(isOwn);
    left -= PAGE - own.length;
    isOver = position === place;
    place = position;
    if (before === undefined) {
      if (isTrimmed) yield ok('lost');
    } else {
      before.push(...own);
      const at = before.findIndex(({ id }) => id === eventId);
      if (at < 0 && !isOver && timeAt(place) <= ms) continue;
      if (at < 0) yield ok('lost');
      own = before.slice(at + 1);
      before = undefined;
    }
    for (const event of own) if (!isBehind(event.position, end)) yield ok(event);
  }
  return true;
}
