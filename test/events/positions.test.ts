import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { type SessionChange, SessionService, type TenantChange } from '../../src/index.js';
import { parsePosition, positionBefore, positionOf } from '../../src/session/event-position.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { createdIn, okOf } from '../support/sessions.js';

const said = [{ role: 'user', content: 'hello' }];

afterEach(() => {
  vi.useRealTimers();
});

/**
 * The items that a tenant watch yields for a short life of a session, while other tenants are busy.
 */
const itemsOf = async (store: SessionStore, prefix: string, others: () => Promise<void>) => {
  const sessions = new SessionService({ store, tenant: `${prefix}-acme` });
  await others();
  const id = await createdIn(sessions);
  await others();
  const watch = sessions.watch(id)[Symbol.asyncIterator]();
  const all = sessions.watchAll({ cursor: '0' })[Symbol.asyncIterator]();
  const changes = [
    () => okOf(sessions.start(id)),
    () => okOf(sessions.append(id, said)),
    () => okOf(sessions.fail(id)),
  ];
  const items: (SessionChange | TenantChange)[] = [];
  for (const change of changes) {
    items.push(
      (await watch.next()).value._unsafeUnwrap(),
      (await all.next()).value._unsafeUnwrap(),
    );
    await others();
    await change();
  }
  items.push((await watch.next()).value._unsafeUnwrap(), (await all.next()).value._unsafeUnwrap());
  await watch.return?.();
  await all.return?.();
  return items;
};

const busy = (store: SessionStore, prefix: string) => async () => {
  const others = new SessionService({ store, tenant: `${prefix}-globex` });
  for (let turn = 0; turn < 20; turn += 1) await createdIn(others);
};

const quiet = async (): Promise<void> => undefined;

describe('a position in the event log', () => {
  test('is the same whatever other tenants do, in memory', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const lives: string[][] = [];
    for (const othersOf of [() => quiet, busy]) {
      const store = new MemorySessionStore({ events: true });
      const seen = await itemsOf(store, 'm', othersOf(store, 'm'));
      // What is random: the id of a session's creation, and the version of a history.
      lives.push(
        seen.map(({ cursor }) =>
          cursor.replace(/-[\w-]+\./, '-incarnation.').replace(/-\d+$/, '-version'),
        ),
      );
    }
    expect(lives[0]).toEqual(lives[1]);
    expect(new Set(lives[0]).size).toBeGreaterThan(4);
  });

  test.each([
    ['0', { ms: 0, sequence: undefined, incarnation: undefined }],
    ['0-0', { ms: 0, sequence: 0, incarnation: undefined }],
    ['1769882520000-4', { ms: 1769882520000, sequence: 4, incarnation: undefined }],
    [
      '1769882520000-kR3v-w0aT_1x.4',
      { ms: 1769882520000, sequence: 4, incarnation: 'kR3v-w0aT_1x' },
    ],
  ])('is parsed from %s', (text, read) => {
    expect(parsePosition(text)).toEqual(read);
  });

  const junk = [
    '',
    'x',
    '-',
    '1-',
    '-1',
    '1.5',
    '1-2-3',
    '1-.3',
    '1-a.',
    '1-a b.3',
    '1\n',
    ' 1',
    '1-ä.1',
    '1e3',
    '٣',
  ];
  const large = [
    '18446744073709551616-0',
    '9999999999999999',
    `1-${'9'.repeat(16)}`,
    `1-${'x'.repeat(65)}.1`,
  ];
  test.each([...junk, ...large])('is not parsed from %j', async (text) => {
    expect(parsePosition(text)).toBeUndefined();
    const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
    const first = await sessions.watchAll({ cursor: text })[Symbol.asyncIterator]().next();
    expect(first.value?._unsafeUnwrapErr()).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'cursor' }],
    });
  });

  test('uses only the sequence of an event with a foreign id', () => {
    const event = { sequence: 3 };
    expect(positionOf(7, { ...event, id: 'a/b.3' })).toBe('7-3');
    expect(positionOf(7, { ...event, id: 'ab.3' })).toBe('7-ab.3');
  });

  test('can mark the place after all events that were logged before a millisecond', () => {
    expect([positionBefore(0), positionBefore(5)]).toEqual(['0', '4-18446744073709551615']);
  });
});

describeWithRedis('a position in the Redis event log', ({ port }) => {
  const open = (name: string) => {
    const prefix = `positions-${process.pid}-${name}`;
    const store = new RedisSessionStore({
      client: openClient('ioredis 5', { port }),
      prefix,
      events: true,
      timeoutMs: PATIENT_MS,
    });
    return { prefix, store };
  };

  test('contains the time and the id of its own event, and reveals nothing about other events', async () => {
    const { prefix, store } = open('opaque');
    const seen = await itemsOf(store, prefix, busy(store, prefix));
    for (const change of seen.filter((item) => 'at' in item)) {
      const [time, rest] = [
        Number(change.cursor.split('-')[0]),
        change.cursor.replace(/^\d+-/, ''),
      ];
      expect(Math.abs(Date.now() - time)).toBeLessThan(60_000);
      expect(rest).toBe(Object(change).id);
    }
  });
});
