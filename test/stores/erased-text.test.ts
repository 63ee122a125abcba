import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService, unwrap } from '../../src/index.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import {
  entriesWith,
  hitsIn,
  hitsInFile,
  labelAndDelete,
  sayEverywhere,
  uniqueText,
} from '../support/erased-text.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool } from '../support/postgres-schema.js';
import { startPostgres } from '../support/postgres-server.js';
import { startRedis } from '../support/redis-server.js';
import { rewindTo } from '../support/rewind-to.js';
import { openLibsql, settings, sqliteFile } from '../support/sqlite-file.js';

describe('erased text in a SQLite file', () => {
  const open = async (pragmas: string) => {
    const { file, remove } = sqliteFile();
    const database = openLibsql(file, `${settings}; ${pragmas}`);
    onTestFinished(() => {
      database.close();
      remove();
    });
    const store = new SqliteSessionStore({ database, events: true });
    await unwrap(store.migrate());
    const text = uniqueText();
    const erase = await sayEverywhere(store, text);
    const writeBack = () => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    writeBack();
    const hits = (of = text) => hitsInFile(file, of) + hitsInFile(`${file}-wal`, of);
    return { store, database, text, erase, writeBack, hits };
  };

  it('is gone with secure_delete after a checkpoint, and is at most in the write-ahead log until then', async () => {
    const { erase, writeBack, hits } = await open('PRAGMA secure_delete = ON');
    expect(hits()).toBeGreaterThan(0);
    await erase();
    writeBack();
    expect(hits()).toBe(0);
  });

  it('stays in free pages without secure_delete, until VACUUM and a checkpoint', async () => {
    const { database, erase, writeBack, hits } = await open('PRAGMA secure_delete = OFF');
    const before = hits();
    await erase();
    writeBack();
    const left = hits();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(before);
    if (process.env['FIGURES'] !== undefined)
      console.info(`SQLite: ${before} before, ${left} left`);
    database.exec('VACUUM');
    writeBack();
    expect(hits()).toBe(0);
  });

  const expectInNoRow = (database: ReturnType<typeof openLibsql>, text: string) => {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    expect(tables.length).toBeGreaterThan(5);
    for (const table of tables) {
      const rows: readonly unknown[] = database
        .prepare(`SELECT * FROM "${String(Object(table).name)}"`)
        .all();
      expect(JSON.stringify(rows)).not.toContain(text);
    }
  };

  it('is in no row, even before VACUUM', async () => {
    const { database, text, erase } = await open('PRAGMA secure_delete = OFF');
    await erase();
    expectInNoRow(database, text);
  });

  it('is in no event of a deleted session, neither as a label nor as a holder', async () => {
    const { store, database, text } = await open('PRAGMA secure_delete = OFF');
    await labelAndDelete(store, text);
    const events: readonly unknown[] = database.prepare('SELECT * FROM colloquy_events').all();
    expect(JSON.stringify(events)).toContain('labelsChanged');
    expectInNoRow(database, `label-${text}`);
    expectInNoRow(database, `value-${text}`);
    expectInNoRow(database, `holder-${text}`);
  });

  it('is in no row once a rewind has superseded it, and gone with secure_delete after a checkpoint', async () => {
    const { store, database, writeBack, hits } = await open('PRAGMA secure_delete = ON');
    const sessions = new SessionService({ store });
    const text = uniqueText();
    const options = { face: 'ada', profile: 'tutor', start: true, entries: entriesWith(text) };
    const { id } = await unwrap(sessions.create(options));
    writeBack();
    expect(hits(text)).toBeGreaterThan(0);
    await unwrap(rewindTo(sessions, id, 0));
    expectInNoRow(database, text);
    writeBack();
    expect(hits(text)).toBe(0);
  });
});

