import { err, ok, type Result } from 'neverthrow';
import type { Settings } from '../service/settings.js';
import type { TenantChange, WatchError, WatchSettings } from './change.js';
import { isBehind } from './event.js';
import { caughtUp, subscribe } from './subscription.js';

/** What all sessions of a tenant do, from now or from a position on, until the caller has had enough. */
export async function* watchTenant(
  settings: Settings,
  { from, signal }: WatchSettings,
): AsyncGenerator<Result<TenantChange, WatchError>, void> {
  const opened = await subscribe(settings, settings.tenant, undefined, signal);
  if (opened.isErr()) {
    yield err(opened.error);
    return;
  }
  const { inbox, end } = opened.value;
  let { position } = opened.value;
  try {
    if (from !== undefined) {
      for await (const event of caughtUp(opened.value, from)) {
        if (event.isErr()) {
          yield err(event.error);
          return;
        }
        if (event.value !== undefined) position = event.value.position;
        yield ok(event.value ?? { type: 'events_lost', position });
      }
    }
    while (!inbox.isClosed) {
      if (inbox.hasMissed()) yield ok({ type: 'events_lost', position });
      const event = inbox.next();
      if (event === undefined) await inbox.wait(Number.POSITIVE_INFINITY);
      else if (isBehind(event.position, position)) {
        position = event.position;
        yield ok(event);
      }
    }
  } finally {
    end();
  }
}
