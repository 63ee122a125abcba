import { err, ok, type Result } from 'neverthrow';
import type { WatchError } from '../errors.js';
import type { WatchSettings } from '../input/session-input.js';
import type { Settings } from '../service/settings.js';
import { EventOrder } from './event-order.js';
import { type EventReader, openReader } from './event-reader.js';
import { nowWithMargin, positionOf, timeAt } from './position.js';
import type { TenantChange } from './session-event.js';

/** Maximum number of sessions whose order is tracked, at about 100 bytes each. */
const MAX_SESSIONS = 10_000;

/** A position from which no undelivered event is missed and as few events as possible are repeated. */
const positionBehind = (order: EventOrder, reader: EventReader): string => {
  const waiting = order.earliestWaiting;
  if (waiting !== undefined) return String(timeAt(waiting));
  return String(reader.nextMs ?? nowWithMargin());
};

/** Watches all sessions of a tenant, from now or from a position, until the caller stops. */
export async function* watchTenant(
  settings: Settings,
  { from, signal, onOpen }: WatchSettings,
): AsyncGenerator<Result<TenantChange, WatchError>, void> {
  const opened = await openReader(settings, settings.tenant, undefined, signal);
  if (opened.isErr()) {
    yield err(opened.error);
    return;
  }
  const reader = opened.value;
  const order = new EventOrder({ isFromBeginning: from?.ms === 0, maxSessions: MAX_SESSIONS });
  try {
    if (from !== undefined) {
      const { ms, birth, sequence } = from;
      reader.readFrom({ ms, eventId: birth === undefined ? undefined : `${birth}.${sequence}` });
    }
    if (!reader.isClosed) onOpen();
    while (!reader.isClosed) {
      const next = order.next();
      if (next === 'gap') {
        yield ok({ type: 'events_lost', position: positionBehind(order, reader) });
      } else if (next !== undefined) {
        const { latest = next } = order;
        const isInOrder = order.earliestWaiting === undefined;
        const position = isInOrder ? positionOf(timeAt(latest.position), latest) : positionBehind(order, reader);
        yield ok({ ...next, position });
      } else {
        const item = await reader.next(order.expiresAt - performance.now());
        if (item === undefined) {
          order.expire(performance.now());
          continue;
        }
        if (item.isErr()) {
          yield err(item.error);
          return;
        }
        if (item.value === 'trimmed' || item.value === 'skipped') order.forget();
        else order.add(item.value, performance.now());
      }
    }
  } finally {
    reader.end();
  }
}
