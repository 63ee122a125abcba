// Runs a conversation on a store of its own.
import { SessionService } from 'colloquy';
import Database from 'libsql';
import { sqlStore, tables } from './sql-store.js';

const database = new Database(':memory:');
database.exec(tables);
const sessions = new SessionService({ store: sqlStore(database, false) }).orThrow;

const { id } = await sessions.create({ start: true, timeLimit: 600 });
await sessions.append(id, [{ role: 'user', content: 'What is 6 times 7?' }]);
await sessions.append(id, [{ role: 'assistant', content: '42.' }]);
for (const { role, content } of (await sessions.get(id)).history)
  console.log(`${role}: ${content}`);
database.close();
