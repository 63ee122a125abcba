import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { SessionService } from '../../src/index.js';
import { custom, openWithSchemas as open, said, Tool, User } from '../support/schemas.js';
import { ada, errorOf, okOf, startedIn } from '../support/sessions.js';

describe('a value read with schemas', () => {
  const changes = async (sessions: SessionService, id: string) => {
    const items: unknown[] = [];
    for await (const item of sessions.watch(id)) {
      items.push(item.isOk() ? item.value.type : item.error);
      if (item.isOk()) break;
    }
    return items;
  };

  /** A session with metadata and an entry that do not fit. */
  const stored = async (onRead: boolean) => {
    const all = open({ metadata: User, data: Tool, onRead });
    const { id } = await okOf(all.lax.create({ ...ada, start: true, idempotencyKey: 'k' }));
    await okOf(all.lax.append(id, [said('old')]));
    return { ...all, id };
  };

  test('is not validated by default', async () => {
    const { sessions, id } = await stored(false);
    expect(await okOf(sessions.get(id))).toMatchObject({ metadata: {}, history: [said('old')] });
    expect(await okOf(sessions.history(id))).toMatchObject({ entries: [said('old')] });
    expect((await okOf(sessions.list())).unreadable).toEqual([]);
    expect(await changes(sessions, id)).toEqual(['session.snapshot']);
  });

  test('is validated by every read with onRead', async () => {
    const { sessions, lax, id } = await stored(true);
    const corrupt = {
      type: 'corrupt_record',
      id,
      message: expect.stringMatching(/metadata\.user .*history\[0\]\.data /),
    };
    expect(await errorOf(sessions.get(id))).toMatchObject(corrupt);
    expect(
      await errorOf(sessions.getOrCreate({ ...ada, id, metadata: { user: { name: 'a' } } })),
    ).toMatchObject(corrupt);
    expect(await errorOf(sessions.history(id))).toMatchObject({
      ...corrupt,
      message: expect.stringContaining('entries[0].data '),
    });
    expect(await okOf(sessions.list())).toMatchObject({ sessions: [], unreadable: [id], total: 1 });
    for await (const item of sessions.each())
      expect(item._unsafeUnwrapErr()).toMatchObject({ type: 'corrupt_record', id });
    expect(await changes(sessions, id)).toMatchObject([corrupt]);
    await okOf(lax.wake(id));
    const claims = await okOf(sessions.claim({ holder: 'worker', seconds: 30 }));
    expect(claims).toMatchObject({ claimed: [], unreadable: [id] });
    const watched = sessions.watchAll({ cursor: '0', sessions: true, entries: true });
    for await (const item of watched) {
      const event = item._unsafeUnwrap();
      expect(event).not.toHaveProperty('session');
      expect(event).not.toHaveProperty('entries');
      if (event.type === 'session.appended') break;
    }
  });

  test("is the schema's output with onRead", async () => {
    const metadata = z.object({ plan: z.string().default('free') });
    const { sessions, lax } = open({ metadata, data: Tool, onRead: true });
    const id = await startedIn(lax);
    await okOf(lax.append(id, [said({ kind: 'call' })]));
    const expected = { metadata: { plan: 'free' }, history: [said({ kind: 'call', count: 1 })] };
    expect(await okOf(sessions.get(id))).toMatchObject(expected);
    expect((await okOf(sessions.list())).sessions).toMatchObject([expected]);
    const watched = sessions.watchAll({ cursor: '0', sessions: true, entries: true });
    for await (const item of watched) {
      const event = item._unsafeUnwrap();
      if (event.type !== 'session.appended') continue;
      expect(event).toMatchObject({ session: { metadata: { plan: 'free' } } });
      expect(event.entries).toMatchObject([{ data: { count: 1 } }]);
      break;
    }
  });

  test('fails with misconfigured if a schema throws', async () => {
    const down = custom(() => Promise.reject(new Error('down')));
    const { sessions, lax } = open({ metadata: down, onRead: true });
    const id = await startedIn(lax);
    for (const read of [sessions.get(id), sessions.list(), sessions.history(id)]) {
      const result = await read;
      if (result.isErr()) expect(result.error.type).toBe('misconfigured');
    }
    expect(await changes(sessions, id)).toMatchObject([{ type: 'misconfigured' }]);
  });
});
