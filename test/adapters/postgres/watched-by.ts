import { SessionService } from '../../../src/service/session-service.js';
import type { SessionStore } from '../../../src/store/session-store.js';

/** A watch of all sessions of a store. */
export const watchedBy = (store: SessionStore) => {
  const leaving = new AbortController();
  const seen = new Set<string>();
  let wake = (): void => undefined;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const watching = (async (): Promise<string | undefined> => {
    for await (const item of new SessionService({ store }).watchAll({
      signal: leaving.signal,
      onOpen: open,
    })) {
      if (item.isErr()) return item.error.type;
      const change = item.value;
      if (change.type !== 'events_lost') seen.add(`${change.sessionId} ${change.sequence}`);
      wake();
    }
    return undefined;
  })();
  return {
    opened,
    /** Type of the error that ended the watch; undefined if none did. */
    ended: watching,
    /** Waits for an event of a session. */
    event: async (id: string, sequence: number): Promise<void> => {
      while (!seen.has(`${id} ${sequence}`)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Ends the watch. Resolves to the type of the error that had ended it, if one had. */
    end: (): Promise<string | undefined> => {
      leaving.abort();
      return watching;
    },
  };
};
