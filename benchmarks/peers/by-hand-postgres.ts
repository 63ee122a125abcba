import { Pool } from 'pg';
import {
  byHand,
  type Conversation,
  type HandTables,
  type Message,
  names,
  notes,
} from './by-hand.js';
import { LATEST, PAGE, type Peer, SAID } from './peer.js';

const TABLES = `
CREATE TABLE documents (id text PRIMARY KEY, owner text NOT NULL, created_ms bigint NOT NULL, data jsonb NOT NULL);
CREATE INDEX documents_by_owner ON documents (owner, created_ms);
CREATE TABLE conversations (id text PRIMARY KEY, owner text NOT NULL, created_ms bigint NOT NULL);
CREATE INDEX conversations_by_owner ON conversations (owner, created_ms);
CREATE TABLE messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, conversation text NOT NULL REFERENCES conversations ON DELETE CASCADE,
  role text NOT NULL, content text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), name text
);
CREATE UNIQUE INDEX messages_by_name ON messages (conversation, name) WHERE name IS NOT NULL;
CREATE INDEX messages_by_conversation ON messages (conversation, id);`;

const SELECT = 'SELECT data FROM documents WHERE id = $1';
const UPDATE = 'UPDATE documents SET data = $2 WHERE id = $1';

interface Document {
  readonly data: readonly Message[];
}

const jsonColumn = (pool: Pool): HandTables => {
  const read = async (
    client: Pick<Pool, 'query'>,
    id: string,
    select = SELECT,
  ): Promise<readonly Message[]> => {
    const { rows } = await client.query<Document>(select, [id]);
    if (rows[0] === undefined) throw new Error(`no conversation ${id}`);
    return rows[0].data;
  };
  const write = (client: Pick<Pool, 'query'>, id: string, messages: readonly Message[]) =>
    client.query(UPDATE, [id, JSON.stringify(messages)]);
  const appendLocked = async (id: string): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await write(client, id, [...(await read(client, id, `${SELECT} FOR UPDATE`)), SAID]);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };
  return {
    name: names.json,
    database: 'PostgreSQL',
    create: (owner, id, createdMs, messages) =>
      pool.query('INSERT INTO documents VALUES ($1, $2, $3, $4)', [
        id,
        owner,
        createdMs,
        JSON.stringify(messages),
      ]),
    appends: [
      {
        name: `SELECT and UPDATE of ${names.json}, PostgreSQL`,
        note: notes.unlocked,
        append: async (id) => write(pool, id, [...(await read(pool, id)), SAID]),
      },
      {
        name: `SELECT FOR UPDATE and UPDATE of ${names.json}, PostgreSQL`,
        note: notes.locked,
        append: appendLocked,
      },
    ],
    page: async (owner) => {
      const { rows } = await pool.query<Document & { readonly id: string }>(
        `SELECT id, data FROM documents WHERE owner = $1 ORDER BY created_ms DESC, id DESC LIMIT ${PAGE}`,
        [owner],
      );
      return rows.map(({ id, data }) => ({ id, messages: data.slice(-LATEST).map(inOrder) }));
    },
    latestNote: notes.wholeText,
    latest: async (id) => (await read(pool, id)).slice(-LATEST),
    countMessages: async (id) =>
      (await pool.query<Document>(SELECT, [id])).rows.flatMap(({ data }) => data).length,
    remove: (id) => pool.query('DELETE FROM documents WHERE id = $1', [id]),
  };
};

/** `jsonb` has an order of its own for the names in an object. */
const inOrder = ({ role, content }: Message): Message => ({ role, content });

const NEWEST = `SELECT id, role, content FROM messages WHERE conversation = $1 ORDER BY id DESC LIMIT ${LATEST}`;
const PAGE_OF_MESSAGES = `SELECT page.id, latest.messages
  FROM (SELECT id, created_ms FROM conversations WHERE owner = $1 ORDER BY created_ms DESC, id DESC LIMIT ${PAGE}) AS page
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object('role', role, 'content', content) ORDER BY id) AS messages
    FROM (${NEWEST.replace('$1', 'page.id')}) AS newest
  ) AS latest ORDER BY page.created_ms DESC, page.id DESC`;
const INSERT_ALL = `INSERT INTO messages (conversation, role, content)
  SELECT $1, value->>'role', value->>'content' FROM json_array_elements($2::json) WITH ORDINALITY AS added (value, place)
  ORDER BY place`;

const INSERT_NAMED =
  'INSERT INTO messages (conversation, role, content, name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';

const messageTable = (pool: Pool): HandTables => ({
  name: names.messages,
  database: 'PostgreSQL',
  create: async (owner, id, createdMs, messages) => {
    await pool.query('INSERT INTO conversations VALUES ($1, $2, $3)', [id, owner, createdMs]);
    await pool.query(INSERT_ALL, [id, JSON.stringify(messages)]);
  },
  appends: [
    {
      name: `INSERT into ${names.messages}, PostgreSQL`,
      note: notes.insert,
      append: (id) =>
        pool.query('INSERT INTO messages (conversation, role, content) VALUES ($1, $2, $3)', [
          id,
          SAID.role,
          SAID.content,
        ]),
    },
    {
      name: `INSERT with a unique id into ${names.messages}, PostgreSQL`,
      note: notes.named,
      append: (id, key) => pool.query(INSERT_NAMED, [id, SAID.role, SAID.content, key]),
    },
  ],
  page: async (owner) => (await pool.query<Conversation>(PAGE_OF_MESSAGES, [owner])).rows,
  latestNote: notes.index,
  latest: async (id) => (await pool.query<Message>(NEWEST, [id])).rows.reverse(),
  countMessages: async (id) => {
    const { rows } = await pool.query(
      'SELECT count(*)::int AS count FROM messages WHERE conversation = $1',
      [id],
    );
    return Number(rows[0]?.count);
  },
  remove: (id) => pool.query('DELETE FROM conversations WHERE id = $1', [id]),
});

/** Both kinds of tables in one database, with pg's pool of ten connections, as Colloquy has it. */
export const byHandOnPostgres = async (url: string): Promise<readonly Peer[]> => {
  const pool = new Pool({ connectionString: url });
  await pool.query(TABLES);
  const peers = [await byHand(jsonColumn(pool)), await byHand(messageTable(pool))];
  return peers.map((peer, at) => (at === 0 ? { ...peer, close: () => pool.end() } : peer));
};
