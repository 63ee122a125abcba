import { statSync } from 'node:fs';
import Database from 'libsql';
import { Pool } from 'pg';
import { SessionService, type SessionStore } from '../colloquy.js';
import { seedSession, utterances } from '../seed.js';
import { postgres } from './stores/postgres.js';
import { sqlite } from './stores/sqlite.js';
import { type Context, type Count, must, type Suite } from './suite.js';

const ENTRIES = 10;

/**
 * Number of sessions that go on at the same time: the entries of each come between those of the
 * others.
 */
const AT_A_TIME = 100;

/** Enough that an empty page more or less does not matter. */
const sampleOf = ({ quick }: Context): number => (quick ? 200 : 10_000);

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Sessions whose entries come one by one, as in conversations. */
const converse = async (store: SessionStore, count: number): Promise<void> => {
  const sessions = new SessionService({ store });
  const next = utterances(1);
  for (let from = 0; from < count; from += AT_A_TIME) {
    const ids = await Promise.all(
      numbers(AT_A_TIME).map((at) => seedSession(sessions, 0, from + at)),
    );
    for (let turn = 0; turn < ENTRIES; turn += 1) {
      const role = turn % 2 === 0 ? 'user' : 'assistant';
      await Promise.all(ids.map((id) => must(sessions.append(id, [{ role, content: next() }]))));
    }
  }
};

const sqliteSpace = async (context: Context): Promise<readonly Count[]> => {
  const opened = await sqlite.open({ sync: 'never' });
  const file = opened.address ?? '';
  const database = new Database(file);
  try {
    const sample = sampleOf(context);
    /** With the log moved into the file. */
    const size = async (): Promise<number> => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return statSync(file).size;
    };
    const empty = await size();
    await converse(opened.open(false), sample);
    const grown = await size();
    database.exec('VACUUM');
    const packed = await size();
    const figure = 'SQLite file of a session with 10 entries';
    return [
      { figure, value: (grown - empty) / sample, unit: 'bytes' },
      { figure: `${figure}, after VACUUM`, value: (packed - empty) / sample, unit: 'bytes' },
    ];
  } finally {
    database.close();
    await opened.close();
  }
};

const SIZE = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes FROM pg_class
  WHERE relnamespace = 'colloquy'::regnamespace AND relkind = 'r'`;

const postgresSpace = async (context: Context): Promise<readonly Count[]> => {
  const opened = await postgres.open({ sync: 'never' });
  const pool = new Pool({ connectionString: opened.address, max: 1 });
  try {
    const size = async (): Promise<number> => {
      await pool.query('VACUUM ANALYZE');
      const { rows } = await pool.query(SIZE);
      return Number(rows[0]?.bytes);
    };
    const sample = sampleOf(context);
    const empty = await size();
    await converse(opened.open(false), sample);
    const value = ((await size()) - empty) / sample;
    return [{ figure: 'PostgreSQL tables of a session with 10 entries', value, unit: 'bytes' }];
  } finally {
    await pool.end();
    await opened.close();
  }
};

export const sqlSpaceSuites: readonly Suite[] = [
  { name: 'sqlite-space', counts: sqliteSpace },
  { name: 'postgres-space', counts: postgresSpace },
];
