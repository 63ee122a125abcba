import { err, type Result } from 'neverthrow';
import { SafeIterator } from '../events/safe-iterator.js';
import { SessionWatch } from '../events/session-watch.js';
import { TenantWatch } from '../events/tenant-watch.js';
import { parseId } from '../input/command-inputs.js';
import { parseWatch, parseWatchAll } from '../input/watch-options.js';
import type { InvalidInput } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionChange, TenantChange } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { checkChange, checkEvent, checkItems } from './check-reads.js';
import { refusedWithin, type Settings } from './settings.js';

type Begin<I> = () => Result<
  AsyncIterator<Result<I, OperationErrors['watch']>, void>,
  InvalidInput
>;

type Watched<I> = AsyncIterable<Result<I, OperationErrors['watch']>> & AsyncDisposable;

const iterate = <I>(settings: Settings, name: string, begin: Begin<I>): Watched<I> =>
  new SafeIterator(() => {
    const refused = settings.tenantError ?? refusedWithin(settings, name);
    return refused === undefined ? begin() : err(refused);
  });

/** Watches one session. The host's schemas have checked what it yields. */
export function openWatch<T extends SessionSchemas>(
  settings: Settings,
  id: unknown,
  options: unknown,
): Watched<SessionChange<T>>;
export function openWatch(
  settings: Settings,
  id: unknown,
  options: unknown,
): Watched<SessionChange> {
  return iterate(settings, 'watch', () =>
    parseId(id).andThen((read) =>
      parseWatch(options).map((how) => {
        const watch = new SessionWatch(settings, { tenant: settings.tenant, id: read }, how);
        return checkItems(settings.policy, watch, checkChange);
      }),
    ),
  );
}

/** Watches all sessions of the tenant. The host's schemas have checked what it yields. */
export function openWatchAll<T extends SessionSchemas>(
  settings: Settings,
  options: unknown,
): Watched<TenantChange<T>>;
export function openWatchAll(settings: Settings, options: unknown): Watched<TenantChange> {
  const calledAt = performance.now();
  return iterate(settings, 'watchAll', () =>
    parseWatchAll(options).map((how) =>
      checkItems(settings.policy, new TenantWatch(settings, how, calledAt), checkEvent),
    ),
  );
}
