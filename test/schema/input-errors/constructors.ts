import { loadMessages, saveMessages } from '../../../adapters/ai-sdk/index.js';
import type { LoadOptions } from '../../../adapters/ai-sdk/load-messages.js';
import type { SaveOptions } from '../../../adapters/ai-sdk/save-messages.js';
import {
  TranscriptStore,
  type TranscriptStoreOptions,
} from '../../../adapters/claude-agent/index.js';
import type { FetchHandlerOptions } from '../../../adapters/fetch/index.js';
import { fetchHandler } from '../../../adapters/fetch/index.js';
import {
  MemorySessionStore,
  type MemorySessionStoreOptions,
} from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import type { NodeListenerOptions } from '../../../adapters/node/node-listener.js';
import { EngineSession, type EngineSessionOptions } from '../../../adapters/openai-agents/index.js';
import {
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from '../../../adapters/postgres/index.js';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../../adapters/redis/index.js';
import {
  SqliteSessionStore,
  type SqliteSessionStoreOptions,
} from '../../../adapters/sqlite/index.js';
import { SessionClient } from '../../../src/client/index.js';
import type { SessionClientOptions } from '../../../src/client/session-client-options.js';
import type { EventRoutesOptions } from '../../../src/http/index.js';
import { createSessionHandler, eventRoutes } from '../../../src/http/index.js';
import type { SessionHandlerOptions } from '../../../src/http/session-handler-options.js';
import type { SweeperOptions } from '../../../src/index.js';
import { createSweeper, createWorker, SessionService } from '../../../src/index.js';
import { type InspectorOptions, inspectorRoutes } from '../../../src/inspector/index.js';
import {
  coreModule,
  handlerModule,
  memoryModule,
  postgresModule,
  redisModule,
  sqliteModule,
} from '../../../src/inversify/index.js';
import type { OpenApiOptions, OpenApiRouteOptions } from '../../../src/openapi/index.js';
import { openApiDocument, openApiRoute } from '../../../src/openapi/index.js';
import type { SessionServiceOptions } from '../../../src/service/service-options.js';
import type { WorkerOptions } from '../../../src/service/worker-options.js';
import type { Fields } from '../../../src/session/fields.js';
import { type SimulationOptions, simulate } from '../../../src/simulation/index.js';
import { type OpenTelemetryOptions, openTelemetry } from '../../../src/telemetry/index.js';
import { describeSessionStore, type StoreContractOptions } from '../../../src/testing/index.js';
import { ANY, type Entrance, type RangesOf } from './entrance.js';

type AnyFunction = (...given: never[]) => unknown;
type AnyClass = new (...given: never[]) => unknown;

const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
const handler = async () => undefined;
const nothing = () => undefined;
const pool = { connect: nothing, query: nothing };
const database = { exec: nothing, prepare: () => ({ all: () => [{ one: 1 }] }) };
const client = { evalsha: nothing, status: 'ready' };

/** A function whose options follow the arguments `before`. */
const made = (
  name: string,
  make: AnyFunction,
  fields: Fields,
  more: { readonly before?: readonly unknown[]; readonly fits?: Fields } = {},
): Entrance => ({
  name,
  root: 'options',
  fields,
  fits: more.fits ?? {},
  call: (given) => Reflect.apply(make, undefined, [...(more.before ?? []), given]),
});

const constructed = (
  name: string,
  of: AnyClass,
  fields: Fields,
  more: { readonly before?: readonly unknown[]; readonly fits?: Fields } = {},
): Entrance => made(name, (...given: unknown[]) => Reflect.construct(of, given), fields, more);

const memoryOptions: RangesOf<MemorySessionStoreOptions> = {
  events: { length: 0 },
  reportEnds: ANY,
};
const redisOptions: RangesOf<RedisSessionStoreOptions> = {
  client: {},
  prefix: '{',
  partitions: 0,
  timeoutMs: 0,
  events: { length: 0 },
  reportEnds: ANY,
};
const sqliteOptions: RangesOf<SqliteSessionStoreOptions> = {
  database: {},
  events: { length: 0 },
  reportEnds: ANY,
};
const postgresOptions: RangesOf<PostgresSessionStoreOptions> = {
  pool: {},
  sql: {},
  schema: '1',
  timeoutMs: 0,
  events: { length: 0 },
  reportEnds: ANY,
};

const { store, clock, ids, observers, ...coreOptions } = {
  store: {},
  clock: {},
  ids: {},
  tenant: '',
  idleTimeout: -1,
  inactivityTimeout: -1,
  gracePeriod: -1,
  retention: -1,
  limits: { textBytes: 0 },
  faces: [7],
  profiles: [7],
  schemas: { metadata: {} },
  observers: [{}],
} satisfies RangesOf<SessionServiceOptions>;

const {
  sessions: _sessions,
  authenticate,
  logger,
  ...handlerOptions
} = {
  sessions: {},
  authenticate: {},
  routes: [{}],
  labels: ANY,
  metadata: ANY,
  sessionTimes: ANY,
  origin: ANY,
  entryData: ANY,
  work: ANY,
  usage: ANY,
  maxBodyBytes: 0,
  maxPendingBytes: 0,
  timeoutMs: 0,
  signal: {},
  onError: {},
  onDenied: {},
  logger: {},
} satisfies RangesOf<SessionHandlerOptions>;

const toldOptions: RangesOf<Omit<OpenApiRouteOptions, 'public'>> = {
  title: '',
  version: '',
  servers: [],
};

/** The constructors and functions with options. They throw a `TypeError`. */
export const constructors: readonly Entrance[] = [
  constructed(
    'SessionService',
    SessionService,
    { store, clock, ids, observers, ...coreOptions },
    {
      fits: { store: new MemorySessionStore() },
    },
  ),
  made(
    'createWorker',
    createWorker,
    {
      run: {},
      concurrency: 0,
      maxSeconds: 0,
      messages: 0,
      historyLimit: -1,
      seconds: 0,
      attempts: 0,
      holder: '',
      allTenants: ANY,
      interval: 0,
      onError: {},
    } satisfies RangesOf<WorkerOptions>,
    { before: [sessions], fits: { run: nothing } },
  ),
  made(
    'createSweeper',
    createSweeper,
    { interval: 0, batch: 0, onEnded: {}, onError: {} } satisfies RangesOf<SweeperOptions>,
    { before: [sessions] },
  ),
  constructed('MemorySessionStore', MemorySessionStore, memoryOptions),
  constructed('RedisSessionStore', RedisSessionStore, redisOptions, { fits: { client } }),
  constructed('SqliteSessionStore', SqliteSessionStore, sqliteOptions, { fits: { database } }),
  constructed('PostgresSessionStore', PostgresSessionStore, postgresOptions, { fits: { pool } }),
  made('memoryModule', memoryModule, memoryOptions),
  made('redisModule', redisModule, redisOptions, { fits: { client } }),
  made('sqliteModule', sqliteModule, sqliteOptions, { fits: { database } }),
  made('postgresModule', postgresModule, postgresOptions, { fits: { pool } }),
  made('coreModule', coreModule, coreOptions),
  made('handlerModule', handlerModule, { ...handlerOptions, authenticate }),
  made(
    'createSessionHandler',
    createSessionHandler,
    { ...handlerOptions, sessions: {}, authenticate, logger },
    { fits: { sessions, authenticate: nothing } },
  ),
  made('eventRoutes', eventRoutes, {
    heartbeatMs: 0,
    maxStreams: 0,
    maxStreamsPerTenant: 0,
  } satisfies RangesOf<EventRoutesOptions>),
  made(
    'inspectorRoutes',
    inspectorRoutes,
    { authenticate: {}, challenge: '', write: ANY } satisfies RangesOf<InspectorOptions>,
    { fits: { authenticate: nothing } },
  ),
  made('openApiDocument', openApiDocument, {
    ...toldOptions,
    routes: [{}],
    sessions: ANY,
    maxBodyBytes: 0,
    prefix: ANY,
  } satisfies RangesOf<OpenApiOptions>),
  made('openApiRoute', openApiRoute, {
    ...toldOptions,
    public: ANY,
  } satisfies RangesOf<OpenApiRouteOptions>),
  made(
    'nodeListener',
    nodeListener,
    { prefix: ANY, fallback: {} } satisfies RangesOf<NodeListenerOptions>,
    { before: [handler] },
  ),
  made(
    'fetchHandler',
    fetchHandler,
    { prefix: ANY, basePath: ANY } satisfies RangesOf<FetchHandlerOptions>,
    { before: [handler] },
  ),
  made('openTelemetry', openTelemetry, {
    tracerProvider: {},
    meterProvider: {},
    tenant: 'metrics',
    clock: {},
  } satisfies RangesOf<OpenTelemetryOptions>),
  made(
    'simulate',
    simulate,
    {
      seeds: 0,
      firstSeed: -1,
      hosts: 0,
      faults: ['meteor'],
      duration: -1,
      calm: -1,
      service: { idleTimeout: -1 },
      store: {},
      setup: {},
      host: {},
      check: {},
      onProgress: {},
    } satisfies RangesOf<SimulationOptions>,
    { fits: { host: nothing, check: nothing, seeds: 1 } },
  ),
  constructed(
    'SessionClient',
    SessionClient,
    {
      baseUrl: 'ftp://x',
      apiKey: '',
      fetch: {},
      timeoutMs: 0,
      attemptTimeoutMs: 0,
      retries: -1,
      silenceMs: 0,
      maxResponseBytes: 0,
      headers: { 'a b': 'c' },
      timing: {},
    } satisfies RangesOf<SessionClientOptions>,
    { fits: { baseUrl: '/api' } },
  ),
  made(
    'describeSessionStore',
    describeSessionStore,
    {
      corrupt: {},
      without: ['clocks'],
      timeoutMs: 0,
    } satisfies RangesOf<StoreContractOptions<never>>,
    { before: [nothing, nothing] },
  ),
];

/** The adapters of SDKs, whose errors are those of a service or a `TypeError`. */
export const adapters: readonly Entrance[] = [
  made(
    'loadMessages',
    loadMessages,
    { last: 0, before: -1, after: -1 } satisfies RangesOf<LoadOptions>,
    { before: [sessions, 's1'] },
  ),
  made(
    'saveMessages',
    saveMessages,
    {
      regenerate: ANY,
      fencingToken: 0,
      ifPosition: -1,
      search: 0,
      usage: { tokens: -1 },
    } satisfies RangesOf<SaveOptions>,
    { before: [sessions, 's1', []] },
  ),
  constructed(
    'EngineSession',
    EngineSession,
    {
      create: ANY,
      limit: 0,
      turn: '',
      fencingToken: 0,
      usage: ANY,
    } satisfies RangesOf<EngineSessionOptions>,
    { before: [sessions, 's1'] },
  ),
  constructed(
    'TranscriptStore',
    TranscriptStore,
    { face: '', profile: '' } satisfies RangesOf<TranscriptStoreOptions>,
    { before: [sessions] },
  ),
];
