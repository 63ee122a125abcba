import { describe, expect, onTestFinished, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ada, okOf } from '../../support/sessions.js';
import { openProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { effort, record, seeds } from '../support/effort.js';
import { openFilePlace, openPostgresPlace, openRedisPlace, type Place } from '../support/place.js';
import { auditOf } from './audit.js';
import { Spenders } from './spenders.js';
import { BUDGET } from './spending.js';

const PROCESSES = effort(2, 5);
const WRITERS = 50 / PROCESSES;
const SESSIONS = effort(4, 25);
const ROUNDS = effort(1, 20);
const WRITES = effort(300, 100_000);
const LOST = effort(2, 10);
const PROMISE = 'sums of budgets are what was acknowledged, whatever is killed';

interface Target extends Place {
  /** Between the writers and the server, if there is one. */
  readonly proxy?: TcpProxy;
}

const createAll = async ({ open }: Place): Promise<readonly string[]> => {
  const { store, close } = open();
  const sessions = new SessionService({ store });
  const ids: string[] = [];
  for (const _ of upTo(SESSIONS))
    ids.push((await okOf(sessions.create({ ...ada, start: true, budget: BUDGET }))).id);
  await close();
  return ids;
};

const expectLedger = async (name: string, place: Target): Promise<void> => {
  const { shared, open, killServer, proxy } = place;
  const [seed = 1] = seeds(1);
  const spenders = new Spenders(shared, await createAll(place), WRITERS, seed);
  onTestFinished(() => spenders.killAll());
  spenders.start(PROCESSES);
  for (const _ of upTo(ROUNDS)) {
    await spenders.writes(WRITES / ROUNDS);
    for (const _ of upTo(LOST)) await proxy?.loseReply('');
    spenders.start(1);
    await spenders.kill();
    await killServer();
  }
  await spenders.writes(WRITES / 10);
  await spenders.end();
  await killServer();
  const { store, close } = open();
  const wrong = await auditOf(store, spenders);
  await close();
  const tell = (figure: string, value: number, bar?: string) =>
    record({
      ...{ promise: PROMISE, figure: `${name}: ${figure}`, value },
      ...(bar === undefined ? {} : { bar }),
    });
  tell('writers', PROCESSES * WRITERS);
  tell('kills of a process, and of the server if there is one', ROUNDS);
  if (proxy !== undefined) tell('replies that were cut off', ROUNDS * LOST);
  tell('writes that were acknowledged', spenders.acknowledged.length);
  tell('sent again', spenders.again);
  tell('in doubt at the end', spenders.inDoubt.length);
  tell('sessions whose sums are off', wrong.off.length, '0');
  tell('entries lost', wrong.lost.length, '0');
  tell('histories with an entry twice', wrong.doubled.length, '0');
  expect(wrong).toEqual({ off: [], lost: [], doubled: [] });
  expect(spenders.acknowledged.length).toBeGreaterThanOrEqual(WRITES);
};

const TIMEOUT_MS = effort(120_000, 3_600_000);

describe('50 writers in several processes that spend and are killed are counted exactly', () => {
  test(
    'in a SQLite file',
    async () => {
      await expectLedger('SQLite', await openFilePlace({ busyTimeoutMs: 60_000 }));
    },
    TIMEOUT_MS,
  );

  describeWithRedis('on Redis', () => {
    test(
      'while the server is killed too and replies are lost',
      async () => {
        const place = await openRedisPlace();
        const proxy = await openProxy(place.shared.port);
        const shared = { kind: 'redis', port: proxy.port } as const;
        await expectLedger('Redis', { ...place, shared, proxy });
      },
      TIMEOUT_MS,
    );
  });

  describeWithPostgres('on PostgreSQL', () => {
    test(
      'while the server is killed too and replies are lost',
      async () => {
        const { port, ...place } = await openPostgresPlace();
        const proxy = await openProxy(port);
        const url = place.shared.url.replace(`:${port}`, `:${proxy.port}`);
        await expectLedger('PostgreSQL', { ...place, shared: { ...place.shared, url }, proxy });
      },
      TIMEOUT_MS,
    );
  });
});
