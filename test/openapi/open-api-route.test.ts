import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  messageRoutes,
  named,
  plain,
  type SessionHandlerOptions,
} from '../../src/http/index.js';
import type { HandlerRequest } from '../../src/http/session-handler.js';
import { SessionService } from '../../src/index.js';
import {
  type Operation,
  openApiDocument,
  openApiRoute,
  type Parameter,
} from '../../src/openapi/index.js';
import { parseSettings } from '../../src/service/service-options.js';
import { handlerWith, request, seen } from '../http/handler-harness.js';
import { countEntries, rateSession } from '../http/host-operation.js';
import { Described } from './described.js';

const documentAt = async (
  options: Partial<SessionHandlerOptions<SessionService>>,
  more: Partial<HandlerRequest> = {},
) => {
  const response = await handlerWith(options).handler(request('GET', '/openapi.json', more));
  expect(response).toMatchObject({ status: 200, headers: { 'Content-Type': 'application/json' } });
  return JSON.parse(response?.body ?? '');
};

const withoutKey: Partial<HandlerRequest> = { header: () => undefined };

describe('GET /openapi.json', () => {
  test('is not served unless the host enables it', async () => {
    expect(await handlerWith().handler(request('GET', '/openapi.json'))).toBeUndefined();
  });

  test('describes what the handler serves, with its path and the limits of its service', async () => {
    const sessions = new SessionService({
      store: new MemorySessionStore({ events: true }),
      faces: ['ada'],
      limits: { timeLimit: 60 },
    });
    const routes = [commandRoutes(), eventRoutes(), openApiRoute()];
    const document = await documentAt({ sessions, routes, maxBodyBytes: 5000 }, { prefix: 'api/' });
    expect(document).toEqual(
      openApiDocument({ sessions, routes, maxBodyBytes: 5000, prefix: '/api' }),
    );
    expect(document.servers).toEqual([{ url: '/api' }]);
    expect(document.components.schemas.CreateSession.properties).toMatchObject({
      face: { enum: ['ada'] },
      time_limit: { maximum: 60 },
    });
  });

  test('contains the prefix', async () => {
    const { handler } = handlerWith({ routes: [openApiRoute()] });
    for (const prefix of ['/a', '/a', '/b', '/a']) {
      const { body = '' } = (await handler(request('GET', '/openapi.json', { prefix }))) ?? {};
      expect(JSON.parse(body).servers).toEqual([{ url: prefix }]);
    }
  });

  test('requires a key, unless it is public', async () => {
    const asked = request('GET', '/openapi.json', withoutKey);
    const authenticate = (key: string) => (key === 'key' ? 'acme' : undefined);
    const closed = handlerWith({ authenticate, routes: [openApiRoute()] });
    expect(seen(await closed.handler(asked))).toEqual([401, 'unauthenticated']);
    const open = { authenticate, routes: [openApiRoute({ public: true })] };
    const document = await documentAt(open, withoutKey);
    expect(document.paths['/openapi.json'].get.security).toEqual([]);
    const list = request('GET', '/sessions', withoutKey);
    expect(seen(await handlerWith(open).handler(list))).toEqual([401, 'unauthenticated']);
  });

  test("contains the host's title, version and servers", async () => {
    const servers = [{ url: 'https://sessions.example' }];
    const routes = [openApiRoute({ title: 'Tutors', version: '2.0.0', servers })];
    const document = await documentAt({ routes });
    expect(document.info).toMatchObject({ title: 'Tutors', version: '2.0.0' });
    expect(document.servers).toEqual(servers);
  });

  test('accepts a query, answers HEAD without a body, and other methods with 405', async () => {
    const { handler } = handlerWith({ routes: [openApiRoute()] });
    expect((await handler(request('GET', '/openapi.json?x=1')))?.status).toBe(200);
    expect(await handler(request('GET', '/openapi.jsonx'))).toBeUndefined();
    const head = await handler(request('HEAD', '/openapi.json'));
    expect([head?.status, head?.body, Number(head?.headers['Content-Length']) > 1000]).toEqual([
      200,
      undefined,
      true,
    ]);
    const posted = await handler(request('POST', '/openapi.json'));
    expect([...seen(posted), posted?.headers['Allow']]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD',
    ]);
  });

  test.each([
    [{ title: '' }, 'openApiRoute: title must have 1 to 256 characters'],
    [{ public: 'yes' }, 'openApiRoute: public must be true or false'],
    [{ publik: true }, 'openApiRoute: publik is unknown (did you mean public?)'],
  ])('throws at creation for %j', (options, message) => {
    expect(() => Reflect.apply(openApiRoute, undefined, [options])).toThrow(new TypeError(message));
  });

  test("describes the host's routes", async () => {
    const own = [{ operation: countEntries, answer: async () => ok({ status: 200, headers: {} }) }];
    const { paths, tags } = await documentAt({ routes: [own, openApiRoute()] });
    expect(paths['/session/{session_id}/length'].get).toMatchObject({
      operationId: 'countEntries',
      responses: { 200: { description: 'The number of its entries.' }, 404: {} },
    });
    expect(tags).toContainEqual({ name: 'Ours', description: 'Ours' });
  });

  test("keeps the host's schemas, whatever their properties are called", async () => {
    const book = {
      type: 'object',
      properties: { id: { type: 'string' }, title: { type: 'string' } },
    } as const;
    const body = named('Book', plain(book));
    const operation = { ...countEntries, output: { ...countEntries.output, body } };
    const own = [{ operation, answer: async () => ok({ status: 200, headers: {} }) }];
    const { components } = await documentAt({ routes: [own, openApiRoute()] });
    expect(components.schemas.Book).toEqual(book);
  });

  test("describes the query, the body and the output of a host's operation", async () => {
    const { components, paths } = await documentAt({
      routes: [[{ operation: rateSession }], openApiRoute()],
    });
    const { parameters, requestBody, responses } = paths['/rate/{session_id}'].post;
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/dryRun' });
    expect(components.parameters.dryRun).toMatchObject({ name: 'dry_run', in: 'query' });
    expect(requestBody.content['application/json'].schema.$ref).toMatch(/\/Rating$/);
    expect(components.schemas.Rating).toEqual({
      type: 'object',
      properties: {
        stars: { type: 'integer', minimum: 1, maximum: 5 },
        given_by: { type: ['string', 'null'] },
      },
      required: ['stars'],
    });
    expect(responses[200].$ref).toMatch(/\/Rated$/);
    expect(components.schemas.Rated).toMatchObject({ required: ['status'] });
  });
});

