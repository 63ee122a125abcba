import {
  type Attributes,
  context,
  type MeterProvider,
  metrics,
  type Span,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { Result } from 'neverthrow';
import { having } from '../schema/host-values.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema } from '../schema/schema.js';
import { oneOf } from '../schema/values.js';
import { httpStatusOf } from '../service/http-status-of.js';
import {
  type OperationName,
  type OperationResult,
  ofAllTenants,
} from '../service/operation-results.js';
import type { SessionObserver } from '../service/session-observer.js';
import { type Clock, systemClock } from '../session/clock.js';
import type { OperationError } from '../session/errors.js';
import { KEY_LENGTH } from '../session/limits.js';
import {
  attributeNames,
  type CountedSessions,
  type CountWaiting,
  createInstruments,
  observeCounts,
  observeWaiting,
} from './create-instruments.js';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Default: the provider registered with `@opentelemetry/api`, now or later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the provider registered with `@opentelemetry/api`, now or later. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Records the tenant as `colloquy.tenant`, on spans or also on metrics, which then have one
   * series per tenant. Default: not recorded.
   */
  readonly tenant?: 'spans' | 'spans and metrics' | undefined;
  /** The clock for the lag of sweeps; use that of the service. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** An observer that records spans and metrics. */
export interface Telemetry extends SessionObserver {
  /**
   * Counts the sessions of a tenant by status as `colloquy.session.count` whenever metrics are
   * collected. Returns a function that stops it. Call it in one process of those that share a
   * store. `attributes` distinguish tenants.
   */
  observeSessions(sessions: CountedSessions, attributes?: Attributes): () => void;
  /**
   * Records the number of sessions that wait for a worker, up to 10000, as `colloquy.work.waiting`,
   * in the same way: `observeWaiting(() => sessions.countWaitingAny())`.
   */
  observeWaiting(count: CountWaiting, attributes?: Attributes): () => void;
}

const SCOPE = 'colloquy';

const spanNames: Partial<Record<OperationName, string>> = {
  history: 'read history',
  list: 'list sessions',
  each: 'list sessions',
  append: 'append history',
  rewind: 'rewind history',
  claim: 'claim sessions',
  claimAny: 'claim sessions',
  countWaiting: 'count waiting sessions',
  countWaitingAny: 'count waiting sessions',
  send: 'send message',
  inbox: 'read inbox',
  withdraw: 'withdraw messages',
  take: 'take messages',
  reply: 'reply to message',
  answer: 'await answer',
  turn: 'run turn',
  sweep: 'sweep sessions',
};

/**
 * Whether the error is the host's. A caller's error is no error of the span, as on spans of HTTP
 * servers.
 */
const isFault = (error: OperationError): boolean =>
  httpStatusOf(error) >= 500 || error.type === 'conflict';

const idOf = (id: unknown): Attributes =>
  typeof id === 'string' && id.length <= KEY_LENGTH ? { [attributeNames.session]: id } : {};

type Operation = Parameters<SessionObserver['run']>[0];
type Instruments = ReturnType<typeof createInstruments>;
type Finished = Result<OperationResult, OperationError>;

/** How a turn has ended: a cancelled turn has not failed. */
const turnOutcomeOf = (result: Finished): string => {
  if (result.isErr()) return result.error.type === 'cancelled' ? 'stopped' : 'failed';
  const { operation, value } = result.value;
  return operation === 'turn' && value.stopped ? 'stopped' : 'done';
};

const aboutTurn = ({ turn }: Operation): Attributes =>
  turn ? { [attributeNames.turn]: turn.number, [attributeNames.attempt]: turn.attempt } : {};

const finish = (span: Span, result: Finished): void => {
  if (result.isErr()) {
    const { error } = result;
    span.setAttribute(attributeNames.error, error.type);
    if (isFault(error)) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  } else if (result.value.operation === 'create') {
    span.setAttributes(idOf(result.value.value.id));
  }
  span.end();
};

/**
 * The instruments of the current provider: unlike a tracer, a meter that was created before a
 * provider was registered never gets it.
 */
const instrumentsOf = (
  metered: () => MeterProvider,
  tenantOf: (tenant: string) => Attributes,
): (() => Instruments) => {
  let measured: { readonly by: MeterProvider; readonly with: Instruments } | undefined;
  return () => {
    const by = metered();
    if (measured?.by !== by)
      measured = { by, with: createInstruments(by.getMeter(SCOPE), tenantOf) };
    return measured.with;
  };
};

const readOptions = optionsOf('openTelemetry', {
  tracerProvider: optional(having('must be a TracerProvider', 'getTracer')),
  meterProvider: optional(having('must be a MeterProvider', 'getMeter')),
  tenant: optional(oneOf(['spans', 'spans and metrics'], "must be 'spans' or 'spans and metrics'")),
  clock: optional(having('must be a Clock', 'now')),
} satisfies Readonly<Record<keyof OpenTelemetryOptions, Schema<unknown>>>);

const read = (options: OpenTelemetryOptions) => {
  const { tenant } = readOptions(options);
  const { tracerProvider = trace, meterProvider, clock = systemClock } = options;
  return { tracerProvider, meterProvider, tenant, clock };
};

const aboutSpan = (operation: Operation, isTenantTold: boolean): Attributes => {
  const { name, tenant, id } = operation;
  return {
    [attributeNames.operation]: name,
    ...idOf(id),
    ...aboutTurn(operation),
    ...(isTenantTold && !ofAllTenants.has(name) && { [attributeNames.tenant]: tenant }),
  };
};

/**
 * An observer that records spans and metrics of every operation through `@opentelemetry/api`. The
 * store runs in the context of the span, so spans of its client become children. Where a store
 * groups concurrent calls into one commit or round trip, the spans of its client belong to no
 * caller, and have no links to the operations; the span of each operation covers the time of its
 * group. Throws a `TypeError` that names every invalid or unknown option.
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Telemetry => {
  const { tracerProvider, meterProvider, tenant: toldOn, clock } = read(options);
  const metered = (): MeterProvider => meterProvider ?? metrics.getMeterProvider();
  const onMetrics = (tenant: string): Attributes => ({
    ...(toldOn === 'spans and metrics' && { [attributeNames.tenant]: tenant }),
  });
  const instruments = instrumentsOf(metered, onMetrics);
  const measure = ({ name, tenant }: Operation, seconds: number, result: Finished): void => {
    const { duration, recordSweep } = instruments();
    duration.record(seconds, {
      ...(!ofAllTenants.has(name) && onMetrics(tenant)),
      [attributeNames.operation]: name,
      ...(result.isErr() && { [attributeNames.error]: result.error.type }),
    });
    if (result.isOk() && result.value.operation === 'sweep')
      recordSweep(result.value.value, clock.now());
  };
  return {
    async run(operation, call) {
      const parent = context.active();
      const title = spanNames[operation.name] ?? `${operation.name} session`;
      const attributes = aboutSpan(operation, toldOn !== undefined);
      const span = tracerProvider.getTracer(SCOPE).startSpan(title, { attributes }, parent);
      const began = performance.now();
      const result = await context.with(trace.setSpan(parent, span), call);
      const seconds = (performance.now() - began) / 1000;
      if (operation.turn) span.setAttribute(attributeNames.turnOutcome, turnOutcomeOf(result));
      finish(span, result);
      measure(operation, seconds, result);
    },
    observeSessions: (sessions, attributes = {}) =>
      observeCounts(metered().getMeter(SCOPE), sessions, attributes),
    observeWaiting: (count, attributes = {}) =>
      observeWaiting(metered().getMeter(SCOPE), count, attributes),
  };
};
