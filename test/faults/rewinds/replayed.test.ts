import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService, type SessionStore } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { freePort } from '../../support/free-port.js';
import { randomFrom } from '../../support/random.js';
import { startRedis } from '../../support/redis-server.js';
import { startedIn } from '../../support/sessions.js';
import { openDatabase } from '../databases/database.js';
import { MortalServer } from '../postgres/mortal-server.js';
import { makeFile } from '../sqlite/make-file.js';
import { effort, record, seeds } from '../support/effort.js';
import { replayOf } from './replay.js';
import { Rewinders, type Shared } from './rewinders.js';

const PROCESSES = effort(2, 6);
const KILLS = effort(1, 25);
const CHANGES = effort(16, 800);
const PROMISE = 'appends and rewinds of several processes make one history, whatever is killed';

interface Place {
  readonly shared: Shared;
  readonly open: () => { readonly store: SessionStore; readonly close: () => unknown };
  /** Kills the server, and starts it again; nothing where there is none. */
  readonly killServer: () => Promise<unknown>;
}

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
    await rewinders.changes(Math.round(CHANGES * (0.5 + random())));
    rewinders.start(1);
    await rewinders.kill();
    await killServer();
  }
  await rewinders.changes(CHANGES);
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

describe('processes that append to one session, rewind it and are killed make one history', () => {
  test(
    'in a SQLite file',
    async () => {
      const { database } = await makeFile();
      const open = () => openDatabase(database);
      await expectOneHistory('SQLite', {
        shared: database,
        open,
        killServer: async () => undefined,
      });
    },
    TIMEOUT_MS,
  );

  describeWithRedis('in a Redis', () => {
    test(
      'that is killed too',
      async () => {
        const dir = await mkdtemp(join(tmpdir(), 'colloquy-rewinds-'));
        const port = await freePort();
        const start = () =>
          startRedis({ dir, port, args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
        let server = await start();
        onTestFinished(async () => {
          await server.stop('SIGKILL');
          await rm(dir, { recursive: true, force: true });
        });
        const open = () => {
          const client = new Redis(port);
          const store = new RedisSessionStore({ client, events: { length: 10_000_000 } });
          return { store, close: () => client.disconnect() };
        };
        const killServer = async () => {
          await server.stop('SIGKILL');
          server = await start();
        };
        await expectOneHistory('Redis', { shared: { kind: 'redis', port }, open, killServer });
      },
      TIMEOUT_MS,
    );
  });

  describeWithPostgres('in a PostgreSQL', () => {
    test(
      'that is killed too',
      async () => {
        const server = await MortalServer.start();
        const killServer = async () => {
          await server.kill();
          await server.restart();
        };
        await expectOneHistory('PostgreSQL', {
          shared: server.database,
          open: () => openDatabase(server.database),
          killServer,
        });
      },
      TIMEOUT_MS,
    );
  });
});
