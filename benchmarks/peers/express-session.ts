import { promisify } from 'node:util';
import session from 'express-session';
import {
  ALL_NOTE,
  appendsOf,
  areWhole,
  countsOf,
  fillStore,
  getsOf,
  type Store,
} from './conversation.js';
import { listing, type Peer } from './peer.js';

const NAME = 'express-session MemoryStore';

export const expressSession = async (): Promise<Peer> => {
  const sessions = new session.MemoryStore();
  const all = promisify(sessions.all.bind(sessions));
  const store: Store = {
    get: promisify(sessions.get.bind(sessions)),
    set: promisify(sessions.set.bind(sessions)),
    destroy: promisify(sessions.destroy.bind(sessions)),
  };
  await fillStore(store);
  return {
    lists: [
      await listing({ name: `${NAME} all`, note: ALL_NOTE }, all, (found) =>
        areWhole(Object.values(found ?? {})),
      ),
    ],
    appends: appendsOf(NAME, store),
    gets: getsOf(NAME, store),
    counts: () => countsOf(NAME, store),
    close: async () => undefined,
  };
};
