import { type } from 'arktype';
import type { Result, ResultAsync } from 'neverthrow';
import * as v from 'valibot';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
} from '../../src/http/index.js';
import {
  createSweeper,
  createWorker,
  type JsonObject,
  type JsonValue,
  type NewHistoryEntry,
  type Session,
  SessionService,
  type SessionServiceOptions,
} from '../../src/index.js';

const store = new MemorySessionStore({ events: true });

interface Plan {
  readonly plan: 'free' | 'paid';
  readonly seats?: number | undefined;
}

const zod = {
  metadata: z.object({ plan: z.enum(['free', 'paid']), seats: z.number().optional() }),
  data: z.object({ tokens: z.number() }),
};

const valibot = {
  metadata: v.object({ plan: v.picklist(['free', 'paid']), seats: v.optional(v.number()) }),
  data: v.object({ tokens: v.number() }),
};

const arktype = {
  metadata: type({ plan: "'free' | 'paid'", 'seats?': 'number' }),
  data: type({ tokens: 'number' }),
};

const ofZod = new SessionService({ store, schemas: zod });
const ofValibot = new SessionService({ store, schemas: valibot });
const ofArkType = new SessionService({ store, schemas: arktype });

type Value<F extends (...given: never) => unknown> =
  ReturnType<F> extends ResultAsync<infer T, infer _E> ? T : never;

type Item<F extends (...given: never) => unknown> =
  ReturnType<F> extends AsyncIterable<Result<infer T, infer _E>> ? T : never;

describe('the types of a service with schemas', () => {
  test('follow each schema library for metadata and data', () => {
    expectTypeOf<Value<typeof ofZod.get>['metadata']>().toEqualTypeOf<
      z.infer<typeof zod.metadata>
    >();
    expectTypeOf<Value<typeof ofZod.get>['metadata']['plan']>().toEqualTypeOf<'free' | 'paid'>();
    expectTypeOf<Value<typeof ofValibot.get>['metadata']>().toEqualTypeOf<
      v.InferOutput<typeof valibot.metadata>
    >();
    expectTypeOf<Value<typeof ofArkType.get>['metadata']>().toEqualTypeOf<
      typeof arktype.metadata.infer
    >();
    type Data = { tokens: number } | undefined;
    expectTypeOf<Value<typeof ofZod.get>['history'][0]['data']>().toEqualTypeOf<Data>();
    expectTypeOf<Value<typeof ofValibot.get>['history'][0]['data']>().toEqualTypeOf<Data>();
    expectTypeOf<Value<typeof ofArkType.get>['history'][0]['data']>().toEqualTypeOf<Data>();
  });

  test('apply to every read', () => {
    type Read = Session<typeof zod>;
    expectTypeOf<Value<typeof ofZod.get>>().toEqualTypeOf<Read>();
    expectTypeOf<Value<typeof ofZod.create>>().toExtend<Read>();
    expectTypeOf<Value<typeof ofZod.getOrCreate>>().toExtend<Read>();
    expectTypeOf<Value<typeof ofZod.list>['sessions'][0]>().toEqualTypeOf<Read>();
    expectTypeOf<Item<typeof ofZod.each>>().toEqualTypeOf<Read>();
    expectTypeOf<Value<typeof ofZod.claim>['claimed'][0]['session']>().toEqualTypeOf<Read>();
    expectTypeOf<Value<typeof ofZod.claimAny>['claimed'][0]['session']>().toEqualTypeOf<Read>();
    type Data = { tokens: number } | undefined;
    expectTypeOf<Value<typeof ofZod.history>['entries'][0]['data']>().toEqualTypeOf<Data>();
    type Change = Item<typeof ofZod.watch>;
    type Changed = Extract<Change, { type: 'session.changed' }>;
    expectTypeOf<Extract<Change, { type: 'session.snapshot' }>['session']>().toEqualTypeOf<Read>();
    expectTypeOf<Changed['session']['metadata']>().toEqualTypeOf<Read['metadata']>();
    expectTypeOf<Changed['entries'][0]['data']>().toEqualTypeOf<Data>();
    type Appended = Extract<Item<typeof ofZod.watchAll>, { type: 'session.appended' }>;
    expectTypeOf<NonNullable<Appended['session']>['metadata']>().toEqualTypeOf<Read['metadata']>();
    expectTypeOf<NonNullable<Appended['entries']>[0]['data']>().toEqualTypeOf<Data>();
    expectTypeOf(ofZod.forTenant('a')).toEqualTypeOf<typeof ofZod>();
    const { orThrow } = ofZod;
    expectTypeOf<Awaited<ReturnType<typeof orThrow.get>>>().toEqualTypeOf<Read>();
  });

  test('apply in workers and under leases', () => {
    type Plans = Session<typeof zod>['metadata'];
    createWorker(ofZod, {
      run: ({ session, sessions }) => {
        expectTypeOf(session.metadata).toEqualTypeOf<Plans>();
        expectTypeOf(sessions).toEqualTypeOf<typeof ofZod>();
      },
    });
    createSweeper(ofZod);
    const use = () =>
      ofZod.withLease('id', { holder: 'a', seconds: 1 }, ({ sessions }) => {
        expectTypeOf(sessions).toEqualTypeOf<typeof ofZod>();
      });
    expectTypeOf(use).toBeFunction();
  });

  test("accept a schema's input, and return its output", () => {
    const schemas = {
      metadata: z.object({ plan: z.string().default('free'), at: z.string().transform(Number) }),
      data: z.string().transform((text) => text.length),
    };
    const sessions = new SessionService({ store, schemas });
    type Input = Parameters<typeof sessions.create>[0];
    expectTypeOf<Input['metadata']>().toEqualTypeOf<z.input<typeof schemas.metadata> | undefined>();
    expectTypeOf<Value<typeof sessions.get>['metadata']>().toEqualTypeOf<
      z.output<typeof schemas.metadata>
    >();
    type Entry = Parameters<typeof sessions.append>[1][0];
    expectTypeOf<Entry['data']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Entry>().toEqualTypeOf<NewHistoryEntry<typeof schemas>>();
    type Rewound = NonNullable<Parameters<typeof sessions.rewind>[1]['entries']>[0];
    expectTypeOf<Rewound>().toEqualTypeOf<Entry>();
    type Update = NonNullable<Parameters<typeof sessions.update>[1]['metadata']>;
    expectTypeOf<{ at: string }>().toExtend<Update>();
    expectTypeOf<{ at: null }>().toExtend<Update>();
    expectTypeOf<{ at: number }>().not.toExtend<Update>();
    expectTypeOf<{ face: string; metadata: { at: number } }>().not.toExtend<Input>();
  });

  test('change only what has a schema', () => {
    const sessions = new SessionService({ store, schemas: { data: zod.data, onRead: true } });
    expectTypeOf<Value<typeof sessions.get>['metadata']>().toEqualTypeOf<JsonObject>();
    const open = new SessionService({ store, schemas: { metadata: z.any() as z.ZodType } });
    expectTypeOf<Value<typeof open.get>['metadata']>().toEqualTypeOf<JsonObject>();
  });

  test('fit wherever any service is accepted', () => {
    const routes = [commandRoutes(), historyRoutes(), eventRoutes()];
    createSessionHandler({ sessions: ofZod, authenticate: () => 'a', routes });
    createSessionHandler({ sessions: ofArkType, authenticate: () => 'a', routes });
    const anySession: (sessions: SessionService) => void = () => {};
    anySession(ofZod);
    anySession(ofValibot);
    anySession(ofArkType);
    const declared: { readonly metadata: z.ZodType<Plan>; readonly data: z.ZodType } = {
      metadata: zod.metadata,
      data: z.unknown(),
    };
    const interfaces = new SessionService({ store, schemas: declared });
    expectTypeOf<Value<typeof interfaces.get>['metadata']>().toEqualTypeOf<Plan>();
    createSessionHandler({ sessions: interfaces, authenticate: () => 'a', routes });
    createWorker(interfaces, { run: () => {} });
    createSweeper(interfaces);
  });
});

