export type { MigrateOptions, Migration } from '../sql/sql-deployment.js';
export { PostgresSessionStore } from './postgres-session-store.js';
export type {
  PostgresClient,
  PostgresPool,
  PostgresSessionStoreOptions,
  PostgresSql,
  PostgresSqlConnection,
} from './postgres-session-store-options.js';
