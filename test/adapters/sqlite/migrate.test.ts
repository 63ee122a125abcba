import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import { append, appendOf, begin } from '../../../src/testing/commits.js';
import { NOON, operationOf } from '../../../src/testing/samples.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';
import { openedStore, withCommit } from './opened-store.js';

const key = { tenant: 'acme', id: 'one' };
const hello = appendOf(key, ['hello'], { operation: operationOf('op') });

describe('migrate() of SqliteSessionStore', () => {
  let file: string;
  let remove: () => void;
  let database: ReturnType<typeof openLibsql>;
  beforeEach(() => {
    ({ file, remove } = sqliteFile());
    database = openLibsql(file);
  });
  afterEach(() => {
    if (database.open) database.close();
    remove();
  });

  it('may run again, and keeps stored sessions', async () => {
    const store = await openedStore(database);
    expect((await store.migrate()).isOk()).toBe(true);
    expect(store.find(key)._unsafeUnwrap()?.head.id).toBe('one');
  });

  it('switches a file to a write-ahead log permanently', async () => {
    const modeOf = (connection: typeof database) => connection.prepare('PRAGMA journal_mode').all();
    database.exec('PRAGMA journal_mode = DELETE');
    expect((await new SqliteSessionStore({ database }).migrate())._unsafeUnwrap()).toEqual({
      from: 0,
      to: 1,
    });
    const later = openLibsql(file, 'PRAGMA busy_timeout = 0');
    expect(modeOf(later)).toEqual([{ journal_mode: 'wal' }]);
    later.close();
  });

  it.each([
    ['in memory', ':memory:', 'the database is in memory'],
    [
      'on a file system that shares no memory',
      '?vfs=unix-none',
      'SQLite keeps journal_mode = delete for this file',
    ],
  ])(
    'reports why a database %s has no write-ahead log, and works without it',
    async (_, place, withoutWal) => {
      const without = openLibsql(
        place.startsWith('?') ? `file:${file}.none${place}` : place,
        'PRAGMA busy_timeout = 0',
      );
      const store = new SqliteSessionStore({ database: without });
      expect((await store.migrate())._unsafeUnwrap()).toEqual({ from: 0, to: 1, withoutWal });
      await begin(store, key);
      without.close();
    },
  );

  it('reports that a reader prevented the write-ahead log, and sets it the next time', async () => {
    const settings = 'PRAGMA busy_timeout = 1; PRAGMA journal_mode = DELETE';
    database.exec(settings);
    const reader = openLibsql(file, settings);
    const beginRead = () => reader.exec('BEGIN; SELECT * FROM colloquy_sessions');
    const withReader = withCommit(database, (commit) => {
      commit();
      beginRead();
    });
    const locked = { from: 0, to: 1, withoutWal: 'another connection has locked the database' };
    expect(
      (await new SqliteSessionStore({ database: withReader }).migrate())._unsafeUnwrap(),
    ).toEqual(locked);
    reader.exec('COMMIT');
    expect((await new SqliteSessionStore({ database }).migrate())._unsafeUnwrap()).toEqual({
      from: 1,
      to: 1,
    });
    reader.close();
  });

  it('leaves no text of a deleted session in the file, if the host sets secure_delete and checkpoints', async () => {
    const store = await openedStore(database);
    database.exec('PRAGMA secure_delete = ON');
    const secret = 'the secret of the session';
    await append(store, key, [secret, `${secret} ${'x'.repeat(20_000)}`]);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const isThere = () => [file, `${file}-wal`].some((path) => readFileSync(path).includes(secret));
    expect(isThere()).toBe(true);
    (await store.remove(planRemove(key, NOON)))._unsafeUnwrap();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(isThere()).toBe(false);
  });

  it('keeps tables of a compatible later version, and reports an incompatible one', async () => {
    const store = await openedStore(database);
    database.exec("UPDATE colloquy_meta SET value = 2 WHERE name = 'version'");
    expect((await store.migrate()).isOk()).toBe(true);
    expect((await store.change(hello))._unsafeUnwrap()).toMatchObject({ outcome: 'made' });
    const changed = new SqliteSessionStore({ database });
    expect((await changed.migrate({ reconfigure: true })).isOk()).toBe(true);
    database.exec("UPDATE colloquy_meta SET value = 2 WHERE name = 'usable_from'");
    expect((await store.migrate({ reconfigure: true })).isErr()).toBe(true);
    expect(changed.find(key).isOk(), 'its settings stay').toBe(true);
    expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message:
        'a later version of Colloquy made the tables: version 2, which needs 2 or later; this one knows 1',
    });
  });
});
