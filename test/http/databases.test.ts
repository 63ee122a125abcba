import { afterAll } from 'vitest';
import { nodeListener } from '../../adapters/node/index.js';
import { databaseKinds, describeDatabases } from '../support/databases.js';
import { describeHttpOn } from './describe-http.js';
import { listening } from './serve.js';

/** Redis with one version of its client: the other differs in nothing that HTTP shows. */
const kinds = databaseKinds.filter(({ name }) => !name.endsWith('ioredis 6'));

const made = new Map(
  await Promise.all(
    kinds
      .filter(({ requirement }) => requirement?.isMet() !== false)
      .map(async (kind) => [kind, await kind.create()] as const),
  ),
);

describeDatabases(
  'HTTP',
  (kind) => {
    const database = made.get(kind);
    if (database === undefined) throw new Error('the database was not made');
    afterAll(() => void database.close());
    describeHttpOn(
      {
        name: 'node:http',
        prefix: '',
        parsesBodies: false,
        ownsConnection: true,
        start: (handler) => listening(nodeListener(handler)),
      },
      database.open(),
    );
  },
  kinds,
);
