import { promisify } from 'node:util';
import session from 'express-session';
import { areWhole, changeTogether, conversation } from './conversation.js';
import { ENTRIES, entriesOf, fill, keptChanges, listing, type Peer } from './peer.js';

const NOTE =
  `sessions with ${ENTRIES} entries each; gives all sessions with their histories: no pages and no order; ` +
  'no status, no time limit';

export const expressSession = async (): Promise<Peer> => {
  const store = new session.MemoryStore();
  const all = promisify(store.all.bind(store));
  const get = promisify(store.get.bind(store));
  const set = promisify(store.set.bind(store));
  await fill((at) => set(`session-${at}`, conversation(entriesOf(at))));
  return {
    subjects: [
      await listing('express-session MemoryStore all', NOTE, all, (found) => areWhole(Object.values(found ?? {}))),
    ],
    counts: async () => {
      const kept = await changeTogether({ get: async (id) => (await get(id)) ?? conversation([]), set });
      return [keptChanges('express-session MemoryStore get and set', kept)];
    },
    close: async () => undefined,
  };
};
