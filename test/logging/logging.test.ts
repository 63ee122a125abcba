import { err } from 'neverthrow';
import { type Logger as Pino, pino } from 'pino';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type Logger, logging } from '../../src/logging/index.js';
import { corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

/** A service that tells pino, and what pino has written. */
const openLogged = (store: SessionStore = new MemorySessionStore()) => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const clock = new ManualClock();
  return { ...openSessions({ store, clock, observers: [logging(logger)] }), store, clock, lines };
};

const INFO = 30;
const WARN = 40;
const ERROR = 50;

describe('logging', () => {
  test('takes loggers of pino, and the console, as they are', () => {
    expectTypeOf<Pino>().toExtend<Logger>();
    expectTypeOf<Console>().toExtend<Logger>();
  });

  test('logs why operations fail, without the properties that a client adds to its errors', async () => {
    const { sessions, store, lines } = openLogged();
    const cause = Object.assign(new Error('connection lost'), {
      command: { name: 'set', args: ['a secret'] },
    });
    vi.spyOn(store, 'find').mockReturnValue(
      err(storeUnavailable('it is gone', 'not_applied', cause)),
    );
    await errorOf(sessions.forTenant('acme').get('s1'));
    await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: PATIENT_MS });
    expect(lines[0]).toEqual({
      level: ERROR,
      operation: 'get',
      tenant: 'acme',
      session: 's1',
      error: { type: 'store_unavailable', outcome: 'not_applied' },
      cause: expect.stringContaining('Error: connection lost\n'),
      msg: 'it is gone',
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('logs damaged records, alone and on pages', async () => {
    const store = new TextSessionStore();
    const { sessions, lines } = openLogged(store);
    const id = await createdIn(sessions);
    store.damage({ tenant: 'default', id }, 'head');
    await errorOf(sessions.get(id));
    await okOf(sessions.list());
    await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: PATIENT_MS });
    expect(lines).toEqual([
      {
        level: ERROR,
        operation: 'get',
        tenant: 'default',
        session: id,
        error: expect.any(Object),
        msg: expect.any(String),
      },
      {
        level: WARN,
        operation: 'list',
        tenant: 'default',
        unreadable: [id],
        msg: expect.any(String),
      },
    ]);
  });

  test('logs damaged records that a claim left out; one for all tenants names none', async () => {
    const store = new TextSessionStore();
    const { sessions, clock, lines } = openLogged(store);
    const { id } = await okOf(sessions.create({ ...ada, wake: true }));
    store.damage({ tenant: 'default', id }, 'state');
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 10 }));
    clock.pass(10_000);
    await okOf(sessions.claimAny({ holder: 'worker-1', seconds: 10 }));
    await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: PATIENT_MS });
    const warned = {
      level: WARN,
      unreadable: [id],
      msg: 'a claim left out sessions that cannot be read',
    };
    expect(lines).toEqual([
      { ...warned, operation: 'claim', tenant: 'default' },
      { ...warned, operation: 'claimAny' },
    ]);
  });

  test('tells of the ends that the clock has made, and of what a sweep could not process', async () => {
    const { sessions, store, clock, lines } = openLogged();
    const id = await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    vi.spyOn(store, 'findState').mockReturnValueOnce(err(corruptRecord(id, 'damaged')));
    await okOf(sessions.sweep());
    clock.pass(60_000);
    await okOf(sessions.sweep());
    await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: PATIENT_MS });
    expect(lines).toMatchObject([
      { level: ERROR, operation: 'sweep', error: { type: 'corrupt_record', id } },
      {
        level: INFO,
        tenant: 'default',
        session: id,
        endReason: 'time_limit',
        endedAt: '2026-01-31T12:00:01.000Z',
      },
    ]);
  });

  test('says nothing of what goes well, of callers’ mistakes and of what sessions hold', async () => {
    const { sessions, lines } = openLogged();
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [{ role: 'user', content: 'a secret' }]));
    await errorOf(sessions.start(id));
    await errorOf(sessions.create({ ...ada, face: '' }));
    await errorOf(sessions.get('nobody'));
    await okOf(sessions.list());
    expect(lines).toEqual([]);
  });

  test('is no harm where the logger fails, at once or later', async () => {
    for (const error of [
      vi.fn(() => {
        throw new Error('logger');
      }),
      vi.fn(() => Promise.reject(new Error('logger'))),
    ]) {
      const store: SessionStore = new MemorySessionStore();
      vi.spyOn(store, 'find').mockReturnValue(err(storeUnavailable('it is gone', 'not_applied')));
      const { sessions } = openSessions({
        store,
        observers: [logging({ info: error, warn: error, error })],
      });
      expect((await errorOf(sessions.get('s1'))).type).toBe('store_unavailable');
      await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1), { timeout: PATIENT_MS });
    }
  });

  test.for([undefined, 5, {}, { info: () => undefined }])(
    'throws with %j for a logger',
    (logger) => {
      expect(() => Reflect.apply(logging, undefined, [logger])).toThrow(
        new TypeError('logging: logger must have the methods info, warn, error'),
      );
    },
  );
});
