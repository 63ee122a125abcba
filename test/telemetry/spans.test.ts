import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { err } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { conflict, corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { type OpenTelemetryOptions, openTelemetry } from '../../src/telemetry/index.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';
import { exportedSpans } from './exported.js';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => context.disable());

const openTraced = (
  options: OpenTelemetryOptions = {},
  store: SessionStore = new MemorySessionStore(),
) => {
  const { tracerProvider, spans } = exportedSpans();
  const observers = [openTelemetry({ tracerProvider, ...options })];
  return { ...openSessions({ store, observers }), store, spans, tracerProvider };
};

describe('spans', () => {
  test('are named by verb and object, with the operation and the session', async () => {
    const { sessions, spans } = openTraced();
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [{ role: 'user', content: 'a secret' }]));
    await okOf(sessions.history(id));
    await okOf(sessions.list());
    for await (const session of sessions.each()) expect(session.isOk()).toBe(true);
    await okOf(sessions.sweep());
    await okOf(sessions.delete(id));
    expect(spans().map(({ name, attributes }) => [name, attributes])).toEqual([
      ['create session', { 'colloquy.operation.name': 'create', 'gen_ai.conversation.id': id }],
      ['start session', { 'colloquy.operation.name': 'start', 'gen_ai.conversation.id': id }],
      ['append history', { 'colloquy.operation.name': 'append', 'gen_ai.conversation.id': id }],
      ['read history', { 'colloquy.operation.name': 'history', 'gen_ai.conversation.id': id }],
      ['list sessions', { 'colloquy.operation.name': 'list' }],
      ['list sessions', { 'colloquy.operation.name': 'each' }],
      ['sweep sessions', { 'colloquy.operation.name': 'sweep' }],
      ['delete session', { 'colloquy.operation.name': 'delete', 'gen_ai.conversation.id': id }],
    ]);
    for (const span of spans()) {
      expect(span).toMatchObject({
        kind: SpanKind.INTERNAL,
        status: { code: SpanStatusCode.UNSET },
      });
      expect(span.instrumentationScope.name).toBe('colloquy');
    }
  });

  test('have the type of an error, and are errors themselves if the host must act', async () => {
    const { sessions, spans, store } = openTraced();
    await errorOf(sessions.get('nobody'));
    await errorOf(sessions.get(''));
    vi.spyOn(store, 'find')
      .mockReturnValueOnce(
        err(storeUnavailable('it is gone', 'not_applied', new Error('the cause'))),
      )
      .mockReturnValueOnce(err(corruptRecord('s1', 'it is damaged')));
    await errorOf(sessions.get('s1'));
    await errorOf(sessions.get('s1'));
    vi.spyOn(store, 'findState').mockReturnValueOnce(Object(err(conflict('s1'))));
    await errorOf(sessions.start('s1'));
    expect(spans().map(({ attributes, status }) => [attributes['error.type'], status])).toEqual([
      ['not_found', { code: SpanStatusCode.UNSET }],
      ['invalid_input', { code: SpanStatusCode.UNSET }],
      ['store_unavailable', { code: SpanStatusCode.ERROR, message: 'it is gone' }],
      [
        'corrupt_record',
        { code: SpanStatusCode.ERROR, message: expect.stringContaining('it is damaged') },
      ],
      ['conflict', { code: SpanStatusCode.ERROR, message: expect.any(String) }],
    ]);
  });

  test("are children of the caller's span, and parents of the store's, even if the store answers later", async () => {
    const { tracerProvider, spans } = exportedSpans();
    const tracer = tracerProvider.getTracer('test');
    const store = new TextSessionStore();
    vi.spyOn(store, 'change').mockImplementation((commit) => {
      tracer.startSpan('command').end();
      return TextSessionStore.prototype.change.call(store, commit);
    });
    const { sessions } = openSessions({ store, observers: [openTelemetry({ tracerProvider })] });
    const id = await createdIn(sessions);
    const request = tracer.startSpan('request');
    await context.with(trace.setSpan(ROOT_CONTEXT, request), async () => {
      await okOf(sessions.start(id));
      expect(trace.getActiveSpan()).toBe(request);
    });
    const [, command, start] = spans();
    expect([command?.name, start?.name]).toEqual(['command', 'start session']);
    expect(start?.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(command?.parentSpanContext?.spanId).toBe(start?.spanContext().spanId);
    expect(spans()[0]?.parentSpanContext).toBeUndefined();
  });

  test('of work have the same naming, and the session', async () => {
    const { sessions, spans } = openTraced();
    await errorOf(sessions.wake('s1'));
    await okOf(sessions.countWaiting());
    await okOf(sessions.countWaitingAny());
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 10 }));
    await okOf(sessions.claimAny({ holder: 'worker-1', seconds: 10 }));
    await errorOf(sessions.cancel('s1'));
    expect(
      spans().map(({ name, attributes }) => [name, attributes['gen_ai.conversation.id']]),
    ).toEqual([
      ['wake session', 's1'],
      ['count waiting sessions', undefined],
      ['count waiting sessions', undefined],
      ['claim sessions', undefined],
      ['claim sessions', undefined],
      ['cancel session', 's1'],
    ]);
  });

  test('contain the tenant only on request, and never for calls for all tenants', async () => {
    const { sessions, spans } = openTraced({ tenant: 'spans' });
    await okOf(sessions.forTenant('acme').list());
    await okOf(sessions.sweep());
    await okOf(sessions.claimAny({ holder: 'worker-1', seconds: 10 }));
    await okOf(sessions.countWaitingAny());
    const tenants = spans().map(({ attributes }) => attributes['colloquy.tenant']);
    expect(tenants).toEqual(['acme', undefined, undefined, undefined]);
  });

  test('contain no invalid id', async () => {
    const { sessions, spans } = openTraced();
    await errorOf(sessions.get('x'.repeat(257)));
    await errorOf(Reflect.apply(sessions.get, sessions, [{}]));
    expect(spans().map(({ attributes }) => attributes)).toEqual(
      [1, 2].map(() => ({ 'colloquy.operation.name': 'get', 'error.type': 'invalid_input' })),
    );
  });

  test('go to the registered provider, even if it is registered later', async () => {
    const { sessions } = openSessions({ observers: [openTelemetry()] });
    await okOf(sessions.list());
    const { tracerProvider, spans } = exportedSpans();
    trace.setGlobalTracerProvider(tracerProvider);
    try {
      await okOf(sessions.list());
      expect(spans().map(({ name }) => name)).toEqual(['list sessions']);
    } finally {
      trace.disable();
    }
  });

  test('change no result if they cannot be created', async () => {
    const tracerProvider = {
      getTracer: () => {
        throw new Error('tracing');
      },
    };
    const { sessions } = openSessions({ observers: [openTelemetry({ tracerProvider })] });
    expect((await okOf(sessions.list())).total).toBe(0);
  });
});

describe('invalid telemetry options', () => {
  test.for([
    [{ tracerProvider: {} }, 'tracerProvider'],
    [{ meterProvider: 5 }, 'meterProvider'],
    [{ tenant: true }, 'tenant'],
    [{ clock: {} }, 'clock'],
    [{ tenants: 'spans' }, 'tenants is unknown (did you mean tenant?)'],
  ] as const)('%j throw a TypeError that names them', ([options, path]) => {
    expect(() => openTelemetry(Object(options))).toThrow(
      expect.objectContaining({ name: 'TypeError' }),
    );
    expect(() => openTelemetry(Object(options))).toThrow(`openTelemetry: ${path}`);
  });
});
