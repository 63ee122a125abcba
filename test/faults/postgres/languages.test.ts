import { expect, it } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { behindProxy, emptySchema, openHost } from './on-shared-server.js';

/** The answers of a server whose `lc_messages` names another language. */
const inAnotherLanguage = (answer: Buffer): Buffer =>
  Buffer.from(answer.toString('latin1').replaceAll('SERROR\0', 'SERREU\0'), 'latin1');

describeWithPostgres('a PostgreSQL that speaks another language', (server) => {
  it('refuses a write that was not applied, and keeps the connection', async () => {
    const { database } = await behindProxy(await emptySchema(server), server, inAnotherLanguage);
    const { sessions, pool } = openHost(database, { options: '-c default_transaction_read_only=on' });
    let opened = 0;
    pool.on('connect', () => (opened += 1));
    for (const _ of upTo(5)) {
      const error = await errorOf(sessions.create(ada));
      expect(error).toMatchObject({ outcome: 'not_applied', message: 'the database is read-only' });
      expect(error).toHaveProperty('cause.severity', 'ERREU');
    }
    expect(opened).toBe(1);
  });

  it('is asked again where other transactions were in the way: every append succeeds', async () => {
    const { database } = await behindProxy(await emptySchema(server), server, inAnotherLanguage);
    const { sessions, pool } = openHost(database, { options: '-c default_transaction_isolation=serializable', max: 4 });
    let opened = 0;
    pool.on('connect', () => (opened += 1));
    const { id } = await okOf(sessions.create(ada));
    await okOf(sessions.start(id));
    for (const turn of upTo(10)) {
      const together = upTo(3).map((at) => sessions.append(id, [{ role: 'user', content: `${turn} ${at}` }]));
      for (const each of together) await okOf(each);
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(30);
    expect(opened).toBeLessThanOrEqual(4);
  });
});