/** Answers the message of the examples. */
const answerMessage = async ({ orThrow }: SessionService, id: string): Promise<void> => {
  await orThrow.start(id);
  await orThrow.send(id, { id: 'm-1', content: 'Hello' });
  const { claimed } = await orThrow.claim({ holder: 'worker-1', seconds: 30 });
  const { fencingToken = 0 } = claimed[0]?.lease ?? {};
  await orThrow.release(id, { fencingToken, done: true, entries: 'Hello!' });
};

/** What brings a session to where a command is allowed. */
const before = {
  startSession: [],
  pauseSession: ['start'],
  resumeSession: ['start', 'pause'],
  terminateSession: ['start'],
  failSession: ['start'],
  appendHistory: ['start'],
  rewindHistory: ['start'],
  takeMessages: ['start'],
  sendMessage: ['start'],
} as const;

const isPrepared = (name: string): name is keyof typeof before => Object.hasOwn(before, name);

describe('the examples of the OpenAPI document', () => {
  const routes = [commandRoutes(), historyRoutes(), messageRoutes(), eventRoutes(), openApiRoute()];
  const described = new Described(openApiDocument({ routes }));
  const { document } = described;

  /** A handler with the one session that the examples speak of, where the operation needs it. */
  const handlerFor = async ({ operationId }: Operation) => {
    const id = Object.values(document.components.parameters['sessionId']?.examples ?? {})[0]?.value;
    const store = new MemorySessionStore({ events: true });
    const ids = { next: () => String(id) };
    const limits = { counters: ['tokens'] };
    // Without chance, the first fencing token is that of the examples.
    const sessions = new SessionService(parseSettings({ store, ids, limits }, () => 0)).forTenant(
      'acme',
    );
    if (!operationId.startsWith('createSession')) {
      const isOfEntries = operationId === 'redactHistory' || operationId === 'rewindHistory';
      const entries = isOfEntries ? [{ role: 'user', content: 'Hello' }] : [];
      await sessions.create({ face: 'ada', profile: 'tutor', entries });
      if (operationId === 'awaitAnswer') await answerMessage(sessions, String(id));
      await sessions.lease(String(id), { holder: 'worker-1', seconds: 30 });
      for (const command of isPrepared(operationId) ? before[operationId] : [])
        await sessions[command](String(id));
    }
    return createSessionHandler({ sessions, authenticate: () => 'acme', routes });
  };

  /** Each body, and each parameter that is not required by itself, one at a time. */
  const requestsOf = (path: string, method: string, operation: Operation) => {
    const { requestBody } = operation;
    const parameters = described.parametersOf(operation);
    const examples = described.examplesOf(requestBody?.content['application/json'] ?? {});
    const bodies = examples.length === 0 ? [null] : examples.map(([, value]) => value);
    const valuesOf = ({ examples = {} }: Parameter) =>
      Object.values(examples).map(({ value }) =>
        Array.isArray(value) ? value.map(String) : [String(value)],
      );
    const inPath = parameters.filter((each) => each.in === 'path');
    const url = inPath.reduce(
      (text, each) => text.replace(`{${each.name}}`, valuesOf(each)[0]?.[0] ?? ''),
      path,
    );
    const required = parameters.filter((each) => each.in === 'query' && each.required);
    const others = parameters.filter((each) => !each.required);
    const singles = others.flatMap((each) => valuesOf(each).map((value) => [each, value] as const));
    return [undefined, ...singles].flatMap((single) =>
      bodies.map((value) => {
        const sent = new Map([
          ['x-api-key', 'key'],
          ['content-type', 'application/json'],
        ]);
        const [parameter, texts = []] = single ?? [];
        if (parameter?.in === 'header') sent.set(parameter.name.toLowerCase(), texts.join());
        const query = new URLSearchParams();
        for (const each of required) query.append(each.name, valuesOf(each)[0]?.[0] ?? '');
        if (parameter?.in === 'query') for (const text of texts) query.append(parameter.name, text);
        return request(method.toUpperCase(), `${url}?${query}`, {
          header: (name) => sent.get(name),
          body: async () => ({ outcome: 'parsed', value }),
        });
      }),
    );
  };

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Operation] => [
      method,
      path,
      operation,
    ]),
  );

  test.each(operations)(
    'of %s %s produce the documented response',
    async (method, path, operation) => {
      const requests = requestsOf(path, method, operation);
      expect(requests.length).toBeGreaterThan(0);
      for (const each of requests) {
        const handler = await handlerFor(operation);
        const response = await handler(each);
        const successes = Object.keys(operation.responses)
          .map(Number)
          .filter((status) => status < 300);
        expect(successes, `${each.url} ${response?.body}`).toContain(response?.status);
        await response?.stream?.[Symbol.asyncIterator]().return?.();
      }
    },
  );
});
