export type { MigrateOptions, Migration } from '../sql/sql-deployment.js';
export { SqliteSessionStore } from './sqlite-session-store.js';
export type {
  SqliteDatabase,
  SqliteSessionStoreOptions,
  SqliteStatement,
  SqliteValue,
} from './sqlite-session-store-options.js';
