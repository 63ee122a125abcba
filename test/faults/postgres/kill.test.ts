import { expect, onTestFinished, test } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { randomFrom } from '../../support/random.js';
import { openDatabase, postgresClientNames } from '../databases/database.js';
import { Hosts, tenants } from '../databases/hosts.js';
import { expectTruth } from '../databases/verdict.js';
import { Watchers } from '../databases/watchers.js';
import { effort, seeds } from '../support/effort.js';
import { MortalServer } from './mortal-server.js';
import { unsoundIn } from './soundness.js';

const KILLS = effort(1, 50);
const CALLS = effort(40, 1500);
const PROMISE = 'PostgreSQL: answers are true, whatever fails';

describeWithPostgres('a PostgreSQL that is killed during writes, together with its hosts', () => {
  test.each(postgresClientNames.slice(0, effort(1, 2)))(
    'loses and duplicates no acknowledged write, and has an event for each change, with %s',
    async (client) => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const server = await MortalServer.start();
      const database = { ...server.database, client };
      const hosts = new Hosts(database, { writers: 4, seed });
      onTestFinished(() => hosts.killAll());
      const watching = openDatabase(database);
      onTestFinished(() => void watching.close());
      const watchers = await Watchers.start(watching.store, tenants);
      hosts.start(effort(1, 3));
      for (const _ of upTo(KILLS)) {
        await hosts.calls(Math.round(CALLS * (0.5 + random())));
        hosts.start();
        await hosts.kill();
        await hosts.calls(Math.round(CALLS * (0.5 + random())));
        await server.kill();
        await server.restart();
      }
      await hosts.calls(CALLS);
      const topic = {
        promise: PROMISE,
        fault: `${KILLS} kills of the server and ${KILLS} of a host, with ${client}`,
      };
      const answers = await expectTruth(
        topic,
        database,
        hosts,
        () => unsoundIn(server.database),
        watchers,
      );
      expect(answers.ok).toBeGreaterThan(KILLS * CALLS * 0.5);
    },
    effort(120_000, 2_400_000),
  );
});
