export type { Migration } from '../sql/schema-version.js';
export type { MigrateOptions } from '../sql/sql-deployment.js';
export { SqliteSessionStore } from './sqlite-session-store.js';
export type {
  SqliteDatabase,
  SqliteSessionStoreOptions,
  SqliteStatement,
  SqliteValue,
} from './sqlite-session-store-options.js';
