export type { Migration } from '../sql/schema-version.js';
export type { MigrateOptions } from '../sql/sql-deployment.js';
export { PostgresSessionStore } from './postgres-session-store.js';
export type {
  PostgresClient,
  PostgresPool,
  PostgresSessionStoreOptions,
} from './postgres-session-store-options.js';
