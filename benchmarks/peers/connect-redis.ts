import { RedisStore } from 'connect-redis';
import type { SessionData } from 'express-session';
import { createClient } from 'redis';
import {
  ALL_NOTE,
  appendsOf,
  areWhole,
  countsOf,
  fillStore,
  getsOf,
  type Store,
} from './conversation.js';
import { listing, type Peer, SESSIONS } from './peer.js';

const NAME = 'connect-redis';

/** As it comes, and with as many keys a SCAN as there are sessions. */
export const connectRedis = async (url: string): Promise<Peer> => {
  const client = createClient({ url });
  await client.connect();
  const sessions = new RedisStore({ client });
  const inOneScan = new RedisStore({ client, scanCount: SESSIONS });
  const all = (): Promise<SessionData[]> => sessions.all();
  const allInOneScan = (): Promise<SessionData[]> => inOneScan.all();
  const store: Store = {
    get: (id) => sessions.get(id),
    set: (id, data) => sessions.set(id, data),
    destroy: (id) => sessions.destroy(id),
  };
  await fillStore(store);
  return {
    lists: [
      await listing({ name: `${NAME} all`, note: ALL_NOTE }, all, areWhole),
      await listing(
        { name: `${NAME} all, scanCount ${SESSIONS}`, note: 'the same sessions' },
        allInOneScan,
        areWhole,
      ),
    ],
    appends: appendsOf(NAME, store),
    gets: getsOf(NAME, store),
    counts: () => countsOf(NAME, store),
    close: () => client.quit(),
  };
};
