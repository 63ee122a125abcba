import { PGlite } from '@electric-sql/pglite';
import type { PostgresPool } from '../../adapters/postgres/index.js';

/** PostgreSQL in this process, as a pool of one connection that its callers take in turns. */
export const openPglite = async () => {
  const database = await PGlite.create();
  let turn: Promise<unknown> = Promise.resolve();
  const connect: PostgresPool['connect'] = async () => {
    let release = (): void => undefined;
    const before = turn;
    turn = new Promise<void>((resolve) => {
      release = resolve;
    });
    await before;
    const query = async (text: string, values?: unknown[]): Promise<unknown> => {
      if (values !== undefined) return database.query(text, values);
      const results = await database.exec(text);
      return results.at(-1);
    };
    return { query, release: () => release() };
  };
  return { pool: { connect }, database, close: () => database.close() };
};
