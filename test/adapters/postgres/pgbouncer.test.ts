import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { inTime } from '../../support/in-time.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type PgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { describeWithClients, type OpenClient } from '../../support/postgres-clients.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';
import { ada, okOf } from '../../support/sessions.js';
import { watchedBy } from './watched-by.js';

describeWithClients(
  'a PostgreSQL store behind PgBouncer in transaction mode',
  (server, openClient) => {
    if (!requirements.pgbouncer.isMet()) {
      it.skip(reasonToSkip(requirements.pgbouncer));
      return;
    }
    const schema = schemaName();
    let bouncer: PgBouncer;
    let client: OpenClient;
    beforeAll(async () => {
      bouncer = await startPgBouncer(server);
      client = openClient(bouncer, 20);
      const { host } = client;
      (await new PostgresSessionStore({ ...host, schema, events: true }).migrate())._unsafeUnwrap();
    });
    afterAll(async () => {
      await client.end();
      await bouncer.stop();
    });
    const open = ({ host } = client) =>
      new PostgresSessionStore({ ...host, schema, events: true, timeoutMs: PATIENT_MS });

    it('serves 20 concurrent callers over two server connections', async () => {
      const sessions = new SessionService({ store: open() });
      const together = await okOf(sessions.create({ ...ada, idempotencyKey: 'together' }));
      await okOf(sessions.start(together.id));
      const caller = async (name: number): Promise<void> => {
        const { id } = await okOf(sessions.create({ ...ada, labels: { caller: `${name}` } }));
        await okOf(sessions.start(id));
        for (let at = 0; at < 5; at += 1) {
          const entries = [{ role: 'user', content: `${name} ${at}` }];
          await okOf(sessions.append(id, entries, { operationId: `${at}` }));
          await okOf(sessions.append(together.id, entries));
        }
        expect((await okOf(sessions.history(id, { last: 10 }))).entries).toHaveLength(5);
        expect(
          (await okOf(sessions.list({ labels: { caller: `${name}` } }))).sessions,
        ).toMatchObject([{ id }]);
        await okOf(sessions.terminate(id));
        await okOf(sessions.delete(id));
      };
      await Promise.all(Array.from({ length: 20 }, (_, name) => caller(name)));
      expect((await okOf(sessions.get(together.id))).history).toHaveLength(100);
      expect((await okOf(sessions.list())).total).toBe(1);
    });

    it('enforces the limit of ACTIVE sessions under a stricter default isolation level', async () => {
      const database = schemaName();
      await client.ask(`CREATE DATABASE ${database}`);
      await client.ask(
        `ALTER DATABASE ${database} SET default_transaction_isolation = 'repeatable read'`,
      );
      const strict = openClient({ url: bouncer.url.replace(/postgres$/, database) }, 12);
      const store = new PostgresSessionStore({ ...strict.host, timeoutMs: PATIENT_MS });
      (await store.migrate())._unsafeUnwrap();
      const sessions = new SessionService({ store, limits: { activeSessions: 2 } });
      const created = Array.from({ length: 12 }, () => sessions.create({ ...ada, start: true }));
      const results = await Promise.all(created);
      await strict.end();
      const refusals = results.flatMap((each) => (each.isErr() ? [each.error.type] : []));
      expect(refusals).toEqual(Array.from({ length: 10 }, () => 'too_many_active'));
    });

    it("delivers other processes' events to a watch by polling, since LISTEN does not work", async () => {
      const writing = new SessionService({ store: open() });
      const { id } = await okOf(writing.create(ada));
      const watching = openClient(bouncer, 5);
      const watch = watchedBy(open(watching));
      await watch.opened;
      await okOf(writing.start(id));
      for (let count = 1; count <= 3; count += 1) {
        await okOf(writing.append(id, [{ role: 'user', content: 'Hello' }]));
        expect((await inTime(2000, () => watch.event(id, count + 2))).late).toBe(false);
      }
      await watch.end();
      await watching.end();
    });

    it("accepts the command line's read-only pool, whose options PgBouncer ignores", async () => {
      const reading = openPool(bouncer, { options: '-c default_transaction_read_only=on' });
      const page = await new PostgresSessionStore({ pool: reading, schema }).page('absent', {
        offset: 0,
        limit: 1,
      });
      expect(page._unsafeUnwrap().total).toBe(0);
      await reading.end();
    });
  },
);
