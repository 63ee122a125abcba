import Database from 'libsql';
import { fromNoon } from '../../clock.js';
import type { Sync } from '../stores/compared-store.js';
import { settingsOf } from '../stores/sqlite.js';
import { digestOf, eventOf, type FairAppend, type FairWrites, MAX_ENTRIES } from './fair-writes.js';
import tables from './tables-sqlite.sql';

const CREATE = `INSERT INTO sessions (tenant, id, created_ms, status, deadline, activity, settings)
  VALUES (?, ?, ?, 'IDLE', ?, ?, ?)`;
const START = "UPDATE sessions SET status = 'ACTIVE', deadline = ? WHERE tenant = ? AND id = ?";
const FIND = `SELECT number, status, deadline, entries, revision FROM sessions
  WHERE tenant = ? AND id = ?`;
const KNOWN = 'SELECT digest FROM operations WHERE session = ? AND name = ?';
const CHANGE = 'UPDATE sessions SET entries = ?, revision = ?, activity = ? WHERE number = ?';

type Connection = InstanceType<typeof Database>;

/** Runs a call in a transaction that no other writer interrupts. */
const inTransaction = (database: Connection) => {
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map((sql) =>
    database.prepare(sql),
  );
  return <T>(call: () => T): T => {
    begin?.run();
    try {
      const value = call();
      commit?.run();
      return value;
    } catch (error) {
      rollback?.run();
      throw error;
    }
  };
};

const appendOf = (database: Connection) => {
  const [find, known, change] = [FIND, KNOWN, CHANGE].map((sql) => database.prepare(sql));
  const enter = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?)');
  const remember = database.prepare('INSERT INTO operations VALUES (?, ?, ?)');
  const tell = database.prepare('INSERT INTO events (detail) VALUES (?)');
  return (append: FairAppend): string => {
    const { tenant, id, entry, name } = append;
    const now = fromNoon.now();
    const found = find?.get(tenant, id);
    if (found === undefined) return 'missing';
    const { number, status, deadline, entries, revision } = Object(found);
    const digest = name === '' ? '' : digestOf(entry);
    const earlier = name === '' ? undefined : known?.get(number, name);
    if (earlier !== undefined) return Object(earlier).digest === digest ? 'repeated' : 'mismatch';
    if (status !== 'ACTIVE' || now >= deadline) return 'closed';
    if (entries >= MAX_ENTRIES) return 'full';
    const position = entries + 1;
    enter.run(number, position, entry.role, entry.content, new Date(now).toISOString());
    change?.run(position, revision + 1, now, number);
    if (name !== '') remember.run(number, name, digest);
    tell.run(`${eventOf.appended(append, now)}${position},"sequence":${revision + 1}}`);
    return 'appended';
  };
};

/** One transaction a call, in a file of its own that is as durable as the store's. */
export const fairOnSqlite = async (file: string, sync: Sync): Promise<FairWrites> => {
  const database = new Database(`${file}-fair`);
  database.exec(settingsOf(sync));
  database.exec(tables);
  const [create, start] = [CREATE, START].map((sql) => database.prepare(sql));
  const tell = database.prepare('INSERT INTO events (detail) VALUES (?)');
  const append = appendOf(database);
  const transact = inTransaction(database);
  return {
    create: async (tenant, { id, options }) => {
      const now = fromNoon.now();
      const deadline = now + options.time_limit * 1000;
      transact(() => {
        create?.run(tenant, id, now, deadline, now, JSON.stringify(options));
        tell.run(eventOf.created({ tenant, id }, now));
      });
    },
    append: async (given) => transact(() => append(given)),
    start: async (tenant, id) => start?.run(Number.MAX_SAFE_INTEGER, tenant, id),
    close: () => database.close(),
  };
};
