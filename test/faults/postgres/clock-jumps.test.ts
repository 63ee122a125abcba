import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { randomFrom } from '../../support/random.js';
import { expectToBearClockJumps } from '../databases/clock-jumps.js';
import { effort, seeds } from '../support/effort.js';
import { emptySchema, openHost } from './on-shared-server.js';
import { unsoundIn } from './soundness.js';

describeWithPostgres('clock jumps on the hosts of one PostgreSQL', (server) => {
  test('cause no missing and no repeated report, and leave nothing due forever', async () => {
    const [seed = 1] = seeds(1);
    const database = await emptySchema(server, true);
    const [one, other] = [openHost(database).store, openHost(database).store];
    const promise = 'PostgreSQL: answers are true, whatever fails';
    await expectToBearClockJumps(promise, [one, other], randomFrom(seed), effort(100, 5000));
    expect(await unsoundIn(database)).toEqual([]);
  });
});
