export type { MigrateOptions } from '../sql/sql-deployment.js';
export type { SqliteMigration } from './migrate.js';
export { SqliteSessionStore } from './sqlite-session-store.js';
export type {
  SqliteDatabase,
  SqliteSessionStoreOptions,
  SqliteStatement,
  SqliteValue,
} from './sqlite-session-store-options.js';
