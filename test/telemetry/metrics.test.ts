import { DiagLogLevel, diag, metrics } from '@opentelemetry/api';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import { err } from 'neverthrow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { type OpenTelemetryOptions, openTelemetry } from '../../src/telemetry/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { exportedMetrics, valuesOf } from './exported.js';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const exported of opened.splice(0)) await exported.close();
});

const openMeasured = (options: OpenTelemetryOptions = {}, reportEnds = false) => {
  const exported = exportedMetrics();
  opened.push(exported);
  const clock = new ManualClock();
  const store: SessionStore = new MemorySessionStore({ reportEnds });
  const telemetry = openTelemetry({ meterProvider: exported.meterProvider, clock, ...options });
  const { sessions } = openSessions({ store, clock, observers: [telemetry], retention: 60 });
  return { ...exported, sessions, store, clock, telemetry };
};

describe('metrics', () => {
  test('have the names, units and kinds of the semantic conventions', async () => {
    const { sessions, clock, collect, telemetry } = openMeasured();
    telemetry.observeSessions(sessions);
    telemetry.observeWaiting(() => sessions.countWaiting());
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    await okOf(sessions.sweep());
    const found = (await collect()).map(({ descriptor, dataPointType }) => [
      descriptor.name,
      descriptor.unit,
      DataPointType[dataPointType],
    ]);
    expect(found.toSorted()).toEqual([
      ['colloquy.operation.duration', 's', 'HISTOGRAM'],
      ['colloquy.session.count', '{session}', 'SUM'],
      ['colloquy.sweep.lag', 's', 'HISTOGRAM'],
      ['colloquy.sweep.sessions', '{session}', 'SUM'],
      ['colloquy.work.waiting', '{session}', 'SUM'],
    ]);
  });

  test('count operations by name and error type, with buckets in seconds', async () => {
    const { sessions, points } = openMeasured();
    const id = await createdIn(sessions);
    await okOf(sessions.forTenant('acme').list());
    await okOf(sessions.get(id));
    await okOf(sessions.get(id));
    await errorOf(sessions.get('nobody'));
    const found = await points('colloquy.operation.duration');
    expect(valuesOf(found)).toEqual([
      [{ 'colloquy.operation.name': 'create' }, 1],
      [{ 'colloquy.operation.name': 'list' }, 1],
      [{ 'colloquy.operation.name': 'get' }, 2],
      [{ 'colloquy.operation.name': 'get', 'error.type': 'not_found' }, 1],
    ]);
    const value = found[0]?.value;
    expect(value).toMatchObject({
      buckets: { boundaries: expect.arrayContaining([0.0001, 0.00025, 10]) },
    });
    expect(typeof value === 'object' && (value.sum ?? 60)).toBeLessThan(60);
  });

  test('have a series per tenant only on request', async () => {
    const { sessions, points } = openMeasured({ tenant: 'spans and metrics' });
    for (const tenant of ['acme', 'globex']) await okOf(sessions.forTenant(tenant).list());
    await okOf(sessions.countWaitingAny());
    expect(valuesOf(await points('colloquy.operation.duration'))).toEqual([
      [{ 'colloquy.operation.name': 'list', 'colloquy.tenant': 'acme' }, 1],
      [{ 'colloquy.operation.name': 'list', 'colloquy.tenant': 'globex' }, 1],
      [{ 'colloquy.operation.name': 'countWaitingAny' }, 1],
    ]);
  });

  test('report what sweeps have done, and how late', async () => {
    const { sessions, clock, points, store } = openMeasured();
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(3500);
    await okOf(sessions.sweep());
    const [lag] = await points('colloquy.sweep.lag');
    expect(lag?.value).toMatchObject({ count: 1, sum: 2.5 });
    clock.pass(60_000);
    vi.spyOn(store, 'findState').mockReturnValueOnce(err(storeUnavailable('no', 'not_applied')));
    await okOf(sessions.sweep());
    await okOf(sessions.sweep());
    expect(valuesOf(await points('colloquy.sweep.sessions'))).toEqual([
      [{ 'colloquy.sweep.outcome': 'ended', 'colloquy.session.end_reason': 'time_limit' }, 1],
      [{ 'colloquy.sweep.outcome': 'failed', 'error.type': 'store_unavailable' }, 1],
      [{ 'colloquy.sweep.outcome': 'deleted' }, 1],
    ]);
  });

  test('report the sessions of each status, until they are stopped', async () => {
    const { sessions, store, clock, points, telemetry } = openMeasured();
    await createdIn(sessions);
    await startedIn(sessions);
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    const stop = telemetry.observeSessions(sessions, { 'colloquy.tenant': 'default' });
    const of = (status: string) => ({
      'colloquy.session.status': status,
      'colloquy.tenant': 'default',
    });
    expect(valuesOf(await points('colloquy.session.count'))).toEqual([
      [of('IDLE'), 1],
      [of('ACTIVE'), 1],
      [of('PAUSED'), 0],
      [of('TERMINATED'), 1],
    ]);
    stop();
    const list = vi.spyOn(store, 'page');
    await points('colloquy.session.count');
    expect(list).not.toHaveBeenCalled();
  });

  test('report the sessions that wait for a worker, until they are stopped', async () => {
    const { sessions, store, points, telemetry } = openMeasured();
    await okOf(sessions.wake(await createdIn(sessions)));
    await okOf(sessions.forTenant('acme').create({ ...ada, wake: true }));
    const stops = [
      telemetry.observeWaiting(() => sessions.countWaitingAny()),
      telemetry.observeWaiting(() => sessions.forTenant('acme').countWaiting(), {
        'colloquy.tenant': 'acme',
      }),
    ];
    expect(valuesOf(await points('colloquy.work.waiting'))).toEqual([
      [{}, 2],
      [{ 'colloquy.tenant': 'acme' }, 1],
    ]);
    for (const stop of stops) stop();
    const count = vi.spyOn(store, 'countWaiting');
    await points('colloquy.work.waiting');
    expect(count).not.toHaveBeenCalled();
  });

  test('count what ended sessions have used, by counter', async () => {
    const { sessions, points } = openMeasured({ tenant: 'spans and metrics' }, true);
    for (const tenant of ['acme', 'globex']) {
      const { orThrow } = sessions.forTenant(tenant);
      const { id } = await orThrow.create({
        ...ada,
        start: true,
        budget: { tokens: 10, calls: 5 },
      });
      await orThrow.spend(id, { tokens: 4, calls: 1 });
      await orThrow.spend(id, { tokens: 8 });
    }
    await okOf(sessions.create(ada));
    expect(await points('colloquy.session.usage')).toEqual([]);
    await okOf(sessions.sweep(10, { onEnded: () => undefined }));
    await okOf(sessions.sweep(10, { onEnded: () => undefined }));
    const countersOf = (tenant: string) => [
      [{ 'colloquy.tenant': tenant, 'colloquy.counter': 'calls' }, 1],
      [{ 'colloquy.tenant': tenant, 'colloquy.counter': 'tokens' }, 12],
    ];
    expect(valuesOf(await points('colloquy.session.usage'))).toEqual([
      ...countersOf('acme'),
      ...countersOf('globex'),
    ]);
  });

  test('count sessions without reading a history', async () => {
    const { sessions, store, points, telemetry } = openMeasured();
    const list = vi.spyOn(store, 'page');
    telemetry.observeSessions(sessions);
    await points('colloquy.session.count');
    expect(list.mock.calls.map(([, range]) => range.historyLimit)).toEqual([0, 0, 0, 0]);
  });

  test('report why sessions cannot be counted', async () => {
    const told = vi.fn();
    diag.setLogger(
      { error: told, warn: told, info: told, debug: told, verbose: told },
      DiagLogLevel.ERROR,
    );
    const { sessions, store, points, telemetry } = openMeasured();
    vi.spyOn(store, 'page').mockReturnValue(err(storeUnavailable('it is gone', 'not_applied')));
    telemetry.observeSessions(sessions);
    expect(await points('colloquy.session.count')).toEqual([]);
    expect(told).toHaveBeenCalledWith('colloquy.session.count: it is gone');
    vi.spyOn(store, 'countWaiting').mockReturnValue(
      err(storeUnavailable('it is gone too', 'not_applied')),
    );
    telemetry.observeWaiting(() => sessions.countWaiting());
    expect(await points('colloquy.work.waiting')).toEqual([]);
    expect(told).toHaveBeenCalledWith('colloquy.work.waiting: it is gone too');
    diag.disable();
  });

  test('go to the registered provider, even if it is registered later', async () => {
    const { sessions } = openSessions({ observers: [openTelemetry()] });
    await okOf(sessions.list());
    const exported = exportedMetrics();
    opened.push(exported);
    metrics.setGlobalMeterProvider(exported.meterProvider);
    try {
      await okOf(sessions.list());
      expect(await exported.points('colloquy.operation.duration')).toHaveLength(1);
    } finally {
      metrics.disable();
    }
  });
});
