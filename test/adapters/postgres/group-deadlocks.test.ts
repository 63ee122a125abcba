import { expect, it } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, beginOf, putOf } from '../../../src/testing/commits.js';
import { keyOf, live, NOON, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { randomFrom } from '../../support/random.js';

const ROUNDS = moreIfLong(150, 1000);
const ROUNDS_AT_ONCE = 8;
const TENANTS = [TENANT, 'other'];
const IDS = upTo(5).map((at) => `s${at}`);

type Random = (below: number) => number;
type Outcome = { readonly isErr: () => boolean };

/** A random change. Its guards may fail; what matters is that the call settles. */
const changeOf = async (store: PostgresSessionStore, random: Random): Promise<Outcome> => {
  const key = keyOf(IDS[random(IDS.length)] ?? '', TENANTS[random(2)]);
  // Rarely, because groups with a cap do not run at the same time.
  const cap = random(20) === 0 ? { sessions: 1 + random(6), now: NOON } : undefined;
  const labels = { plan: `p${random(3)}`, team: `t${random(3)}` };
  const next = live(random(2) === 0 ? 'ACTIVE' : 'PAUSED', { labels });
  const kind = random(20);
  if (kind < 2) return store.remove(planRemove(key, NOON));
  if (kind < 6) {
    return store.begin(beginOf(key, { state: live('ACTIVE', { labels }), guards: { live: cap } }));
  }
  if (kind < 9) {
    const id = IDS[random(IDS.length)] ?? '';
    const slice = await answerOf(store.entries(keyOf(id, key.tenant), { limit: 1 }));
    const version = slice.outcome === 'found' ? slice.version : '';
    const guards = { source: { id, version } };
    const entries = [say('from the source')];
    return store.begin(beginOf(key, { state: live('IDLE'), entries, guards }));
  }
  if (kind < 14) return store.change(appendOf(key, ['hello']));
  const revision = 2 + random(3);
  return store.change(
    putOf(key, { ...next, revision }, next, next.status === 'ACTIVE' ? { live: cap } : {}),
  );
};

describeWithPostgres('groups of changes by two processes', (postgres) => {
  it('never deadlock, whatever they change', async () => {
    const database = schemaName();
    const admin = openPool(postgres);
    await admin.query(`CREATE DATABASE ${database}`);
    const url = postgres.url.replace(/postgres$/, database);
    const pools = upTo(2).map(() => openPool({ url }, { max: 12 }));
    const stores = pools.map((pool) => new PostgresSessionStore({ pool, timeoutMs: PATIENT_MS }));
    for (const store of stores) (await store.migrate())._unsafeUnwrap();
    const random = randomFrom(1);
    const below = (count: number) => Math.floor(random() * count);
    const failed: unknown[] = [];
    let round = 0;
    const lane = async (): Promise<void> => {
      while (round < ROUNDS) {
        round += 1;
        const changes = upTo(10).flatMap(() => stores.map((store) => changeOf(store, below)));
        failed.push(...(await Promise.all(changes)).filter((each) => each.isErr()));
      }
    };
    await Promise.all(upTo(ROUNDS_AT_ONCE).map(lane));
    // The server updates the statistics of a connection when it closes.
    for (const pool of pools) await pool.end();
    const { rows } = await admin.query(
      'SELECT deadlocks::int, xact_commit::int AS commits FROM pg_stat_database WHERE datname = $1',
      [database],
    );
    await admin.query(`DROP DATABASE ${database}`);
    await admin.end();
    expect(failed).toEqual([]);
    expect(rows).toEqual([{ deadlocks: 0, commits: expect.any(Number) }]);
  });
});
