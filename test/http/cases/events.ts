import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import type { Client, World } from '../world.js';

/** The form of an id of an event with this number. */
const idOf = (sequence: number) =>
  new RegExp(`^${sequence}-\\d+-\\d+-[0-9a-f]{8}-[0-9a-f]{8}-[\\w.-]+$`);

const junk = [
  ...[
    'x',
    '-1',
    '1.5',
    '1-',
    '1-2-3',
    'END',
    '0x1',
    '1-a.',
    '1-.1',
    '1-ä.1',
    '0',
    '1-1.1',
    '1-0-0-12345678-12345678',
  ],
  ...['-1-0-0-12345678-12345678-v', '1-0-0-1234567g-12345678-v', '1-0-0-12345678-12345678-ä'],
  // Beyond what a number counts exactly, and beyond any version of a store.
  ...[`1${'0'.repeat(15)}-0-0-12345678-12345678-v`, `1-0-0-12345678-12345678-${'v'.repeat(65)}`],
];

export const eventCases = (world: World): void => {
  /** A session that is watched, past its snapshot. */
  const watched = async (client: Client) => {
    const { id } = await client.created();
    const reader = await client.watch(id);
    const snapshot = await reader.next();
    return { id, reader, snapshot };
  };

  describe('GET /session/{session_id}/events', () => {
    test('streams the session as get returns it, then every change, and the end', async () => {
      const client = world.client();
      const { id } = await client.created();
      const before = (await client.send(`/session/${id}`)).text.replaceAll('\n', '');
      const shown = async (of: string) => {
        const { history, ...summary } = Object((await client.send(`/session/${of}`)).json());
        return { summary, history };
      };
      const reader = await client.watch(id);
      expect(reader.status).toBe(200);
      expect(reader.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      expect(await reader.block()).toMatch(
        /^retry: 1000\nid: 1-0-0-[\w.-]+\nevent: session\.snapshot\ndata: /,
      );
      expect(reader.text).toContain(`\ndata: ${before}\n\n`);
      await client.sessions.start(id);
      expect(await reader.next()).toEqual({
        id: expect.stringMatching(idOf(2)),
        event: 'session.changed',
        data: {
          type: 'session.changed',
          session: (await shown(id)).summary,
          entries: [],
          sequence: 2,
        },
      });
      const appended = await client.sessions.append(id, [
        { role: 'user', content: 'a\nb\r\n\u2028' },
      ]);
      const { position } = appended._unsafeUnwrap();
      const { summary, history } = await shown(id);
      expect(await reader.next()).toMatchObject({
        event: 'session.changed',
        data: { session: summary, entries: [{ ...history[0], position }], sequence: 3 },
      });
      // A lease is not on the wire, so it is no event.
      const leased = await client.sessions.lease(id, { holder: 'worker-1', seconds: 9 });
      const { fencingToken } = leased._unsafeUnwrap();
      (await client.sessions.renew(id, { fencingToken, seconds: 9 }))._unsafeUnwrap();
      (await client.sessions.release(id, { fencingToken }))._unsafeUnwrap();
      await client.sessions.fail(id);
      expect(await reader.next()).toMatchObject({
        event: 'session.changed',
        data: { session: { status: 'TERMINATED', end_reason: 'failed' }, sequence: 6 },
      });
      expect(await reader.next()).toEqual({
        id: 'end',
        event: 'end',
        data: { end_reason: 'failed' },
      });
      expect(await reader.next()).toBeUndefined();
      await world.log.listeners(0);
    });

    test('sends a session with a long history as one line of data', async () => {
      const client = world.client();
      const { id } = await client.created();
      await client.sessions.start(id);
      const entries = ['a\nb', 'c\r\n\r\nd', 'e'].map((content) => ({ role: 'user', content }));
      await client.sessions.append(id, entries);
      await client.sessions.terminate(id);
      const reader = await client.watch(id);
      const [snapshot, ...rest] = await reader.rest();
      expect(snapshot?.data).toEqual((await client.send(`/session/${id}`)).json());
      expect(rest).toEqual([{ id: 'end', event: 'end', data: { end_reason: 'terminated' } }]);
    });

    test('ends with the event of a deletion', async () => {
      const client = world.client();
      const { id, reader, snapshot } = await watched(client);
      await client.sessions.delete(id);
      expect(await reader.rest()).toEqual([
        { id: snapshot?.id, event: 'session.deleted', data: { type: 'session.deleted' } },
        { id: 'end', event: 'end', data: {} },
      ]);
    });

    test('ends its watch once the client disconnects, even while nothing happens', async () => {
      const client = world.client();
      const { reader } = await watched(client);
      await world.log.listeners(1);
      reader.close();
      await world.log.listeners(0);
    });

    test('serves many watches, which end independently', async () => {
      const client = world.client();
      const { id, reader } = await watched(client);
      const others = await Promise.all(Array.from({ length: 10 }, () => client.watch(id)));
      for (const other of others) await other.next();
      reader.close();
      await client.sessions.start(id);
      for (const other of others)
        expect(await other.next()).toMatchObject({ data: { session: { status: 'ACTIVE' } } });
      for (const other of others) other.close();
      await world.log.listeners(0);
    });

    test('resumes after the Last-Event-ID', async () => {
      const client = world.client();
      const { id, reader, snapshot } = await watched(client);
      await client.sessions.start(id);
      const started = await reader.next();
      reader.close();
      await client.sessions.pause(id);
      const again = await client.watch(id, { 'Last-Event-ID': started?.id ?? '' });
      expect(await again.next()).toMatchObject({
        event: 'session.changed',
        data: { session: { status: 'PAUSED' }, sequence: 3 },
      });
      await client.sessions.resume(id);
      expect(await again.next()).toMatchObject({
        data: { session: { status: 'ACTIVE' }, sequence: 4 },
      });
      again.close();
      const fromSnapshot = await client.watch(id, { 'Last-Event-ID': snapshot?.id ?? '' });
      expect(await fromSnapshot.next()).toMatchObject({
        event: 'session.changed',
        data: { session: { status: 'ACTIVE' }, entries: [], sequence: 4 },
      });
      fromSnapshot.close();
      await world.log.listeners(0);
    });

    test('sends the end to a client that missed it, and 204 to a client that saw it', async () => {
      const client = world.client();
      const { id, reader, snapshot } = await watched(client);
      reader.close();
      await client.sessions.terminate(id);
      const [terminated, ...end] = await (
        await client.watch(id, { 'Last-Event-ID': snapshot?.id ?? '' })
      ).rest();
      expect(terminated).toMatchObject({
        event: 'session.changed',
        data: { session: { end_reason: 'terminated' } },
      });
      expect(end).toEqual([{ id: 'end', event: 'end', data: { end_reason: 'terminated' } }]);
      const later = await (
        await client.watch(id, { 'Last-Event-ID': terminated?.id ?? '' })
      ).rest();
      expect(later).toMatchObject([
        { event: 'session.changed', data: { session: { id, status: 'TERMINATED' }, entries: [] } },
        { event: 'end' },
      ]);
      const done = await client.send(`/session/${id}/events`, {
        headers: { 'Last-Event-ID': 'end' },
      });
      expect([done.status, done.text, done.headers['content-type']]).toEqual([204, '', undefined]);
    });

    test.each(junk)('rejects a Last-Event-ID of %s with 400, naming the header', async (id) => {
      const reply = await world
        .client()
        .send('/session/x/events', { headers: { 'Last-Event-ID': id } });
      expectInvalid(reply, 'Last-Event-ID');
    });

    test('answers an unknown or foreign session with the same 404 as get', async () => {
      const client = world.client();
      const theirs = await world.client().created();
      const missing = await client.send(`/session/${theirs.id}`);
      expectProblem(missing, 404, 'not_found');
      const cursor = '1-0-0-12345678-12345678-v';
      for (const headers of [{}, { 'Last-Event-ID': cursor }, { 'Last-Event-ID': 'end' }]) {
        for (const id of [theirs.id, 'nobody', 'events', '%00']) {
          const reply = await client.send(`/session/${id}/events`, { headers });
          expect([reply.status, reply.text]).toEqual([404, missing.text]);
        }
      }
    });

    test('answers an unauthenticated client with 401 whatever else is wrong', async () => {
      const client = world.client();
      for (const path of ['/session/x/events', '/session/%ff/events']) {
        expectProblem(await client.anonymous(path, { method: 'DELETE' }), 401, 'unauthenticated');
        expectProblem(
          await client.anonymous(path, { headers: { 'X-API-KEY': 'wrong' } }),
          401,
          'unauthenticated',
        );
      }
    });

    test('answers other methods with 405, and HEAD like a GET without a body', async () => {
      const client = world.client();
      const { id } = await client.created();
      const path = `/session/${id}/events`;
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const reply = await client.send(path, { method });
        expectProblem(reply, 405, 'method_not_allowed');
        expect(reply.headers).toHaveProperty('allow', 'GET, HEAD');
      }
      const reply = await client.send(path, { method: 'HEAD' });
      expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([
        200,
        'text/event-stream',
        '',
      ]);
      expect(reply.headers).not.toHaveProperty('content-length');
      expect((await client.send('/session/nobody/events', { method: 'HEAD' })).status).toBe(404);
      await world.log.listeners(0);
    });

    test('accepts only one UTF-8 path segment as id', async () => {
      const client = world.client();
      expectInvalid(await client.send('/session/%ff/events'), 'session_id');
      expectInvalid(await client.send(`/session/${'x'.repeat(257)}/events`), 'session_id');
      expectProblem(await client.send('/session/events'), 404, 'not_found');
      for (const path of ['/session//events', '/session/x/events/', '/session/x/y/events']) {
        expect((await client.send(path)).status).toBe(404);
      }
    });

    test('answers 500 for an unreadable record', async () => {
      const client = world.client();
      const { id } = await client.created();
      world.store.damage({ tenant: client.tenant, id }, 'head');
      expectProblem(await client.send(`/session/${id}/events`), 500, 'corrupt_record');
    });
  });
};
