import { expect, it, onTestFinished } from 'vitest';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import type { Rewrite } from '../../support/tcp-proxy.js';
import { postgresClientNames } from '../databases/database.js';
import { Hosts } from '../databases/hosts.js';
import { expectTruth } from '../databases/verdict.js';
import { effort } from '../support/effort.js';
import { ask } from './mortal-server.js';
import { behindProxy, emptySchema } from './on-shared-server.js';
import { Repeated } from './repeated.js';
import { unsoundIn } from './soundness.js';

const PROMISE = 'PostgreSQL: connections that end immediately do no harm';
const REFUSALS = effort(20, 400);
const TIMEOUT_MS = effort(60_000, 900_000);
const CALLS = effort(80, 1000);

const fields = [
  'SFATAL',
  'VFATAL',
  'C57P01',
  'Mterminating connection due to administrator command',
  '',
].join('\0');
const FATAL = Buffer.alloc(fields.length + 6);
FATAL.write('E', 0);
FATAL.writeInt32BE(fields.length + 5, 1);
FATAL.write(fields, 5, 'latin1');

/**
 * What the server sends at the beginning of a connection alone: the key to cancel its statements.
 */
const isBeginning = (answer: Buffer): boolean =>
  answer.includes(Buffer.from('K\0\0\0\x0c', 'latin1'));

describeWithPostgres('hosts whose PostgreSQL connections end', (server) => {
  const each = it.each(postgresClientNames.slice(0, effort(1, 2)));

  each(
    'as they become ready, survive and answer truthfully, with %s',
    async (client) => {
      const direct = { ...(await emptySchema(server)), client };
      let isEnding = false;
      let count = 0;
      const endNewOnes: Rewrite = (answer, end) => {
        if (!isEnding || !isBeginning(answer)) return answer;
        count += 1;
        end();
        return Buffer.concat([answer, FATAL]);
      };
      const { proxy, database } = await behindProxy(direct, server, endNewOnes);
      const hosts = new Hosts(database, { writers: 4, seed: 1 });
      onTestFinished(() => hosts.killAll());
      hosts.start();
      await hosts.calls(CALLS);
      isEnding = true;
      // What is open would go on to serve.
      proxy.speak();
      await hosts.refusals(REFUSALS);
      isEnding = false;
      await hosts.calls(CALLS);
      await expectTruth(
        { promise: PROMISE, fault: `as they begin, with ${client}` },
        database,
        hosts,
        () => unsoundIn(direct),
      );
      expect(count).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  each(
    'at random moments in a loop, survive and answer truthfully, with %s',
    async (client) => {
      const made = { ...(await emptySchema(server)), client };
      // The server knows this name from the first moment of a connection on.
      const database = { ...made, url: `${made.url}?application_name=${made.schema}` };
      const others = `application_name = '${made.schema}'`;
      const killing = new Repeated(() =>
        ask(server.url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`),
      );
      const hosts = new Hosts(database, { writers: 4, seed: 2 });
      onTestFinished(() => hosts.killAll());
      hosts.start(effort(1, 3));
      await hosts.calls(CALLS);
      killing.begin();
      await hosts.refusals(REFUSALS);
      await killing.end();
      await hosts.calls(CALLS);
      await expectTruth(
        { promise: PROMISE, fault: `killed in a loop, with ${client}` },
        database,
        hosts,
        () => unsoundIn(database),
      );
    },
    TIMEOUT_MS,
  );
});
