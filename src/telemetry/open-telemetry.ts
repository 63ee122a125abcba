import {
  type Attributes,
  context,
  type MeterProvider,
  metrics,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Result, ResultAsync } from 'neverthrow';
import type { SessionError } from '../errors.js';
import { KEY_LENGTH } from '../limits.js';
import { isSession, isSweep } from '../observed.js';
import type { ObservedOperation, OperationName, SessionObserver } from '../observer.js';
import { Instruments } from './instruments.js';
import { attributeNames, SCOPE, spanNames } from './names.js';
import { type CountedSessions, observeCounts } from './observe-counts.js';
import { type OpenTelemetryOptions, readTelemetryOptions, type TelemetrySettings } from './options.js';

/** An observer that makes spans and metrics. */
export interface Telemetry extends SessionObserver {
  /**
   * Measures how many sessions of each status a tenant has, as `colloquy.session.count`, whenever metrics are collected,
   * until what it gives is called. A store that many processes share is to be measured by one of them. `attributes` tell
   * several tenants apart. `RedisSessionStore` needs its option `statusIndex` for it.
   */
  observeSessions(sessions: CountedSessions, attributes?: Attributes): () => void;
}

/** What the host has to see to. What a caller has done wrong is no error of the span, as on spans of HTTP servers. */
const isFault = ({ type }: SessionError): boolean =>
  type === 'store_unavailable' || type === 'corrupt_record' || type === 'conflict';

const isId = (id: unknown): id is string => typeof id === 'string' && id.length <= KEY_LENGTH;

const spanAttributes = ({ name, tenant, id }: ObservedOperation, tellsTenant: boolean): Attributes => ({
  [attributeNames.operation]: name,
  ...(isId(id) && { [attributeNames.session]: id }),
  ...(tellsTenant && name !== 'sweep' && { [attributeNames.tenant]: tenant }),
});

const finish = (span: Span, name: OperationName, result: Result<unknown, SessionError>): void => {
  if (result.isErr()) {
    const { error } = result;
    span.setAttribute(attributeNames.error, error.type);
    if (isFault(error)) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  } else if (name === 'create' && isSession(result.value)) {
    span.setAttribute(attributeNames.session, result.value.id);
  }
  span.end();
};

class OperationTelemetry implements Telemetry {
  readonly #settings: TelemetrySettings;
  #provider: MeterProvider | undefined;
  #instruments: Instruments | undefined;

  constructor(settings: TelemetrySettings) {
    this.#settings = settings;
  }

  async run(operation: ObservedOperation, call: () => ResultAsync<unknown, SessionError>): Promise<void> {
    const { tracerProvider = trace, tenantOnSpans } = this.#settings;
    const { name, tenant } = operation;
    const parent = context.active();
    const attributes = spanAttributes(operation, tenantOnSpans);
    const span = tracerProvider.getTracer(SCOPE).startSpan(spanNames[name], { attributes }, parent);
    const began = performance.now();
    const result = await context.with(trace.setSpan(parent, span), call);
    const seconds = (performance.now() - began) / 1000;
    finish(span, name, result);
    const instruments = this.#measuring();
    instruments.record(seconds, {
      ...(name === 'sweep' ? {} : this.#tenantOf(tenant)),
      [attributeNames.operation]: name,
      ...(result.isErr() && { [attributeNames.error]: result.error.type }),
    });
    if (result.isOk() && isSweep(result.value)) {
      instruments.recordSweep(result.value, this.#settings.clock, (whose) => this.#tenantOf(whose));
    }
  }

  observeSessions(sessions: CountedSessions, attributes: Attributes = {}): () => void {
    return observeCounts(this.#meterProvider(), sessions, attributes);
  }

  #meterProvider(): MeterProvider {
    return this.#settings.meterProvider ?? metrics.getMeterProvider();
  }

  /** Unlike tracers, meters that were made before a provider was registered stay without one. */
  #measuring(): Instruments {
    const provider = this.#meterProvider();
    if (this.#instruments === undefined || provider !== this.#provider) {
      this.#provider = provider;
      this.#instruments = new Instruments(provider);
    }
    return this.#instruments;
  }

  #tenantOf(tenant: string): Attributes {
    return this.#settings.tenantOnMetrics ? { [attributeNames.tenant]: tenant } : {};
  }
}

/**
 * Spans and metrics of every operation through `@opentelemetry/api`, for the `observers` of a `SessionService`. The store
 * works in the context of the span, so that those of its client stand under it. Throws a `TypeError` that names every
 * option that is wrong or unknown.
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Telemetry =>
  new OperationTelemetry(readTelemetryOptions(options));
