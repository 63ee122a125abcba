import { describe, expect, onTestFinished, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { randomFrom } from '../../support/random.js';
import { startedIn } from '../../support/sessions.js';
import { effort, record, seeds } from '../support/effort.js';
import { openFilePlace, openPostgresPlace, openRedisPlace, type Place } from '../support/place.js';
import { replayOf } from './replay.js';
import { Rewinders } from './rewinders.js';

const PROCESSES = effort(2, 6);
const KILLS = effort(1, 25);
const CHANGES = effort(16, 800);
const PROMISE = 'appends and rewinds of several processes make one history, whatever is killed';

const expectOneHistory = async (
  name: string,
  { shared, open, killServer }: Place,
): Promise<void> => {
  const [seed = 1] = seeds(1);
  const random = randomFrom(seed);
  const first = open();
  const id = await startedIn(new SessionService({ store: first.store }));
  await first.close();
  const rewinders = new Rewinders(shared, id, seed);
  onTestFinished(() => rewinders.killAll());
  rewinders.start(PROCESSES);
  for (const _ of upTo(KILLS)) {
    await rewinders.writes(Math.round(CHANGES * (0.5 + random())));
    rewinders.start(1);
    await rewinders.kill();
    await killServer();
  }
  await rewinders.writes(CHANGES);
  await rewinders.end();
  await killServer();
  const { store, close } = open();
  const { shown, replayed, changes, settled, ...wrong } = await replayOf(store, id, rewinders);
  await close();
  const tell = (figure: string, value: number, bar?: string) =>
    record({
      promise: PROMISE,
      figure: `${name}: ${figure}`,
      value,
      ...(bar === undefined ? {} : { bar }),
    });
  tell('kills', KILLS);
  tell('changes that were acknowledged', rewinders.acknowledged.size);
  tell('refused, since others had superseded their place', rewinders.refused.length);
  tell('in doubt', rewinders.inDoubt.length);
  tell('of these, made', settled);
  tell('entries at the end', shown.length);
  for (const [figure, cases] of Object.entries(wrong)) tell(figure, cases.length, '0');
  expect(wrong).toEqual({ lost: [], doubled: [], untrue: [] });
  expect(shown).toEqual(replayed);
  expect(changes).toBeGreaterThan(KILLS * CHANGES * 0.5);
  expect(
    [...rewinders.acknowledged.values()].filter(({ to }) => to !== undefined).length,
  ).toBeGreaterThan(CHANGES / 4);
};

const TIMEOUT_MS = effort(120_000, 1_200_000);

describe('processes that append to one session, rewind it and are killed produce one history', () => {
  test(
    'in a SQLite file',
    async () => {
      await expectOneHistory('SQLite', await openFilePlace());
    },
    TIMEOUT_MS,
  );

  describeWithRedis(
    'processes that append to one session, rewind it and are killed produce one history on Redis',
    () => {
      test(
        'while the server is killed too',
        async () => {
          await expectOneHistory('Redis', await openRedisPlace());
        },
        TIMEOUT_MS,
      );
    },
  );

  describeWithPostgres(
    'processes that append to one session, rewind it and are killed produce one history on PostgreSQL',
    () => {
      test(
        'while the server is killed too',
        async () => {
          await expectOneHistory('PostgreSQL', await openPostgresPlace());
        },
        TIMEOUT_MS,
      );
    },
  );
});
