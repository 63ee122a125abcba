import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { idempotencyKeyForm } from '../../src/endpoints/headers.js';
import { sessionOperations } from '../../src/endpoints/session-endpoints.js';
import { commandRoutes, eventRoutes, historyRoutes, messageRoutes } from '../../src/http/index.js';
import { problemStatuses } from '../../src/http/problem-body.js';
import { SessionService, type SessionServiceOptions } from '../../src/index.js';
import {
  type OpenApiDocument,
  type OpenApiOptions,
  type Operation,
  openApiDocument,
  openApiRoute,
} from '../../src/openapi/index.js';
import { throwing } from '../support/hostile-values.js';
import { Described } from './described.js';

const validator = new Validator();

type Groups = NonNullable<OpenApiOptions['routes']>;

const optional: Groups = [
  commandRoutes(),
  historyRoutes(),
  messageRoutes(),
  eventRoutes(),
  openApiRoute(),
];

/** Every combination of the groups. */
const combinations = Array.from({ length: 2 ** optional.length }, (_, bits) =>
  optional.filter((_group, at) => (bits >> at) % 2 === 1),
);

const documentOf = (options: OpenApiOptions = {}): OpenApiDocument => openApiDocument(options);

const serviceOf = (options: Omit<SessionServiceOptions, 'store'>): SessionService =>
  new SessionService({ store: new MemorySessionStore(), ...options });

const operationsOf = ({ paths }: OpenApiDocument): readonly Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

/** Calls `look` with every object in a value. */
const walk = (value: unknown, look: (object: Readonly<Record<string, unknown>>) => void): void => {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) look({ ...value });
  for (const each of Object.values(value)) walk(each, look);
};

const statusByCode: Readonly<Record<string, number>> = problemStatuses;

const everything = { routes: optional } as const;

/** Options as a caller in JavaScript may give them. */
const unchecked = (options: unknown) => Reflect.apply(openApiDocument, undefined, [options]);

