import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { describeWithPostgres } from './describe-with-postgres.js';
import { startPostgres } from './postgres-server.js';

const ask = async (url: string, ...queries: readonly string[]): Promise<unknown> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: readonly unknown[] = [];
    for (const query of queries) ({ rows } = await client.query<Record<string, unknown>>(query));
    return rows;
  } finally {
    await client.end();
  }
};

describeWithPostgres('a PostgreSQL test server', (shared) => {
  it('serves the tests that share it', async () => {
    expect(await ask(shared.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('keeps committed data if all of its processes are killed and another starts in the same folder', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'colloquy-postgres-test-'));
    try {
      const first = await startPostgres({ dir, args: ['-c', 'fsync=on'] });
      await ask(first.url, 'CREATE TABLE kept (one integer)', 'INSERT INTO kept VALUES (1)');
      await first.stop('SIGKILL');
      const second = await startPostgres({ dir, port: first.port });
      expect(await ask(second.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
      await second.stop();
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
