export type { MigrateOptions } from '../sql/deployment.js';
export type { SqliteMigration } from './schema.js';
export { SqliteSessionStore } from './sqlite-session-store.js';
export type {
  SqliteDatabase,
  SqliteSessionStoreOptions,
  SqliteStatement,
  SqliteValue,
} from './sqlite-session-store-options.js';