describe('other types', () => {
  type Other = { readonly metadata: z.ZodType<{ other: string }> };

  test('cannot replace the types of a service', () => {
    expectTypeOf<Session>().not.toExtend<Session<typeof zod>>();
    expectTypeOf<Session<Other>>().not.toExtend<Session<typeof zod>>();
    expectTypeOf<SessionService>().not.toExtend<typeof ofZod>();
    expectTypeOf<SessionService<Other>>().not.toExtend<typeof ofZod>();
    expectTypeOf<SessionClient>().not.toExtend<SessionClient<typeof zod>>();
    type Input = Parameters<typeof ofZod.orThrow.create>[0];
    expectTypeOf<{ metadata: { plan: 'free' } }>().toExtend<Input>();
    expectTypeOf<{ metadata: { plan: 'other' } }>().not.toExtend<Input>();
    type Data = Parameters<typeof ofZod.orThrow.append>[1][0]['data'];
    expectTypeOf<Data>().toEqualTypeOf<{ tokens: number } | undefined>();
  });
});

describe('the types of a service without schemas', () => {
  test('allow any JSON', () => {
    const sessions = new SessionService({ store });
    expectTypeOf(sessions).toEqualTypeOf<SessionService>();
    expectTypeOf<Session['metadata']>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Session['history'][0]['data']>().toEqualTypeOf<JsonValue | undefined>();
    expectTypeOf<NewHistoryEntry['data']>().toEqualTypeOf<JsonValue | undefined>();
    type Input = Parameters<typeof sessions.create>[0];
    expectTypeOf<Input['metadata']>().toEqualTypeOf<JsonObject | undefined>();
    type Update = Parameters<typeof sessions.update>[1];
    expectTypeOf<{ metadata: { a: null; b: number } }>().toExtend<Update>();
    const options: SessionServiceOptions = { store };
    expectTypeOf(new SessionService(options)).toEqualTypeOf<SessionService>();
  });
});

describe("the types of a client with its service's schemas", () => {
  const client = new SessionClient<typeof zod>({ baseUrl: 'https://sessions.example' });

  test('equal the types of the service', () => {
    type Read = Session<typeof zod>;
    expectTypeOf<Value<typeof client.get>['metadata']>().toEqualTypeOf<
      Read['metadata'] | undefined
    >();
    expectTypeOf<Value<typeof client.list>['sessions'][0]['history']>().toEqualTypeOf<
      Read['history']
    >();
    expectTypeOf<Value<typeof client.history>['entries'][0]['data']>().toEqualTypeOf<
      { tokens: number } | undefined
    >();
    type Claimed = Value<typeof client.claim>['claimed'][0]['session'];
    expectTypeOf<Claimed['metadata']>().toEqualTypeOf<Read['metadata'] | undefined>();
    type Snapshot = Extract<Item<typeof client.watch>, { type: 'session.snapshot' }>;
    expectTypeOf<Snapshot['session']['history']>().toEqualTypeOf<Read['history']>();
    type Input = Parameters<typeof client.create>[0];
    expectTypeOf<Input['metadata']>().toEqualTypeOf<z.input<typeof zod.metadata> | undefined>();
    const plain = new SessionClient({ baseUrl: 'https://sessions.example' });
    expectTypeOf(plain).toEqualTypeOf<SessionClient>();
    expectTypeOf<Value<typeof plain.get>['metadata']>().toEqualTypeOf<JsonObject | undefined>();
  });
});
