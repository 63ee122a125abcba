import { PGlite } from '@electric-sql/pglite';
import { Client } from 'pg';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { connectionOf } from '../../../adapters/postgres/connection.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { openPool } from '../../support/postgres-schema.js';

const text = 'SELECT $1::text AS bound, $2::bigint + 1 AS sum';

/** Returns the result of a statement. */
const triedOn = async (client: Parameters<typeof connectionOf>[0]) => {
  const connection = connectionOf(client);
  const rows = (await connection.query({ text, values: [() => '5', 41] })) ?? [];
  const [{ bound, sum } = { bound: '', sum: '' }] = rows;
  connection.release(true);
  return { bound, sum: Number(sum) };
};

const expected = { bound: '5', sum: 42 };

describeWithPostgres('a single connection as the client of a PostgreSQL store', (server) => {
  it('runs statements with pg, and is not released', async () => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    expect(await triedOn(client)).toEqual(expected);
    await client.end();
    const pool = openPool(server, { max: 1 });
    const lent = await pool.connect();
    expect(await triedOn(lent)).toEqual(expected);
    expect(await triedOn(lent)).toEqual(expected);
    lent.release();
    await pool.end();
  });

  it('runs statements with postgres.js', async () => {
    const sql = postgres(server.url, { max: 1 });
    await sql.begin(async (transaction) => {
      expect(await triedOn(transaction)).toEqual(expected);
    });
    const reserved = await sql.reserve();
    expect(await triedOn(reserved)).toEqual(expected);
    reserved.release();
    await sql.end();
  });

  it('runs statements with PGlite', async () => {
    const database = await PGlite.create();
    expect(await triedOn(database)).toEqual(expected);
    await database.close();
  });
});
