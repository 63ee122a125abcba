/**
 * What a call costs through postgres.js beside the same through pg, in pairs of rounds:
 * microseconds of CPU of this process, of the store and by hand. Saves the figures in
 * `benchmarks/results`.
 *
 *     npx tsup --no-dts && node --import ./.ci/sources.mjs benchmarks/postgres-clients.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import postgres from 'postgres';
import type { SessionService } from '../src/index.js';
import { openPool } from '../test/support/postgres-schema.js';
import { startPostgres } from '../test/support/postgres-server.js';
import { comparedInPairs, cpuOf } from './harness/cpu-pairs.js';
import { loadBefore } from './harness/machine.js';

const ROUNDS = 20;
const CALLS = { append: 400, list: 60 };
const SESSIONS = 200;
const CONNECTIONS = 5;
/** The most that a call may cost more through postgres.js. */
const BAR = 1.1;

type Call = (call: number) => PromiseLike<unknown>;
type Calls = Readonly<Record<'append' | 'list', Call>>;

const load = async (name: string) =>
  Object(await import(new URL(`../dist/${name}.js`, import.meta.url).href));

const entries = [{ role: 'assistant', content: 'The appointment takes about half an hour.' }];

/** The calls of a store over a pool of the host. */
const callsOf = async (options: object): Promise<Calls> => {
  const { PostgresSessionStore } = await load('postgres');
  const { SessionService } = await load('index');
  const store = new PostgresSessionStore({ events: false, ...options });
  (await store.migrate())._unsafeUnwrap();
  const sessions: SessionService = new SessionService({ store });
  const ids: string[] = [];
  for (let at = 0; at < SESSIONS; at += 1) {
    const created = await sessions.create({ face: 'ada', profile: 'tutor', start: true });
    ids.push(created._unsafeUnwrap().id);
  }
  return {
    append: async (call) =>
      (await sessions.append(ids[call % SESSIONS] ?? '', entries))._unsafeUnwrap(),
    list: async () => (await sessions.list({ limit: 10 }))._unsafeUnwrap(),
  };
};

const TABLE = 'CREATE TABLE hand (session text, position bigint, entry text)';
const INSERT = 'INSERT INTO hand VALUES ($1, $2, $3)';
const SELECT = `SELECT id, status, head, state FROM colloquy.sessions
  WHERE tenant = $1 ORDER BY created_ms DESC, id DESC LIMIT $2`;

const measure = async (
  kind: keyof Calls,
  callers: number,
  { [kind]: pg }: Calls,
  { [kind]: postgresJs }: Calls,
) => {
  const costs = { pg: [] as number[], postgresJs: [] as number[] };
  const pair = [
    ['pg', pg],
    ['postgresJs', postgresJs],
  ] as const;
  for (let round = -3; round < ROUNDS; round += 1) {
    for (const [client, run] of round % 2 === 0 ? pair : pair.toReversed()) {
      const cost = await cpuOf(run, { callers, calls: CALLS[kind] });
      if (round >= 0) costs[client].push(cost);
    }
  }
  const { us, baseUs, ratio, quartiles } = comparedInPairs(costs.postgresJs, costs.pg);
  return { callers, pgUs: baseUs, postgresJsUs: us, ratio, quartiles };
};

const loaded = await loadBefore();
const server = await startPostgres();
const pool = openPool(server, { max: CONNECTIONS });
const sql = postgres(server.url, {
  max: CONNECTIONS,
  fetch_types: false,
  onnotice: () => undefined,
});
await pool.query(TABLE);
const places = [
  ['the store', await callsOf({ pool }), await callsOf({ sql })],
  [
    'by hand',
    {
      append: (call) =>
        pool.query({ name: 'insert', text: INSERT, values: ['s', call, entries[0]?.content] }),
      list: () => pool.query({ name: 'select', text: SELECT, values: ['default', 10] }),
    },
    {
      append: (call) =>
        sql.unsafe(INSERT, ['s', call, entries[0]?.content ?? ''], { prepare: true }),
      list: () => sql.unsafe(SELECT, ['default', 10], { prepare: true }),
    },
  ],
] satisfies readonly (readonly [string, Calls, Calls])[];
const results: unknown[] = [];
for (const [place, pg, postgresJs] of places) {
  for (const kind of ['append', 'list'] as const) {
    for (const callers of [1, 32]) {
      const found = await measure(kind, callers, pg, postgresJs);
      const judged = place === 'by hand' ? {} : { bar: BAR, meetsBar: found.ratio <= BAR };
      const result = {
        what: `${place}: ${kind}`,
        ...found,
        ...judged,
        load: Number(loaded.toFixed(1)),
      };
      console.log(JSON.stringify(result));
      results.push(result);
    }
  }
}
await sql.end();
await pool.end();
await server.stop();
mkdirSync('benchmarks/results', { recursive: true });
const file = `benchmarks/results/${new Date().toISOString().slice(0, 10)}-postgres-clients.json`;
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
