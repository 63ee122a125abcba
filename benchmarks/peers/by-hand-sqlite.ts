import Database from 'libsql';
import { byHand, type HandTables, type Message, names, notes } from './by-hand.js';
import { ENTRIES, LATEST, PAGE, type Peer, SAID } from './peer.js';

const TABLES = `
PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;
CREATE TABLE documents (id TEXT PRIMARY KEY, owner TEXT NOT NULL, created_ms INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX documents_by_owner ON documents (owner, created_ms);
CREATE TABLE conversations (id TEXT PRIMARY KEY, owner TEXT NOT NULL, created_ms INTEGER NOT NULL);
CREATE INDEX conversations_by_owner ON conversations (owner, created_ms);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE, role TEXT NOT NULL,
  content TEXT NOT NULL, created_ms INTEGER NOT NULL, name TEXT
);
CREATE UNIQUE INDEX messages_by_name ON messages (conversation, name) WHERE name IS NOT NULL;
CREATE INDEX messages_by_conversation ON messages (conversation, id);`;

type Connection = InstanceType<typeof Database>;

interface Row {
  readonly [column: string]: string | number;
}

const rowsOf = (found: unknown): readonly Row[] => (Array.isArray(found) ? found : []);

const idIn = ({ id = '' }: Row): string => String(id);

const jsonColumn = (database: Connection): HandTables => {
  const insert = database.prepare('INSERT INTO documents VALUES (?, ?, ?, ?)');
  const select = database.prepare('SELECT data FROM documents WHERE id = ?');
  const update = database.prepare('UPDATE documents SET data = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM documents WHERE id = ?');
  const page = database.prepare(
    `SELECT id, data FROM documents WHERE owner = ? ORDER BY created_ms DESC, id DESC LIMIT ${PAGE}`,
  );
  const messagesIn = ({ data = '[]' }: Row): readonly Message[] => JSON.parse(String(data));
  const read = (id: string): readonly Message[] => {
    const [row] = rowsOf(select.all(id));
    if (row === undefined) throw new Error(`no conversation ${id}`);
    return messagesIn(row);
  };
  const write = (id: string, messages: readonly Message[]) =>
    update.run(JSON.stringify(messages), id);
  /** Functions that wait, as in a program whose driver waits for its database. */
  const [load, save] = [
    async (id: string) => read(id),
    async (id: string, all: readonly Message[]) => write(id, all),
  ];
  return {
    name: names.json,
    database: 'SQLite',
    create: async (owner, id, createdMs, messages) =>
      insert.run(id, owner, createdMs, JSON.stringify(messages)),
    appends: [
      {
        name: `SELECT and UPDATE of ${names.json}, SQLite`,
        note: notes.unlocked,
        append: async (id) => save(id, [...(await load(id)), SAID]),
      },
      {
        name: `BEGIN IMMEDIATE, SELECT and UPDATE of ${names.json}, SQLite`,
        note: notes.locked,
        append: async (id) => {
          database.exec('BEGIN IMMEDIATE');
          try {
            write(id, [...read(id), SAID]);
          } finally {
            database.exec('COMMIT');
          }
        },
      },
    ],
    page: async (owner) =>
      rowsOf(page.all(owner)).map((row) => ({
        id: idIn(row),
        messages: messagesIn(row).slice(-LATEST),
      })),
    latestNote: notes.wholeText,
    latest: async (id) => read(id).slice(-LATEST),
    countMessages: async (id) => rowsOf(select.all(id)).flatMap(messagesIn).length,
    remove: async (id) => remove.run(id),
  };
};

const messageTable = (database: Connection): HandTables => {
  const create = database.prepare('INSERT INTO conversations VALUES (?, ?, ?)');
  const insert = database.prepare(
    'INSERT INTO messages (conversation, role, content, created_ms) VALUES (?, ?, ?, ?)',
  );
  const insertNamed = database.prepare(
    'INSERT INTO messages (conversation, role, content, created_ms, name) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = database.prepare('DELETE FROM conversations WHERE id = ?');
  const count = database.prepare('SELECT count(*) AS count FROM messages WHERE conversation = ?');
  const page = database.prepare(
    `SELECT id FROM conversations WHERE owner = ? ORDER BY created_ms DESC, id DESC LIMIT ${PAGE}`,
  );
  const newest = database.prepare(
    `SELECT role, content FROM messages WHERE conversation = ? ORDER BY id DESC LIMIT ${LATEST}`,
  );
  const add = (id: string, { role, content }: Message) => insert.run(id, role, content, Date.now());
  const latest = (id: string): readonly Message[] =>
    rowsOf(newest.all(id))
      .map(({ role, content }) => ({ role: String(role), content: String(content) }))
      .reverse();
  return {
    name: names.messages,
    database: 'SQLite',
    create: async (owner, id, createdMs, messages) => {
      create.run(id, owner, createdMs);
      if (messages.length > ENTRIES) database.exec('BEGIN');
      for (const message of messages) add(id, message);
      if (messages.length > ENTRIES) database.exec('COMMIT');
    },
    appends: [
      {
        name: `INSERT into ${names.messages}, SQLite`,
        note: notes.insert,
        append: async (id) => add(id, SAID),
      },
      {
        name: `INSERT with a unique id into ${names.messages}, SQLite`,
        note: notes.named,
        append: async (id, key) => insertNamed.run(id, SAID.role, SAID.content, Date.now(), key),
      },
    ],
    page: async (owner) =>
      rowsOf(page.all(owner))
        .map(idIn)
        .map((id) => ({ id, messages: latest(id) })),
    latestNote: notes.index,
    latest: async (id) => latest(id),
    countMessages: async (id) => Number(rowsOf(count.all(id))[0]?.['count']),
    remove: async (id) => remove.run(id),
  };
};

/** Both kinds of tables in one file, as durable as Colloquy's. */
export const byHandOnSqlite = async (file: string): Promise<readonly Peer[]> => {
  const database = new Database(file);
  database.exec(TABLES);
  const peers = [await byHand(jsonColumn(database)), await byHand(messageTable(database))];
  return peers.map((peer, at) =>
    at === 0 ? { ...peer, close: async () => database.close() } : peer,
  );
};
