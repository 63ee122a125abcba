import { RedisStore } from 'connect-redis';
import type { SessionData } from 'express-session';
import { createClient } from 'redis';
import { areWhole, changeTogether, conversation } from './conversation.js';
import { ENTRIES, entriesOf, fill, keptChanges, listing, type Peer, SESSIONS } from './peer.js';

const NOTE =
  `sessions with ${ENTRIES} entries each; gives all sessions with their histories: no pages and no order; ` +
  'no status, no time limit';

/** As it comes, and with as many keys a SCAN as there are sessions. */
export const connectRedis = async (url: string): Promise<Peer> => {
  const client = createClient({ url });
  await client.connect();
  const store = new RedisStore({ client });
  const inOneScan = new RedisStore({ client, scanCount: SESSIONS });
  const all = (): Promise<SessionData[]> => store.all();
  const allInOneScan = (): Promise<SessionData[]> => inOneScan.all();
  await fill((at) => store.set(`session-${at}`, conversation(entriesOf(at))));
  return {
    subjects: [
      await listing('connect-redis all', NOTE, all, areWhole),
      await listing(`connect-redis all, scanCount ${SESSIONS}`, 'the same sessions', allInOneScan, areWhole),
    ],
    counts: async () => {
      const kept = await changeTogether({ get: (id) => store.get(id), set: (id, data) => store.set(id, data) });
      return [keptChanges('connect-redis get and set', kept)];
    },
    close: () => client.quit(),
  };
};
