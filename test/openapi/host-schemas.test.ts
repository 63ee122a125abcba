import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { commandRoutes, historyRoutes } from '../../src/http/index.js';
import { SessionService, type SessionServiceOptions } from '../../src/index.js';
import { openApiDocument } from '../../src/openapi/index.js';
import type { StandardSchema } from '../../src/session/standard-schema.js';
import { Described } from './described.js';

const routes = [commandRoutes(), historyRoutes()];

type Schemas = NonNullable<SessionServiceOptions['schemas']>;

const documentWith = (schemas: Schemas) =>
  openApiDocument({
    routes,
    sessions: new SessionService({ store: new MemorySessionStore(), schemas }),
  });

const schemasWith = (schemas: Schemas) => documentWith(schemas).components.schemas;

/** A schema of a library that has no JSON Schema for it. */
const undescribed: StandardSchema = {
  '~standard': { version: 1, vendor: 'ours', validate: (value) => ({ value }) },
};

describe("the host's schemas in the OpenAPI document", () => {
  const metadata = z.object({
    user: z.string(),
    rating: z.string().transform(Number).pipe(z.int()),
  });

  test('describe the input of requests and the output of responses', () => {
    const all = schemasWith({ metadata, data: z.object({ tokens: z.number().default(0) }) });
    expect(all['CreateSession']?.properties?.['metadata']).toEqual({
      $ref: '#/components/schemas/NewMetadata',
    });
    expect(all['NewMetadata']).toMatchObject({
      properties: { user: { type: 'string' }, rating: { type: 'string' } },
      description: expect.stringContaining('Data of the host.'),
    });
    expect(all['SessionMetadata']?.properties?.['rating']).toMatchObject({ type: 'integer' });
    expect(all['NewEntryData']).not.toHaveProperty('required');
    expect(all['EntryData']).toMatchObject({ required: ['tokens'] });
    expect(JSON.stringify(all)).not.toContain('$schema');
  });

  test('may be functions, whose JSON Schema is used', () => {
    const json = { type: 'object', description: 'Who rated.', required: ['user'] };
    const jsonSchema = { metadata: () => json };
    const all = schemasWith({ metadata: undescribed, jsonSchema });
    expect(all['SessionMetadata']).toEqual(json);
    expect(all['NewMetadata']).toMatchObject({ required: ['user'] });
  });

  test('refer to their own parts, wherever they are placed in the document', () => {
    interface Tree {
      readonly children: readonly Tree[];
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree) }));
    const described = new Described(documentWith({ data: z.object({ root: tree }) }));
    const { schemas } = described.document.components;
    const against = (data: unknown) =>
      described.against(schemas['HistoryEntry'] ?? {}, {
        ...{ role: 'user', content: '', timestamp: '2026-01-31T18:00:00.000Z' },
        data,
      });
    expect(against({ root: { children: [{ children: [] }] } })).toBeUndefined();
    expect(against({ root: { children: [{ children: 1 }] } })).toMatch(/must be array/);
  });

  test.each<[string, Schemas]>([
    ['a library has none', { metadata: undescribed, data: undescribed }],
    [
      'a function throws',
      {
        metadata: undescribed,
        data: undescribed,
        jsonSchema: {
          metadata: () => {
            throw new Error('none');
          },
        },
      },
    ],
    ['JSON Schema cannot express them', { metadata: z.object({ at: z.date() }) }],
  ])('accept any object and any value if %s', (_, schemas) => {
    const all = schemasWith(schemas);
    expect(all['NewMetadata']).toMatchObject({ type: 'object' });
    expect(all['SessionMetadata']).toEqual({ type: 'object', description: 'Data of the host.' });
    expect(all['EntryData']).not.toHaveProperty('type');
  });

  test('suppress examples that they might reject', () => {
    const { paths } = documentWith({ metadata });
    const { requestBody } = paths['/update-session/{session_id}']?.post ?? {};
    expect(requestBody?.content['application/json']?.examples).toEqual({
      example: { value: { labels: { title: 'Tax return', draft: null } } },
    });
  });
});
