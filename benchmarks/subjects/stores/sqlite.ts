import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { SqliteSessionStore } from '../../colloquy.js';
import { resultOf } from '../suite.js';
import {
  type ByHand,
  type ComparedStore,
  type Entry,
  SHIFT_MS,
  type Sync,
  sessionOfRow,
  TEMPLATES,
} from './compared-store.js';

const SETTINGS = 'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL';

const MODES = { always: 'FULL', later: 'NORMAL', never: 'OFF' } as const satisfies Record<
  Sync,
  string
>;

export const settingsOf = (sync: Sync): string =>
  `${SETTINGS}; PRAGMA synchronous = ${MODES[sync]}`;

const TABLES = `
CREATE TABLE IF NOT EXISTS sessions (
  number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, created_ms INTEGER NOT NULL, status TEXT NOT NULL,
  face TEXT NOT NULL, profile TEXT NOT NULL, context TEXT NOT NULL, behavior TEXT NOT NULL, time_limit REAL NOT NULL,
  duration REAL NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS sessions_by_id ON sessions (tenant, id);
CREATE INDEX IF NOT EXISTS sessions_by_creation ON sessions (tenant, created_ms, id);
CREATE TABLE IF NOT EXISTS entries (
  session INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, timestamp TEXT NOT NULL,
  PRIMARY KEY (session, position)
) WITHOUT ROWID;`;

const LIGHT = 'id, status, created_ms, face, profile, context, behavior, time_limit, duration';
/* One text for each history: a row for each entry takes the driver twice as long. */
const WHOLE = `${LIGHT}, (SELECT json_group_array(json_object('role', role, 'content', content, 'timestamp', timestamp))
  FROM entries WHERE session = number) AS history`;
const NUMBER = 'SELECT number FROM sessions WHERE tenant = ? AND id = ?';
const NEWEST = 'ORDER BY created_ms DESC, id DESC LIMIT 10';

type Connection = InstanceType<typeof Database>;
type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

const firstOf = (database: Connection, sql: string, ...values: readonly string[]): Row => {
  const row = database.prepare(sql).get(...values);
  return isRow(row) ? row : {};
};

