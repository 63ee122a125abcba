import { afterAll } from 'vitest';
import { nodeListener } from '../../adapters/node/index.js';
import { databases, describeDatabases } from '../support/databases.js';
import { describeHttpOn } from './describe-http.js';
import { listening } from './serve.js';

const mount = {
  name: 'node:http',
  prefix: '',
  parsesBodies: false,
  ownsConnection: true,
  start: (handler: Parameters<typeof nodeListener>[0]) => listening(nodeListener(handler)),
};

const available = databases.filter(({ requirement }) => requirement?.isMet() !== false);
const made = new Map(
  await Promise.all(available.map(async (kind) => [kind, await kind.create()] as const)),
);

describeDatabases('HTTP', (kind) => {
  const database = made.get(kind);
  if (database === undefined) throw new Error('the database was not made');
  afterAll(() => database.close());
  describeHttpOn(mount, database.open());
});
