import { err, ok, type Result } from 'neverthrow';
import type { WatchError } from '../errors.js';
import type { WatchSettings } from '../input/session-input.js';
import type { Settings } from '../service/settings.js';
import type { TenantChange } from './event.js';
import { positionNow, positionOf } from './position.js';
import { missed, subscribe } from './subscription.js';

/** What all sessions of a tenant do, from now or from a position on, until the caller has had enough. */
export async function* watchTenant(
  settings: Settings,
  { from, signal, onOpen }: WatchSettings,
): AsyncGenerator<Result<TenantChange, WatchError>, void> {
  const opened = await subscribe(settings, settings.tenant, undefined, signal);
  if (opened.isErr()) {
    yield err(opened.error);
    return;
  }
  const { inbox, end } = opened.value;
  let position = positionNow();
  try {
    if (!inbox.isClosed) onOpen();
    if (from !== undefined) {
      for await (const event of missed(opened.value, from, Number.POSITIVE_INFINITY)) {
        if (event.isErr()) {
          yield err(event.error);
          return;
        }
        if (event.value === 'lost') {
          yield ok({ type: 'events_lost', position });
          continue;
        }
        position = positionOf(event.value);
        yield ok({ ...event.value, position });
      }
    }
    while (!inbox.isClosed) {
      if (inbox.hasMissed()) yield ok({ type: 'events_lost', position });
      const event = inbox.next();
      if (event === undefined) {
        await inbox.wait(Number.POSITIVE_INFINITY);
        continue;
      }
      position = positionOf(event);
      yield ok({ ...event, position });
    }
  } finally {
    end();
  }
}