const tables = (database: Connection): ByHand => {
  database.exec(TABLES);
  const pageOf = (columns: string) => ({
    skipping: database.prepare(
      `SELECT ${columns} FROM sessions WHERE tenant = ? ${NEWEST} OFFSET ?`,
    ),
    behind: database.prepare(
      `SELECT ${columns} FROM sessions WHERE tenant = ? AND (created_ms, id) < (?, ?) ${NEWEST}`,
    ),
  });
  const [light, whole] = [pageOf(LIGHT), pageOf(WHOLE)];
  const one = database.prepare(`SELECT ${WHOLE} FROM sessions WHERE tenant = ? AND id = ?`);
  const create = database.prepare(
    `INSERT INTO sessions (tenant, ${LIGHT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const append = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?)');
  const numbers = new Map<string, number>();
  const hand: ByHand = {
    add: async (tenant, sessions) => {
      database.exec('BEGIN');
      for (const session of sessions) {
        await hand.create(tenant, session);
        for (const [at, entry] of session.history.entries())
          await hand.append(tenant, session.id, at + 1, entry);
      }
      database.exec('COMMIT');
    },
    page: async (tenant, start, isLight) => {
      const { skipping, behind } = isLight ? light : whole;
      const rows =
        'skip' in start
          ? skipping.all(tenant, start.skip)
          : behind.all(tenant, start.createdMs, start.id);
      return rows.filter(isRow).map((row) => {
        const history: readonly Entry[] = isLight ? [] : JSON.parse(String(row['history']));
        return sessionOfRow(row, history);
      });
    },
    get: async (tenant, id) => {
      const found = one.get(tenant, id);
      const row = isRow(found) ? found : {};
      return sessionOfRow(row, JSON.parse(String(row['history'])));
    },
    create: async (tenant, { id, status, created_at, options, duration }) => {
      const { face, profile, context, behavior, time_limit } = options;
      const texts = [face, profile, context, behavior];
      return create.run(tenant, id, status, Date.parse(created_at), ...texts, time_limit, duration);
    },
    append: async (tenant, id, position, { role, content, timestamp }) => {
      const key = `${tenant} ${id}`;
      const number = numbers.get(key) ?? Number(firstOf(database, NUMBER, tenant, id)['number']);
      numbers.set(key, number);
      return append.run(number, position, role, content, timestamp);
    },
  };
  return hand;
};

const ID = (number: string) => `printf('s%020d', ${number})`;
const TIME = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${ms} / 1000, 'unixepoch')`;

/* `:first` is the number of the first template, `:by` how many numbers further a copy stands. */
const COPY = [
  `INSERT INTO colloquy_sessions SELECT number + :by, tenant, ${ID('number + :by - :first')}, created_ms + :ms, incarnation,
     status, deadline, due_at, wake_at, asked_at, inbox, revision, last_activity + :ms, sequence, redactions, entries, position, bytes,
     head_bytes,
     replace(state, created_ms, created_ms + :ms)
   FROM colloquy_sessions WHERE number BETWEEN :first AND :last`,
  `INSERT INTO colloquy_heads SELECT session + :by,
     replace(replace(head, id, ${ID('number + :by - :first')}), ${TIME('created_ms')}, ${TIME('(created_ms + :ms)')})
   FROM colloquy_heads JOIN colloquy_sessions ON number = session WHERE session BETWEEN :first AND :last`,
  `INSERT INTO colloquy_entries SELECT session + :by, position, bytes, entry
   FROM colloquy_entries WHERE session BETWEEN :first AND :last`,
];
const COPY_BY_HAND = [
  `INSERT INTO sessions SELECT number + :by, tenant, ${ID('number + :by - :first')}, created_ms + :ms, status, face,
     profile, context, behavior, time_limit, duration FROM sessions WHERE number BETWEEN :first AND :last`,
  `INSERT INTO entries SELECT session + :by, position, role, content, timestamp
   FROM entries WHERE session BETWEEN :first AND :last`,
];

const copyIn = (
  database: Connection,
  table: string,
  statements: readonly string[],
  tenant: string,
  count: number,
) => {
  const first = Number(
    firstOf(database, `SELECT min(number) AS first FROM ${table} WHERE tenant = ?`, tenant)[
      'first'
    ],
  );
  const prepared = statements.map((sql) => database.prepare(sql));
  database.exec('BEGIN');
  for (let by = TEMPLATES; by < count; by += TEMPLATES) {
    const ms = (by / TEMPLATES) * SHIFT_MS;
    for (const statement of prepared) statement.run({ by, ms, first, last: first + TEMPLATES - 1 });
  }
  database.exec('COMMIT');
};

/** A file, with the advice of docs/sqlite.md. */
export const sqlite: ComparedStore = {
  name: 'SQLite',
  open: async ({ sync, address }) => {
    const file =
      address ?? join(mkdtempSync(join(tmpdir(), 'colloquy-benchmarks-')), 'sessions.db');
    const connect = (path: string) => {
      const connection = new Database(path);
      connection.exec(settingsOf(sync));
      return connection;
    };
    const [database, withEvents] = [connect(file), connect(`${file}-events`)];
    const stores = {
      off: new SqliteSessionStore({ database, events: false }),
      on: new SqliteSessionStore({ database: withEvents, events: true }),
    };
    for (const store of Object.values(stores)) resultOf(await store.migrate());
    const version = firstOf(database, 'SELECT sqlite_version() AS version')['version'];
    return {
      address: file,
      durability: `SQLite ${version} by libsql, WAL, synchronous = FULL: survives a crash of the machine`,
      open: (events) => stores[events ? 'on' : 'off'],
      byHand: tables(database),
      copy: async ({ tenant, count }) => {
        // In a log, gigabytes would be written twice.
        database.exec('PRAGMA journal_mode = OFF');
        copyIn(database, 'colloquy_sessions', COPY, tenant, count);
        copyIn(database, 'sessions', COPY_BY_HAND, tenant, count);
        database.exec('PRAGMA journal_mode = WAL');
      },
      close: async () => {
        database.close();
        withEvents.close();
        if (address === undefined) rmSync(dirname(file), { recursive: true, force: true });
      },
    };
  },
};
