import { describe, inject, it } from 'vitest';
import type { PostgresAddress } from './postgres-server.js';
import { reasonToSkip, requirements } from './requirements.js';

/**
 * `describe` for what needs a real PostgreSQL: gives the one that the run shares, or skips in plain
 * sight without one. Each test uses a schema or a database of its own in it.
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
