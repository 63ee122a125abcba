import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { type OpenApiDocument, type OpenApiOptions, type Operation, openApiDocument } from '../../src/openapi/index.js';
import { throwing } from '../support/hostile-values.js';
import { Described } from './described.js';

const validator = new Validator();

const both = [false, true];

const combinations = both.flatMap((commands) =>
  both.flatMap((events) =>
    [false, true, { public: true }].map((openapi): OpenApiOptions => ({ commands, events, openapi })),
  ),
);

const documentOf = (options: OpenApiOptions = {}): OpenApiDocument => openApiDocument(options)._unsafeUnwrap();

const operationsOf = ({ paths }: OpenApiDocument): readonly Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

const everything = { commands: true, events: true, openapi: true } as const;

/** Options as a caller in JavaScript may give them. */
const unchecked = (options: unknown) => Reflect.apply(openApiDocument, undefined, [options]);

describe('the document', () => {
  test.each(combinations)('is valid OpenAPI 3.1 with %j', async (options) => {
    const plain = JSON.parse(JSON.stringify(documentOf({ ...options, prefix: '/api', maxBodyBytes: 1000 })));
    expect(await validator.validate(plain)).toEqual({ valid: true });
    const names = operationsOf(plain).map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has just the paths that are served', () => {
    expect(Object.keys(documentOf().paths)).toEqual(['/create-session', '/sessions', '/session/{session_id}']);
    expect(Object.keys(documentOf({ events: true }).paths)).toContain('/session/{session_id}/events');
    expect(Object.keys(documentOf(everything).paths)).toHaveLength(12);
  });

  test('has no reference that leads nowhere, and no schema that nothing leads to', () => {
    for (const options of combinations) {
      const { components, paths } = documentOf(options);
      const text = JSON.stringify([paths, components]);
      const referred = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
      expect([...referred].toSorted()).toEqual(Object.keys(components.schemas).toSorted());
    }
  });

  test('has examples that its own schemas accept', () => {
    const described = new Described(documentOf(everything));
    const accept = (operation: Operation) => {
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((each) =>
        Object.values(each?.content ?? {}),
      );
      for (const { schema, examples = {} } of [...contents, ...(operation.parameters ?? [])]) {
        for (const { value } of Object.values(examples)) expect(described.against(schema, value)).toBeUndefined();
      }
    };
    const operations = operationsOf(described.document);
    operations.forEach(accept);
    expect(operations.length).toBeGreaterThan(12);
  });

  test('is frozen, all the way down', () => {
    const { info, paths, components } = documentOf(everything);
    const values = [info, paths['/sessions']?.get?.parameters, components.schemas['Session']?.properties];
    for (const value of values) expect(Object.isFrozen(value)).toBe(true);
  });

  test('tells the limits and names of the service', () => {
    const store = new MemorySessionStore();
    const limits = { timeLimit: 60, textBytes: 100, entriesPerAppend: 7, contentBytes: 50.5 };
    const sessions = new SessionService({ store, limits, faces: ['ada', 'grace'], profiles: [] });
    const { schemas } = documentOf({ sessions, commands: true }).components;
    expect(schemas['CreateSession']?.properties).toMatchObject({
      face: { enum: ['ada', 'grace'] },
      profile: { not: {} },
      time_limit: { maximum: 60 },
      behavior: { maxLength: 100, description: expect.stringContaining('100 bytes') },
    });
    expect(schemas['AppendHistory']?.properties?.['entries']).toMatchObject({ minItems: 1, maxItems: 7 });
    expect(schemas['NewHistoryEntry']?.properties?.['content']).toMatchObject({ maxLength: 50 });
    const same = documentOf({ limits, faces: ['ada', 'grace'], profiles: [], commands: true });
    expect(same.components).toEqual(documentOf({ sessions, commands: true }).components);
    expect(documentOf({ sessions, faces: ['eve'] }).components.schemas['CreateSession']?.properties).toMatchObject({
      face: { enum: ['eve'] },
      time_limit: { maximum: 60 },
    });
  });

  test('has the title, the version and the servers of the host', () => {
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
    ['commands', { commands: 'yes' }],
    ['events', { events: { heartbeatMs: 5000 } }],
    ['openapi', { openapi: 'yes' }],
    ['openapi.public', { openapi: { public: 1 } }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['limits.textBytes', { limits: { textBytes: 0 } }],
    ['faces', { faces: 'ada' }],
    ['options', null],
    ['options', throwing()],
  ])('is refused for its %s', (path, options) => {
    expect(unchecked(options)._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
  });
});
