import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { okOf, startedIn } from '../support/sessions.js';
import { serve } from './served.js';

describe("each, when a page would exceed the service's limit", () => {
  test('reads smaller pages, yields each session once, and reads larger pages again later', async () => {
    const store = new MemorySessionStore({ events: true });
    const { client, clock, sessions } = await serve({ store, limits: { pageBytes: 25_000 } });
    const ids: string[] = [];
    for (let at = 0; at < 60; at += 1) {
      const id = await startedIn(sessions);
      if (at >= 50) await okOf(sessions.append(id, [{ role: 'user', content: 'x'.repeat(5000) }]));
      ids.unshift(id);
      clock.pass(1);
    }
    const page = vi.spyOn(store, 'page');
    const seen: string[] = [];
    for await (const item of client.each()) seen.push(item._unsafeUnwrap().id);
    expect(seen).toEqual(ids);
    const limits = page.mock.calls.map(([, { limit }]) => limit);
    expect(limits.slice(0, 6)).toEqual([100, 50, 25, 13, 7, 4]);
    expect(Math.max(...limits.slice(6))).toBeGreaterThan(4);
  });

  test('yields a single session of any size', async () => {
    const { client, sessions } = await serve({ limits: { pageBytes: 1 } });
    const id = await startedIn(sessions);
    const seen: string[] = [];
    for await (const item of client.each({ limit: 2 })) seen.push(item._unsafeUnwrap().id);
    expect(seen).toEqual([id]);
  });
});
