import { beforeAll, expect, test } from 'vitest';
import {
  createSweeper,
  type EndedSession,
  SessionService,
  type SessionStore,
} from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { buildCommandLine, type CommandLine } from '../../support/command-line.js';
import { describeDatabases, newDatabase } from '../../support/databases.js';
import { randomFrom } from '../../support/random.js';
import { ada, okOf } from '../../support/sessions.js';
import type { StoreAddress } from '../../support/store-address.js';
import { effort, record, seeds, triedDatabases } from '../support/effort.js';

const PROMISE = 'every end is reported, whoever makes it, among processes with other settings';
const SESSIONS = effort(60, 25_000);
const TENANTS = 5;
const BATCH = 50;
const PATIENCE_MS = effort(60_000, 800_000);

/** Longer than all minutes that pass after a death. */
const LONG_SECONDS = 2_000_000;

/** The environment in which `serve` uses a database. */
const servingAt = (address: StoreAddress): Record<string, string> => {
  const shared = { PORT: '0' };
  if (address.type === 'sqlite') return { ...shared, COLLOQUY_SQLITE: address.file };
  return address.type === 'postgres'
    ? { ...shared, COLLOQUY_POSTGRES: address.url, COLLOQUY_SCHEMA: address.schema }
    : {
        ...shared,
        REDIS_URL: `redis://127.0.0.1:${address.port}`,
        COLLOQUY_PREFIX: address.prefix,
      };
};

type Ending = (sessions: SessionService, other: SessionService, id: string) => Promise<unknown>;

/**
 * How a session ends, and what its report must say. Some are ended by a process with other
 * settings.
 */
const endings: readonly (readonly [endReason: EndedSession['endReason'], end: Ending])[] = [
  ['time_limit', async () => undefined],
  ['time_limit', async () => undefined],
  ['terminated', (sessions, _, id) => okOf(sessions.terminate(id))],
  ['failed', (_, other, id) => okOf(other.fail(id))],
  ['deleted', (sessions, _, id) => okOf(sessions.delete(id))],
  ['deleted', (_, other, id) => okOf(other.delete(id))],
  [
    'terminated',
    async (sessions, other, id) => {
      await okOf(sessions.terminate(id));
      await okOf(other.delete(id));
    },
  ],
];

/**
 * The application: it begins to sweep, and dies while it reports, again and again, until all ends
 * were reported.
 */
const reportAll = async (
  store: SessionStore,
  told: Map<string, EndedSession[]>,
  random: () => number,
  isDone: () => boolean,
): Promise<number> => {
  let deaths = 0;
  let aheadMs = 0;
  const end = performance.now() + PATIENCE_MS;
  while (!isDone() && performance.now() < end) {
    // Its own: what a dead one still claims is due again for the next.
    const ahead = aheadMs;
    const clock = { now: () => Date.now() + ahead, after: () => () => undefined };
    let die = (): void => undefined;
    const death = new Promise<true>((resolve) => {
      die = () => resolve(true);
    });
    const sweeper = createSweeper(new SessionService({ store, clock }), {
      batch: BATCH,
      onEnded: (session) => {
        // What a process was doing when it died is neither reported nor settled.
        if (random() < 0.02) {
          die();
          return new Promise(() => {});
        }
        told.set(session.id, [...(told.get(session.id) ?? []), session]);
        return undefined;
      },
    });
    const died = await Promise.race([sweeper.sweepOnce().then(() => false), death]);
    deaths += Number(died);
    // What a dead process has claimed is due again a minute later.
    if (died) aheadMs += 61_000;
  }
  return deaths;
};

describeDatabases(
  'overdue sessions swept by colloquy serve and processes with other settings',
  (kind) => {
    let colloquy: CommandLine;
    beforeAll(async () => {
      colloquy = await buildCommandLine();
    });

    test(
      'are all reported, with the right reason',
      async () => {
        const [seed = 1] = seeds(1);
        const random = randomFrom(seed);
        const { address, open } = await newDatabase(kind);
        // The settings of the deployment are the application's, which is there first.
        const store = open();
        const server = await colloquy.start(['serve'], /Ctrl-C stops it/, servingAt(address));
        const sessions = new SessionService({ store, retention: 1, idleTimeout: LONG_SECONDS });
        const other = new SessionService({ store: open(), retention: 3600, idleTimeout: 1 });
        // It has no onEnded, so it must not sweep.
        const refused: string[] = [];
        const onError = ({ type }: { readonly type: string }) => refused.push(type);
        const silent = createSweeper(other, { interval: 0.02, batch: BATCH, onError });
        silent.start();
        const expected = new Map<string, EndedSession['endReason']>();
        const told = new Map<string, EndedSession[]>();
        let left = SESSIONS;
        const begin = async (at: number): Promise<void> => {
          const tenant = `t${at % TENANTS}`;
          const [endReason, end] = endings[at % endings.length] ?? [
            'failed',
            async () => undefined,
          ];
          const [mine, theirs] = [sessions.forTenant(tenant), other.forTenant(tenant)];
          const timeLimit = endReason === 'time_limit' ? 0.001 : LONG_SECONDS;
          const { id } = await okOf(
            mine.create({ ...ada, timeLimit, labels: { number: `${at}` } }),
          );
          await okOf(mine.start(id));
          await end(mine, theirs, id);
          expected.set(id, endReason);
        };
        const beginAll = async (): Promise<void> => {
          for (; left > 0; left -= BATCH)
            await Promise.all(upTo(Math.min(BATCH, left)).map((at) => begin(left - at)));
        };
        const isDone = () => left <= 0 && [...expected.keys()].every((id) => told.has(id));
        const [deaths] = await Promise.all([reportAll(open(), told, random, isDone), beginAll()]);
        const missing = [...expected.keys()].filter((id) => !told.has(id));
        const wrong = [...expected].filter(([id, reason]) =>
          told.get(id)?.some(({ endReason }) => endReason !== reason),
        );
        const tell = (figure: string, value: number, bar?: string) =>
          record({
            promise: PROMISE,
            figure: `${kind.name}: ${figure}`,
            value,
            ...(bar === undefined ? {} : { bar }),
          });
        tell('ends', expected.size);
        tell('sweeps that died while they reported', deaths);
        tell('told more than once', [...told.values()].filter(({ length }) => length > 1).length);
        tell('told wrongly', wrong.length, '0');
        tell('missing', missing.length, '0');
        await silent.stop();
        expect(new Set(refused)).toEqual(new Set(['misconfigured']));
        expect(await server.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
        expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
        expect(told.size).toBe(SESSIONS);
        // What was promised is carried out by a sweeper that knows nothing of it: the retention is
        // over.
        const clock = { now: () => Date.now() + 3_600_000, after: () => () => undefined };
        const last = { batch: 1000, onEnded: () => undefined };
        await okOf(createSweeper(new SessionService({ store: open(), clock }), last).sweepOnce());
        for (const at of upTo(TENANTS))
          expect((await okOf(sessions.forTenant(`t${at}`).list({ limit: 1 }))).total).toBe(0);
      },
      effort(120_000, 900_000),
    );
  },
  triedDatabases,
);
