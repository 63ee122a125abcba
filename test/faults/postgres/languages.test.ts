import { expect, it } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { ask } from './mortal-server.js';
import { behindProxy, emptySchema, openHost } from './on-shared-server.js';

/** The answers of a server whose `lc_messages` names another language. */
const inAnotherLanguage = (answer: Buffer): Buffer =>
  Buffer.from(answer.toString('latin1').replaceAll('SERROR\0', 'SERREU\0'), 'latin1');

describeWithPostgres('a PostgreSQL with messages in another language', (server) => {
  it('rejects a write as not_applied, and keeps the connection', async () => {
    const { database } = await behindProxy(await emptySchema(server), server, inAnotherLanguage);
    const { sessions, pool } = openHost(database, {
      options: '-c default_transaction_read_only=on',
    });
    let opened = 0;
    pool.on('connect', () => (opened += 1));
    for (const _ of upTo(5)) {
      const error = await errorOf(sessions.create(ada));
      expect(error).toMatchObject({ outcome: 'not_applied', message: 'the database is read-only' });
      expect(error).toHaveProperty('cause.severity', 'ERREU');
    }
    expect(opened).toBe(1);
  });

  it('makes the store retry after conflicts with other transactions, so that every append succeeds', async () => {
    const database = await emptySchema(server);
    const { schema } = database;
    // As a deadlock does, every second time.
    await ask(
      database.url,
      `CREATE SEQUENCE ${schema}.tries;
      CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('${schema}.tries') % 2 = 1 THEN RAISE 'in the way' USING ERRCODE = 'deadlock_detected'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.entries FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`,
    );
    const proxied = await behindProxy(database, server, inAnotherLanguage);
    const { sessions, pool } = openHost(proxied.database, { max: 4 });
    let opened = 0;
    pool.on('connect', () => (opened += 1));
    const { id } = await okOf(sessions.create(ada));
    await okOf(sessions.start(id));
    for (const turn of upTo(10)) {
      await okOf(sessions.append(id, [{ role: 'user', content: `${turn}` }]));
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(10);
    expect(opened).toBeLessThanOrEqual(4);
  });
});
