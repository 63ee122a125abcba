import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { commandRoutes, createSessionHandler, type HandlerRequest } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { request, seen } from './handler-harness.js';

const KIB = 1024;

const busy = [503, 'store_unavailable'];

describe('forks in progress', () => {
  const open = async () => {
    const inner = new MemorySessionStore();
    let isHeld = false;
    const held: (() => void)[] = [];
    const store = changed(inner, {
      begin: async (commit) => {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
        return inner.begin(commit);
      },
    });
    const names = ['acme-1', 'acme-2'];
    const ids = { next: () => names.shift() ?? randomUUID() };
    const sessions = new SessionService({ store, ids });
    const entries = [{ role: 'user', content: 'x'.repeat(40 * KIB) }];
    for (const _ of [1, 2]) await okOf(sessions.forTenant('acme').create({ ...ada, entries }));
    isHeld = true;
    const options = { maxPendingBytes: 100 * KIB, routes: [commandRoutes()] };
    const handler = createSessionHandler({ sessions, authenticate: (key) => key, ...options });
    const ask = async (url: string, more: Partial<HandlerRequest> = {}) => {
      const listeners: (() => void)[] = [];
      const onClose = (listener: () => void) => void listeners.push(listener);
      const response = await handler(
        request('GET', url, { header: () => 'acme', onClose, ...more }),
      );
      return { response, take: () => listeners.splice(0).map((listener) => listener()) };
    };
    const post = async (body: object) => {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...ada, ...body }));
      const json = new Map([['content-type', 'application/json']]);
      const header = (name: string) =>
        json.get(name) ?? (name === 'x-api-key' ? 'acme' : undefined);
      const more = {
        method: 'POST',
        header,
        body: async () => ({ outcome: 'read', bytes }) as const,
      };
      return ask('/create-session', more);
    };
    const untilHeld = (count: number) =>
      vi.waitFor(() => expect(held).toHaveLength(count), { timeout: PATIENT_MS });
    return { ask, post, untilHeld, goOn: () => held.splice(0).map((resume) => resume()) };
  };

  test('count towards the pending bytes, beyond which forks and reads answer 503', async () => {
    const { ask, post, untilHeld, goOn } = await open();
    const first = post({ from: { id: 'acme-1' } });
    await untilHeld(1);
    expect(seen((await post({ from: { id: 'acme-2' } })).response)).toEqual(busy);
    expect(seen((await ask('/session/acme-2')).response)).toEqual(busy);
    goOn();
    const { response, take } = await first;
    expect(response?.status).toBe(201);
    take();
    const second = post({ from: { id: 'acme-2' } });
    await untilHeld(1);
    goOn();
    expect((await second).response?.status).toBe(201);
  });

  test('leave room for other creates', async () => {
    const { post, untilHeld, goOn } = await open();
    const fork = post({ from: { id: 'acme-1' } });
    await untilHeld(1);
    const other = post({});
    await untilHeld(2);
    goOn();
    expect([(await fork).response?.status, (await other).response?.status]).toEqual([201, 201]);
  });
});
