import { err, ok, type Result } from 'neverthrow';
import type { WatchSettings } from '../input/parse-watch.js';
import type { WatchError } from '../session/errors.js';
import { positionBefore, positionOf, timeAt } from '../session/event-position.js';
import type { TenantChange } from '../session/session-event.js';
import { openReader } from './event-reader.js';
import { LastChanges } from './last-changes.js';
import { nowWithMargin } from './log-cursor.js';
import type { WatchSource } from './watch-source.js';

const eventsLost = (ms: number): Result<TenantChange, never> => ok({ type: 'events_lost', position: String(ms) });

/** Watches all sessions of a tenant, from now or from a position, until the caller stops. */
export async function* watchTenant(
  source: WatchSource,
  { from, signal, onOpen }: WatchSettings,
): AsyncGenerator<Result<TenantChange, WatchError>, void> {
  const scope = { tenant: source.tenant, sessionId: undefined };
  const opened = await openReader(source, { scope, signal, maxOthers: Number.POSITIVE_INFINITY });
  if (opened.isErr()) {
    yield err(opened.error);
    return;
  }
  const reader = opened.value;
  const last = new LastChanges();
  try {
    if (from !== undefined) {
      const { ms, incarnation, sequence } = from;
      reader.readLog(positionBefore(ms), incarnation === undefined ? undefined : `${incarnation}.${sequence}`);
    }
    if (!reader.isClosed) onOpen();
    while (!reader.isClosed) {
      const next = await reader.next(Number.POSITIVE_INFINITY);
      if (next === undefined) continue;
      if (next.isErr()) {
        yield err(next.error);
        return;
      }
      const item = next.value;
      if (item === 'gap') {
        last.passGap();
        yield eventsLost(reader.nextMs ?? nowWithMargin());
        continue;
      }
      const order = last.add(item);
      if (order === 'seen') continue;
      const ms = timeAt(item.position);
      if (order === 'gap') yield eventsLost(ms);
      yield ok({ ...item, position: positionOf(ms, item) });
    }
  } finally {
    reader.end();
  }
}
