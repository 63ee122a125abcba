import { createServer } from 'node:http';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate } from 'orval';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  messageRoutes,
  staticApiKeys,
} from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';
import { openApiDocument, openApiRoute } from '../../../src/openapi/index.js';
import { ManualClock } from '../../support/manual-clock.js';
import { UserFolder } from './folder.js';
import { fetcherForOrval, userOfHeyApi, userOfOpenApiTypescript, userOfOrval } from './users.js';

const routes = [commandRoutes(), historyRoutes(), messageRoutes(), eventRoutes(), openApiRoute()];

/** As a generator reads it from a file: each may change what it is given. */
const documentAsFile = () => JSON.parse(JSON.stringify(openApiDocument({ routes })));

/** A service with one session, older than those that users create. */
const openServer = async () => {
  const clock = new ManualClock();
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }), clock });
  const handler = createSessionHandler({
    sessions,
    authenticate: staticApiKeys([{ key: 'key', tenant: 'acme' }]),
    routes,
  });
  const older = await sessions.forTenant('acme').create({ face: 'bob', profile: 'tutor' });
  expect(older.isOk()).toBe(true);
  clock.pass(1000);
  const server = createServer(nodeListener(handler, { prefix: '/api' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { baseUrl: `http://127.0.0.1:${port}/api`, server };
};

describe('a client generated from the OpenAPI document', () => {
  const folder = new UserFolder();

  beforeAll(async () => {
    const types = await openapiTypescript(documentAsFile());
    folder.write('schema.ts', astToString(types));
    folder.write('openapi-typescript.ts', userOfOpenApiTypescript);
    await createClient({
      input: documentAsFile(),
      output: { path: `${folder.path}/client` },
      logs: { level: 'silent', file: false },
    });
    folder.write('hey-api.ts', userOfHeyApi);
    folder.write('document.json', JSON.stringify(documentAsFile()));
    folder.write('fetcher.ts', fetcherForOrval);
    const mutator = { path: `${folder.path}/fetcher.ts`, name: 'fetcher' };
    await generate(
      {
        input: { target: `${folder.path}/document.json` },
        output: {
          target: `${folder.path}/orval-client.ts`,
          client: 'fetch',
          override: { mutator },
        },
      },
      folder.path,
    );
    folder.write('orval.ts', userOfOrval);
  });

  afterAll(() => folder.remove());

  test('compiles under the strictest settings', () => {
    expect(folder.compile('openapi-typescript.ts', 'hey-api.ts', 'orval.ts')).toEqual([]);
  });

  test.each(['openapi-typescript', 'hey-api', 'orval'])(
    'holds a conversation with a service: %s',
    async (name) => {
      const { baseUrl, server } = await openServer();
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const { converse } = await folder.load(`${name}.ts`);
      if (typeof converse !== 'function') throw new Error(`${name} does not converse`);
      expect(await converse(baseUrl)).toEqual({
        hasId: true,
        started: 'ACTIVE',
        hasPosition: true,
        listed: [[true], 1],
        endReason: 'terminated',
        status: 'TERMINATED',
        history: [['user', 'Hello']],
        nobody: 'not_found',
        refused: 'status',
      });
    },
  );
});
