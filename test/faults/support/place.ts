import type { SessionStore } from '../../../src/index.js';
import { startMortalRedis } from '../../support/mortal-redis.js';
import { openShared, type Shared } from '../../support/shared-store.js';
import { openDatabase, type SqliteDatabase } from '../databases/database.js';
import { MortalServer } from '../postgres/mortal-server.js';
import { makeFile } from '../sqlite/make-file.js';

/** Where processes share sessions, and how to kill what serves them. */
export interface Place<Sharing extends Shared = Shared> {
  readonly shared: Sharing;
  readonly open: () => { readonly store: SessionStore; readonly close: () => unknown };
  /** Kills the server and starts it again; does nothing if there is no server. */
  readonly killServer: () => Promise<unknown>;
}

interface Mortal {
  kill(): Promise<unknown>;
  restart(): Promise<unknown>;
}

const killing = (server: Mortal) => async () => {
  await server.kill();
  await server.restart();
};

export const openFilePlace = async (
  options: Omit<SqliteDatabase, 'kind' | 'file'> = {},
): Promise<Place<SqliteDatabase>> => {
  const { database } = await makeFile(options);
  return {
    shared: database,
    open: () => openDatabase(database),
    killServer: async () => undefined,
  };
};

export const openRedisPlace = async () => {
  const server = await startMortalRedis();
  const shared = { kind: 'redis', port: server.port } as const;
  return { shared, open: () => openShared(shared), killServer: killing(server) };
};

export const openPostgresPlace = async () => {
  const server = await MortalServer.start();
  const { database, port } = server;
  const open = () => openDatabase(database);
  return { shared: database, port, open, killServer: killing(server) };
};
