import { describe, expect, it } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { methods, storeCalls } from '../../support/store-calls.js';

const answers: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['a text', 'QUEUED'],
  ['no rows', {}],
  ['rows without names', { rows: [['one', 'two']] }],
  ['rows of other columns', { rows: [{ lastActivity: '1', foundState: '{}' }] }],
  ['a result without an outcome', { rows: [{ results: [{ other: 1 }], result: 'x' }] }],
];

const poolOf = (answer: unknown): PostgresPool => ({
  connect: async () => ({
    query: async (text) => (text.includes('.meta') ? { rows: [] } : answer),
    release: () => undefined,
  }),
});

const WRITES = ['begin', 'change', 'remove', 'take'];

describe('a pool with malformed query results', () => {
  it.each(answers)(
    'fails every call with store_unavailable, not corrupt_record, for %s',
    async (_, answer) => {
      const store = new PostgresSessionStore({ pool: poolOf(answer) });
      for (const method of methods) {
        const result = await storeCalls[method](store);
        const error = result.isErr() ? result.error : undefined;
        expect([method, error]).toMatchObject([method, { type: 'store_unavailable' }]);
        const outcome = WRITES.includes(method) ? 'unknown' : 'not_applied';
        expect([method, error]).toMatchObject([method, { outcome }]);
      }
    },
  );
});
