import { describe, inject, it } from 'vitest';
import type { PostgresAddress } from './postgres-server.js';
import { reasonToSkip, requirements } from './requirements.js';

/**
 * `describe` with the real PostgreSQL that the run shares. Reports the suite as skipped without
 * one. Each test uses its own schema or database.
 */
export function describeWithPostgres(
  name: string,
  define: (postgres: PostgresAddress) => void,
): void {
  const postgres = inject('postgres');
  describe(name, () => {
    if (postgres === undefined) it.skip(reasonToSkip(requirements.postgres));
    else define(postgres);
  });
}
