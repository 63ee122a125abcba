import { Redis } from 'ioredis';
import { openPool } from './postgres-schema.js';
import { openLibsql } from './sqlite-file.js';
import type { StoreAddress } from './store-address.js';

/** Removes old events from a database, as a smaller `events: { length }` would. */
export const trimLog = async (
  address: StoreAddress,
  stream: string,
  kept: number,
): Promise<void> => {
  if (address.type === 'redis') {
    const client = new Redis(address.port, '127.0.0.1');
    await client.call('XTRIM', stream, 'MAXLEN', kept);
    client.disconnect();
    return;
  }
  const trim = (events: string) =>
    `DELETE FROM ${events} WHERE number <= (SELECT max(number) FROM ${events}) - ${kept}`;
  if (address.type === 'sqlite') {
    const database = openLibsql(address.file);
    database.exec(trim('colloquy_events'));
    database.close();
    return;
  }
  const pool = openPool({ url: address.url }, { max: 1 });
  await pool.query(trim(`"${address.schema}".events`));
  await pool.end();
};
