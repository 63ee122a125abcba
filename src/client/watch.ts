import { err, type Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import type { WatchSignal } from '../events/event.js';
import { wireNames } from '../wire.js';
import { type RemoteWatchOptions, readIdInPath, readRemoteWatch } from './call-options.js';
import { unreachable } from './errors.js';
import { follow, type Watched, type WatchItem } from './follow.js';
import type { ClientSettings } from './options.js';

interface Begun {
  readonly watched: Watched;
  readonly signal: WatchSignal | undefined;
}

const queryOf = (warnBefore: number | undefined): string =>
  warnBefore === undefined ? '' : `?${wireNames.warnBefore}=${warnBefore}`;

const readWatched = (settings: ClientSettings, id: string, options: RemoteWatchOptions): Result<Begun, InvalidInput> =>
  readRemoteWatch(options).andThen(({ signal, from, warnBefore, timeoutMs = settings.timeoutMs }) =>
    readIdInPath(id).map((encodedId) => ({
      signal,
      watched: { settings, id, path: `/session/${encodedId}/events${queryOf(warnBefore)}`, from, timeoutMs },
    })),
  );

/** Follows until the caller's signal or the caller itself ends it. What goes wrong is the last item. */
async function* safely(begun: Result<Begun, InvalidInput>, gone: AbortController): AsyncGenerator<WatchItem, void> {
  if (begun.isErr()) {
    yield err(begun.error);
    return;
  }
  const { watched, signal } = begun.value;
  const leave = (): void => gone.abort();
  try {
    if (signal?.aborted) return;
    signal?.addEventListener('abort', leave);
    yield* follow(watched, gone.signal);
  } catch (cause) {
    yield err(unreachable('network', 'the client failed in a way that it should not', 'not_applied', cause));
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

/** The changes of a session, as an iterable that never throws. */
export const watchRemote = (
  settings: Result<ClientSettings, InvalidInput>,
  id: string,
  options: RemoteWatchOptions,
): AsyncIterable<WatchItem> => ({
  [Symbol.asyncIterator]: () => {
    const gone = new AbortController();
    const items = safely(
      settings.andThen((known) => readWatched(known, id, options)),
      gone,
    );
    return {
      next: () => items.next(),
      // Of a return alone a generator hears only once something has happened.
      return: () => {
        gone.abort();
        return items.return();
      },
    };
  },
});