describe('the OpenAPI document', () => {
  test.each([...combinations, [openApiRoute({ public: true })]])(
    'is valid OpenAPI 3.1: %#',
    async (...routes) => {
      const plain = JSON.parse(
        JSON.stringify(documentOf({ routes, prefix: '/api', maxBodyBytes: 1000 })),
      );
      expect(await validator.validate(plain)).toEqual({ valid: true });
      const names = operationsOf(plain).map(({ operationId }) => operationId);
      expect(new Set(names).size).toBe(names.length);
    },
  );

  test('contains exactly the served paths', () => {
    expect(Object.keys(documentOf().paths)).toEqual([
      '/create-session',
      '/sessions',
      '/session/{session_id}',
    ]);
    expect(Object.keys(documentOf({ routes: [eventRoutes()] }).paths)).toContain(
      '/session/{session_id}/events',
    );
    expect(Object.keys(documentOf(everything).paths)).toHaveLength(32);
  });

  test('has no dangling reference and no unused component', () => {
    for (const routes of combinations) {
      const { components, paths } = documentOf({ routes });
      const { securitySchemes: _, ...referable } = components;
      const text = JSON.stringify([paths, components]);
      const referred = new Set(
        [...text.matchAll(/"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name),
      );
      // Those answer requests that are for none of the paths.
      for (const name of ['RouteNotFound', 'MethodNotAllowed']) referred.add(`responses/${name}`);
      const names = Object.entries(referable).flatMap(([kind, each]) =>
        Object.keys(each).map((name) => `${kind}/${name}`),
      );
      expect(names.toSorted()).toEqual([...referred].toSorted());
    }
  });

  test('repeats no larger schema, and is small', () => {
    const { paths, components } = documentOf(everything);
    expect(JSON.stringify(documentOf(everything)).length).toBeLessThanOrEqual(108_000);
    const seen = new Map<string, number>();
    walk([paths, components], ({ schema }) => {
      const text = JSON.stringify(schema) ?? '';
      if (text.length > 80) seen.set(text, (seen.get(text) ?? 0) + 1);
    });
    // Two parameters, each with its own description, are the same header.
    seen.delete(JSON.stringify({ type: 'string', pattern: idempotencyKeyForm.source }));
    expect([...seen].filter(([, times]) => times > 1)).toEqual([]);
  });

  test('describes every operation, parameter and schema', () => {
    const document = documentOf(everything);
    const { schemas, parameters } = document.components;
    const described = new Described(document);
    for (const operation of operationsOf(document)) {
      expect(operation.summary, operation.operationId).not.toBe(operation.operationId);
      for (const { description } of Object.values(described.responsesOf(operation)))
        expect(description).not.toBe('');
    }
    for (const [name, { description }] of Object.entries(parameters))
      expect(description, name).toMatch(/ .*\.$/);
    for (const [name, { description }] of Object.entries(schemas))
      expect(description, name).toMatch(/\.$/);
  });

  test('describes a field of get-or-create like the same field of create', () => {
    const { schemas } = documentOf(everything).components;
    const { properties } = schemas['CreateSession'] ?? {};
    expect(properties).toHaveProperty(['start', 'description'], expect.stringContaining('started'));
    expect(schemas['GetOrCreateSession']?.properties).toMatchObject({ ...properties });
  });

  test('has a type next to every const and every enum', () => {
    const untyped: unknown[] = [];
    const sessions = serviceOf({ faces: ['ada'], profiles: ['tutor'] });
    walk(documentOf({ ...everything, sessions }), (value) => {
      if (('const' in value || 'enum' in value) && typeof value['type'] !== 'string')
        untyped.push(value);
    });
    expect(untyped).toEqual([]);
  });

  test('has no default for page, which excludes a cursor', () => {
    const { page, limit } = documentOf().components.parameters;
    expect(page?.schema).toEqual({ type: 'integer', minimum: 1 });
    expect(page?.description).toContain('Default: 1.');
    expect(limit?.schema).toMatchObject({ default: 10 });
  });

  test('contains examples that its own schemas accept', () => {
    const described = new Described(documentOf(everything));
    const accept = (operation: Operation) => {
      const contents = [
        operation.requestBody,
        ...Object.values(described.responsesOf(operation)),
      ].flatMap((each) => Object.values(each?.content ?? {}));
      for (const each of [...contents, ...described.parametersOf(operation)]) {
        for (const [name, value] of described.examplesOf(each))
          expect(described.against(each.schema, value), name).toBeUndefined();
      }
    };
    const operations = operationsOf(described.document);
    operations.forEach(accept);
    expect(operations.length).toBe(32);
  });

  test('lists under each status the codes that the operation declares and any request may get', () => {
    const described = new Described(documentOf(everything));
    const served = [...sessionOperations, ...optional.flat().map(({ operation }) => operation)];
    const declared = new Map<string, readonly string[]>(
      served.map(({ name, errors }) => [name, errors]),
    );
    const ofAnyRequest = [
      ...['unauthenticated', 'authenticator_unavailable', 'misconfigured'],
      ...['body_too_large', 'unsupported_media_type'],
    ];
    for (const operation of operationsOf(described.document)) {
      const { operationId } = operation;
      const listed = described.problemsOf(operation);
      for (const [status, codes] of listed)
        for (const code of codes) expect([code, status]).toEqual([code, statusByCode[code]]);
      const all = listed.flatMap(([, codes]) => codes);
      const own = declared.get(operationId) ?? [];
      expect(all, operationId).toEqual(expect.arrayContaining([...own]));
      expect([...own, ...ofAnyRequest], operationId).toEqual(expect.arrayContaining(all));
    }
  });

  test('contains an example of each response body and of each error code', () => {
    const described = new Described(documentOf(everything));
    for (const operation of operationsOf(described.document)) {
      for (const response of Object.values(described.responsesOf(operation)))
        for (const media of Object.values(response.content ?? {}))
          expect(described.examplesOf(media), operation.operationId).not.toEqual([]);
      for (const [status, codes, examples] of described.problemsOf(operation)) {
        expect(examples.map(([name]) => name)).toEqual(codes);
        for (const [code, problem] of examples) expect(problem).toMatchObject({ code, status });
      }
    }
  });

  test('contains error examples as the handler sends them', async () => {
    const { examples } = documentOf(everything).components;
    expect(examples['InvalidInput']?.value).toMatchObject({
      detail: 'face is required',
      errors: [{ path: 'face', message: 'is required' }],
    });
    expect(examples['HistoryMoved']?.value).toMatchObject({ status: 412, position: 1 });
    expect(Object.keys(Object(examples['Leased']?.value))).toEqual([
      ...['type', 'title', 'status', 'detail', 'code'],
      ...['holder', 'until'],
    ]);
  });

  test('shows no create example if the service allows no profile, and otherwise one of its faces', () => {
    const exampleOf = (options: Omit<SessionServiceOptions, 'store'>) =>
      documentOf({ sessions: serviceOf(options) }).paths['/create-session']?.post?.requestBody
        ?.content['application/json']?.examples;
    expect(exampleOf({ profiles: [] })).toBeUndefined();
    expect(exampleOf({ faces: ['eve'], limits: { timeLimit: 60 } })).toEqual({
      example: { value: { face: 'eve', profile: 'tutor', time_limit: 60 } },
    });
  });

  test('is deeply frozen', () => {
    const { info, paths, components } = documentOf(everything);
    const values = [
      info,
      paths['/sessions']?.get?.parameters,
      components.schemas['Session']?.properties,
    ];
    for (const value of values) expect(Object.isFrozen(value)).toBe(true);
  });

  test('contains the limits and names of the service', () => {
    const limits = { timeLimit: 60, textBytes: 100, entriesPerAppend: 7, contentBytes: 50.5 };
    const sessions = serviceOf({ limits, faces: ['ada', 'grace'], profiles: [] });
    const { schemas } = documentOf({ sessions, routes: [commandRoutes()] }).components;
    expect(schemas['CreateSession']?.properties).toMatchObject({
      face: { enum: ['ada', 'grace'] },
      profile: { not: {} },
      time_limit: { maximum: 60 },
      behavior: { maxLength: 100, description: expect.stringContaining('100 bytes') },
    });
    expect(schemas['AppendHistory']?.properties?.['entries']).toMatchObject({ maxItems: 7 });
    expect(schemas['NewHistoryEntry']?.properties?.['content']).toMatchObject({ maxLength: 50 });
  });

  test('contains the fixed rules: bounds of tokens, fractions of seconds, unknown fields', () => {
    const { schemas } = documentOf({ routes: [commandRoutes()] }).components;
    const fencingToken = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
    expect(schemas['ReleaseSession']?.properties?.['fencing_token']).toMatchObject(fencingToken);
    expect(schemas['CreateSession']?.properties?.['time_limit']).toMatchObject({
      type: ['number', 'null'],
      minimum: 0,
    });
    for (const name of ['NewHistoryEntry', 'CreateSession'])
      expect(schemas[name]).not.toHaveProperty('additionalProperties');
  });

  test("contains the host's title, version and servers", () => {
    const servers = [{ url: 'https://example.com/api', description: 'live' }];
    expect(documentOf({ title: 'Tutors', version: '2.1.0', servers })).toMatchObject({
      info: { title: 'Tutors', version: '2.1.0' },
      servers,
    });
    expect(documentOf({ prefix: '/api' }).servers).toEqual([{ url: '/api' }]);
  });

  test.each([
    ['title', { title: '' }],
    ['version', { version: 1 }],
    ['servers', { servers: [] }],
    ['servers', { servers: [{ url: 5 }] }],
    ['prefix', { prefix: null }],
    ['routes', { routes: 'all' }],
    ['routes', { routes: commandRoutes() }],
    ['commands', { commands: true }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['sessions', { sessions: 'all' }],
    ['limits', { limits: { textBytes: 5 } }],
    ['titel', { titel: 'Tutors' }],
    ['options', null],
    ['options', throwing()],
  ])('throws for its %s', (path, options) => {
    expect(() => unchecked(options)).toThrow(expect.objectContaining({ name: 'TypeError' }));
    expect(() => unchecked(options)).toThrow(`openApiDocument: ${path} `);
  });
});
