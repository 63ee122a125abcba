import { context, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
  MeterProvider as SdkMeterProvider,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';
import { serviceOf } from '../clock.js';
import {
  MemorySessionStore,
  openTelemetry,
  RedisSessionStore,
  type SessionService,
  type SessionStore,
} from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { type Context, expect, must, type Suite } from './suite.js';

const SESSIONS = 1000;
const ENTRIES = 10;

interface Providers {
  readonly tracerProvider: TracerProvider;
  readonly meterProvider: MeterProvider;
}

/** What exports into memory, and forgets it before it is much. */
const sdk = (sampler?: Sampler): Providers => {
  const exporter = new InMemorySpanExporter();
  const forgetting = setInterval(() => exporter.reset(), 100);
  forgetting.unref();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  return {
    tracerProvider: new BasicTracerProvider({
      spanProcessors: [
        new BatchSpanProcessor(exporter, { maxQueueSize: 1 << 16, maxExportBatchSize: 1 << 12 }),
      ],
      ...(sampler && { sampler }),
    }),
    meterProvider: new SdkMeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter: metrics })],
    }),
  };
};

/** Those whose host has an SDK, and with it a manager of contexts. */
const WITH_SDK: ReadonlySet<string> = new Set([
  'OpenTelemetry, no span sampled',
  'OpenTelemetry, every span exported',
]);

const contexts = new AsyncLocalStorageContextManager();

/** Services over one store, which differ in who sees their operations. */
const observedServices = (store: SessionStore): ReadonlyMap<string, SessionService> =>
  new Map([
    ['no observer', serviceOf(store)],
    ['OpenTelemetry without an SDK', serviceOf(store, { observers: [openTelemetry()] })],
    [
      'OpenTelemetry, no span sampled',
      serviceOf(store, { observers: [openTelemetry(sdk(new AlwaysOffSampler()))] }),
    ],
    ['OpenTelemetry, every span exported', serviceOf(store, { observers: [openTelemetry(sdk())] })],
  ]);

async function* groups(name: string, store: SessionStore): AsyncGenerator<Group> {
  const services = observedServices(store);
  const ids = await seedSessions(serviceOf(store), SESSIONS, ENTRIES);
  const [id = ''] = ids;
  let appended = 0;
  const next = () => {
    appended += 1;
    return ids[appended % SESSIONS] ?? '';
  };
  const operations: Readonly<Record<string, (sessions: SessionService) => Subject['call']>> = {
    get: (sessions) => () => must(sessions.get(id)),
    list: (sessions) => () => must(sessions.list({ limit: 10, page: 1 })),
    append: (sessions) => () =>
      must(sessions.append(next(), [{ role: 'user', content: 'And then?' }])),
  };
  for (const [operation, call] of Object.entries(operations)) {
    yield {
      name: `${name} ${operation} under observers`,
      callers: 1,
      limits: ['no observer'],
      subjects: [...services].map(([subject, sessions]) => ({
        name: subject,
        call: call(sessions),
        renew: async () => {
          context.disable();
          if (WITH_SDK.has(subject)) context.setGlobalContextManager(contexts.enable());
        },
        check: (answer: unknown) => expect(typeof answer === 'object', 'there is an answer'),
      })),
    };
  }
  context.disable();
}

async function* inRedis({ redis }: Context): AsyncGenerator<Group> {
  yield* groups('redis', new RedisSessionStore({ client: redis }));
  await redis.flushdb();
}

export const observerSuites: readonly Suite[] = [
  { name: 'redis-observers', groups: inRedis },
  { name: 'memory-observers', groups: () => groups('memory', new MemorySessionStore()) },
];