describeWithRedis('erased text in Redis', () => {
  const start = async () => {
    const server = await startRedis({
      args: ['--appendonly', 'yes', '--auto-aof-rewrite-percentage', '0'],
    });
    onTestFinished(() => server.stop());
    const client = new Redis(server.port, server.host);
    onTestFinished(() => client.disconnect());
    const text = uniqueText();
    const store = new RedisSessionStore({
      client,
      events: true,
      timeoutMs: PATIENT_MS,
    });
    const erase = await sayEverywhere(store, text);
    const contentOf = async (key: string): Promise<unknown> => {
      switch (await client.type(key)) {
        case 'string':
          return client.get(key);
        case 'hash':
          return client.hgetall(key);
        case 'zset':
          return client.zrange(key, 0, -1);
        case 'stream':
          return client.xrange(key, '-', '+');
        default:
          throw new Error(`${key} has a type that the test does not read`);
      }
    };
    const keysWith = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const keys of client.scanStream()) {
        if (!Array.isArray(keys)) continue;
        for (const key of keys.map(String)) {
          if (`${key} ${JSON.stringify(await contentOf(key))}`.includes(text)) found.push(key);
        }
      }
      return found;
    };
    return { server, client, text, erase, keysWith };
  };

  it('is in no key and in no later snapshot', async () => {
    const { server, client, text, erase, keysWith } = await start();
    // Without compression, a snapshot contains strings as they are.
    await client.config('SET', 'rdbcompression', 'no');
    await client.save();
    expect((await keysWith()).length).toBeGreaterThan(0);
    expect(hitsIn(server.dir, text, /^dump\.rdb$/)).toBeGreaterThan(0);
    await erase();
    expect(await keysWith()).toEqual([]);
    await client.save();
    expect(hitsIn(server.dir, text, /^dump\.rdb$/)).toBe(0);
  });

  it('stays in the append-only file until that is rewritten', async () => {
    const { server, client, text, erase } = await start();
    await client.config('SET', 'aof-use-rdb-preamble', 'no');
    await erase();
    await expect.poll(() => hitsIn(server.dir, text, /\.aof$/)).toBeGreaterThan(0);
    await client.bgrewriteaof();
    await expect
      .poll(() => client.info('persistence'))
      .toMatch(/aof_rewrite_in_progress:0\s+aof_rewrite_scheduled:0/);
    expect(await client.info('persistence')).toContain('aof_last_bgrewrite_status:ok');
    await expect.poll(() => hitsIn(server.dir, text, /\.(aof|rdb)$/)).toBe(0);
  });
});

describeWithPostgres('erased text in PostgreSQL', () => {
  const start = async () => {
    const server = await startPostgres({ args: ['-c', 'autovacuum=off'] });
    onTestFinished(() => server.stop());
    const pool = openPool(server);
    onTestFinished(() => pool.end());
    const options = { events: true, timeoutMs: PATIENT_MS };
    const store = new PostgresSessionStore({ pool, ...options });
    await unwrap(store.migrate());
    const { rows } = await pool.query<{ readonly name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'colloquy'",
    );
    expect(rows.length).toBeGreaterThan(5);
    const rowsWith = async (text: string): Promise<number> => {
      let count = 0;
      for (const { name } of rows) {
        const found = await pool.query(`SELECT 1 FROM ${name} AS a WHERE a::text LIKE $1`, [
          `%${text}%`,
        ]);
        count += found.rows.length;
      }
      return count;
    };
    return { server, pool, store, tables: rows, rowsWith };
  };

  it('is in no row immediately, stays in table files until VACUUM FULL, and longer in the log', async () => {
    const { server, pool, store, tables, rowsWith } = await start();
    const text = uniqueText();
    const erase = await sayEverywhere(store, text);
    /** Searches the files of the tables and of their long values. */
    const hitsInTables = async (): Promise<number> => {
      await pool.query('CHECKPOINT');
      const paths = await pool.query<{ readonly path: string | null }>(
        `SELECT pg_relation_filepath(oid) AS path FROM pg_class WHERE relkind IN ('r', 't', 'i')
          AND relnamespace::regnamespace::text IN ('colloquy', 'pg_toast')`,
      );
      const files = paths.rows.flatMap(({ path }) =>
        path === null ? [] : [join(server.dir, path)],
      );
      return files.map((file) => hitsInFile(file, text)).reduce((sum, hits) => sum + hits, 0);
    };
    expect(await rowsWith(text)).toBeGreaterThan(0);
    await erase();
    expect(await rowsWith(text)).toBe(0);
    expect(await hitsInTables()).toBeGreaterThan(0);
    // VACUUM keeps rows that an open transaction can see, for example one that moves events.
    const open =
      'SELECT pid FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()';
    await expect.poll(async () => (await pool.query(open)).rows).toEqual([]);
    for (const { name } of tables) await pool.query(`VACUUM FULL ${name}`);
    expect(await hitsInTables()).toBe(0);
    expect(hitsIn(join(server.dir, 'pg_wal'), text, /^[0-9A-F]{24}$/)).toBeGreaterThan(0);
  });

  it('is in no event of a deleted session, neither as a label nor as a holder', async () => {
    const { store, rowsWith } = await start();
    const text = uniqueText();
    await labelAndDelete(store, text);
    for (const part of ['label', 'value', 'holder'])
      await expect.poll(() => rowsWith(`${part}-${text}`)).toBe(0);
    expect(await rowsWith('labelsChanged')).toBe(1);
  });

  it('is in no row once a rewind has superseded it', async () => {
    const { store, rowsWith } = await start();
    const sessions = new SessionService({ store });
    const text = uniqueText();
    const options = { face: 'ada', profile: 'tutor', start: true, entries: entriesWith(text) };
    const { id } = await unwrap(sessions.create(options));
    expect(await rowsWith(text)).toBeGreaterThan(0);
    await unwrap(rewindTo(sessions, id, 0));
    expect(await rowsWith(text)).toBe(0);
  });
});
