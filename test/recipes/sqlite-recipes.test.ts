import { sql } from 'drizzle-orm';
import { Kysely, sql as kyselySql } from 'kysely';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { hasMethods } from '../../src/session/fields.js';
import { readme } from '../readme/documents.js';
import { SampleFolder } from '../readme/run-sample.js';
import { blocksIn } from '../readme/samples.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { ada, errorOf, okOf } from '../support/sessions.js';
import type { SqliteConnection } from '../support/sqlite-drivers.js';
import { sqliteFile } from '../support/sqlite-file.js';
import { exportOf, exportsOf, runRecipe } from './recipe.js';

const isConnection = (value: unknown): value is SqliteConnection =>
  hasMethods(value, 'exec', 'prepare', 'close');

describe('a documented better-sqlite3 sample', () => {
  if (!requirements.betterSqlite3.isMet()) {
    it.skip(reasonToSkip(requirements.betterSqlite3));
    return;
  }
  const folder = new SampleFolder();
  afterAll(() => folder.remove());

  const runInFile = async (...words: readonly string[]) => {
    const { file, remove } = sqliteFile();
    onTestFinished(remove);
    const exported = await runRecipe(folder, words, file);
    const { database } = exported;
    if (!isConnection(database)) throw new Error('the recipe exports no connection');
    onTestFinished(() => {
      database.close();
    });
    const store = exportOf(SqliteSessionStore, exported['store']);
    await okOf(store.migrate());
    return { db: exported['db'], database, sessions: new SessionService({ store }) };
  };

  it('shares a connection between Drizzle, its transactions and the store', async () => {
    // It loads the driver, which this machine may lack.
    const { BetterSQLite3Database } = await import('drizzle-orm/better-sqlite3');
    const { sessions, db: exported } = await runInFile('drizzle-orm/better-sqlite3');
    const db = exportOf(BetterSQLite3Database, exported);
    db.run(sql`CREATE TABLE users (name TEXT)`);
    const creating = okOf(sessions.create(ada));
    expect(() =>
      db.transaction((transaction) => {
        transaction.run(sql`INSERT INTO users VALUES ('ada')`);
        transaction.rollback();
      }),
    ).toThrow('Rollback');
    expect(db.all(sql`SELECT count(*) AS users FROM users`)).toEqual([{ users: 0 }]);
    await creating;
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  it('writes during a Kysely transaction, unless that has written too', async () => {
    const { sessions, database, db: exported } = await runInFile('SqliteDialect');
    database.exec('PRAGMA busy_timeout = 1');
    const db = exportOf(Kysely, exported);
    onTestFinished(() => db.destroy());
    await kyselySql`CREATE TABLE users (name TEXT)`.execute(db);
    await db.transaction().execute(async (transaction) => {
      expect((await kyselySql`SELECT * FROM users`.execute(transaction)).rows).toEqual([]);
      await okOf(sessions.create(ada));
    });
    await db.transaction().execute(async (transaction) => {
      await kyselySql`INSERT INTO users VALUES ('ada')`.execute(transaction);
      const refused = { type: 'store_unavailable', outcome: 'not_applied' };
      expect(await errorOf(sessions.create(ada))).toMatchObject(refused);
    });
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  it("answers each message once with the README's code", async () => {
    const { file, remove } = sqliteFile();
    onTestFinished(remove);
    const [sample] = blocksIn(readme, 'ts');
    if (sample === undefined) throw new Error('the README has no code');
    const code = sample.code
      .replace(/^const askModel.*$/m, 'let asked = 0; const askModel = () => String((asked += 1));')
      .replace('chats.db', file)
      .replace(/^console\.log.*$/m, '');
    const { answer } = await exportsOf(folder, { ...sample, code });
    const say = async (id: string) =>
      Object(await Reflect.apply(Object(answer), undefined, ['c', id, 'Hi'])).content;
    expect([await say('m1'), await say('m1'), await say('m2')]).toEqual(['1', '1', '2']);
  });
});
