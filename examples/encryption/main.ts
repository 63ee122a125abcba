// Stores what a user says in an encrypted store, and shows what the database has of it.
import { randomBytes } from 'node:crypto';
import { SessionService } from 'colloquy';
import { SqliteSessionStore } from 'colloquy/sqlite';
import Database from 'libsql';
import { encrypted } from './encrypted-store.js';

const database = new Database(':memory:');
const store = new SqliteSessionStore({ database });
await store.migrate().orTee((error) => console.error(error.message));

const key = randomBytes(32); // yours, from the secret store of your platform
const sessions = new SessionService({ store: encrypted(store, key) }).orThrow;
const { id } = await sessions.create({
  start: true,
  entries: [{ role: 'user', content: 'My name is Nina.' }],
});

const rows = JSON.stringify(database.prepare('SELECT * FROM colloquy_entries').all());
console.log(`the database has the text: ${rows.includes('Nina')}`);
console.log(`the session has it: ${(await sessions.get(id)).history[0]?.content}`);
database.close();
