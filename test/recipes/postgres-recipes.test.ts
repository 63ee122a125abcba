import { PrismaPg } from '@prisma/adapter-pg';
import { sql } from 'drizzle-orm';
import { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Kysely, sql as kyselySql } from 'kysely';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { SampleFolder } from '../readme/run-sample.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { openPool, schemaName } from '../support/postgres-schema.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { ada, okOf } from '../support/sessions.js';
import { exportOf, runRecipe } from './recipe.js';

const COUNT = 'SELECT count(*)::int AS sessions FROM colloquy.sessions';

describeWithPostgres('a PostgreSQL recipe of the compatibility page', (server) => {
  const folder = new SampleFolder();
  afterAll(() => folder.remove());

  /** A database of its own, at the address that the recipes read. */
  const createDatabase = async (url = server.url): Promise<string> => {
    const name = schemaName();
    const admin = openPool(server);
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    vi.stubEnv('DATABASE_URL', url.replace(/\/postgres$/, `/${name}`));
    return server.url.replace(/\/postgres$/, `/${name}`);
  };

  /** Runs the recipe, and creates a session in the store that it exports. */
  const createSessionWith = async (...words: readonly string[]) => {
    const exported = await runRecipe(folder, words);
    const store = exportOf(PostgresSessionStore, exported['store']);
    await okOf(store.migrate());
    await okOf(new SessionService({ store }).create(ada));
    return exported;
  };

  const closeLater = (pool: unknown): void => onTestFinished(() => exportOf(Pool, pool).end());

  it('shares a pool between Drizzle and the store', async () => {
    await createDatabase();
    const { db, pool } = await createSessionWith('drizzle-orm/node-postgres');
    closeLater(pool);
    const { rows } = await exportOf(NodePgDatabase, db).execute(sql.raw(COUNT));
    expect(rows).toEqual([{ sessions: 1 }]);
  });

  it('shares a pool between Kysely and the store', async () => {
    await createDatabase();
    const { db, pool } = await createSessionWith('PostgresDialect');
    closeLater(pool);
    const { rows } = await kyselySql.raw(COUNT).execute(exportOf(Kysely, db));
    expect(rows).toEqual([{ sessions: 1 }]);
  });

  it("shares a pool between Prisma's adapter and the store", async () => {
    await createDatabase();
    const { adapter, pool } = await createSessionWith('@prisma/adapter-pg');
    closeLater(pool);
    const prisma = await exportOf(PrismaPg, adapter).connect();
    expect(prisma.underlyingDriver()).toBe(pool);
    const { rows } = await prisma.queryRaw({ sql: COUNT, args: [], argTypes: [] });
    expect(rows).toEqual([[1]]);
    await prisma.dispose();
    expect((await exportOf(Pool, pool).query(COUNT)).rows).toEqual([{ sessions: 1 }]);
  });

  it('shares the pool of a TypeORM data source with the store', async () => {
    await createDatabase();
    const { dataSource } = await createSessionWith('typeorm');
    const source = exportOf(DataSource, dataSource);
    onTestFinished(() => source.destroy());
    expect(await source.query(COUNT)).toEqual([{ sessions: 1 }]);
  });

  if (!requirements.pgbouncer.isMet()) it.skip(reasonToSkip(requirements.pgbouncer));
  else
    it('works through a pooler in transaction mode after a direct migration', async () => {
      const bouncer = await startPgBouncer(server);
      onTestFinished(() => bouncer.stop());
      const direct = openPool({ url: await createDatabase(bouncer.url) });
      await okOf(new PostgresSessionStore({ pool: direct, events: true }).migrate());
      await direct.end();
      const exported = await runRecipe(folder, ['listen: false']);
      closeLater(exported['pool']);
      const store = exportOf(PostgresSessionStore, exported['store']);
      const sessions = new SessionService({ store });
      const { id } = await okOf(sessions.create(ada));
      expect((await okOf(sessions.list())).sessions).toMatchObject([{ id }]);
    });
});
