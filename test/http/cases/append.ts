import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { expectInvalid, expectProblem } from '../problems.js';
import { BODY_BYTES, type Client, HISTORY_ENTRIES, minimal, type World } from '../world.js';

const timestamp = '2026-01-31T18:00:02.000Z';
const hello = { role: 'user', content: 'Hello', timestamp };

const json = { 'Content-Type': 'application/json' };

export const appendCases = (world: World): void => {
  const started = async (client: Client): Promise<string> => {
    const { id } = await client.created();
    await client.sessions.start(id);
    return id;
  };

  const append = (client: Client, id: string, body: unknown, headers = {}): Promise<Reply> =>
    client.command(`/append-history/${id}`, headers, body);

  const historyOf = async (client: Client, id: string): Promise<unknown> =>
    Object((await client.send(`/session/${id}`)).json()).history;

  describe('POST /append-history/{session_id}', () => {
    test('answers 200 with a growing position, and get returns what was sent', async () => {
      const client = world.client();
      const id = await started(client);
      const more = { role: 'assistant', content: 'Grüße "世界" 👋\n', timestamp };
      const first = await append(client, id, { entries: [hello] });
      const second = await append(client, id, { entries: [more, hello] });
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(first.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      expect(first.json()).toEqual({ position: expect.any(Number) });
      expect(Object(second.json()).position).toBeGreaterThan(Object(first.json()).position);
      expect(await historyOf(client, id)).toEqual([hello, more, hello]);
    });

    test('gives an entry without a timestamp, or with null, the current time, and stores others in UTC', async () => {
      const client = world.client();
      const id = await started(client);
      const { role, content } = hello;
      await append(client, id, {
        entries: [
          { role, content },
          { role, content, timestamp: null },
          { ...hello, timestamp: '2026-01-31T19:00:02+01:00' },
        ],
      });
      const now = new Date(world.clock.now()).toISOString();
      expect(await historyOf(client, id)).toEqual([
        { ...hello, timestamp: now },
        { ...hello, timestamp: now },
        hello,
      ]);
    });

    test('ignores unknown fields of the body, and never stores them', async () => {
      const client = world.client();
      const id = await started(client);
      const body = { entries: [hello], operationId: 'x', status: 'TERMINATED' };
      expect((await append(client, id, body)).status).toBe(200);
      expect((await append(client, id, body)).status).toBe(200);
      expect(await historyOf(client, id)).toEqual([hello, hello]);
    });

    test('ignores unknown fields of entries and origins, and never stores them', async () => {
      const client = world.client();
      const id = await started(client);
      const key = { 'Idempotency-Key': 'turn-1' };
      const more = { ...hello, 'evil\u001b[31m': 7, tokens: { input: 5 } };
      expect((await append(client, id, { entries: [more] }, key)).status).toBe(200);
      expect((await append(client, id, { entries: [hello] }, key)).status).toBe(200);
      const from = { id, position: null, depth: 2 };
      const fork = await client.create({ ...minimal, start: true, from, entries: [more] });
      const { session_id: forked } = Object(fork.json());
      expect(await historyOf(client, id)).toEqual([hello]);
      expect(await historyOf(client, forked)).toEqual([hello, hello]);
      const { history } = (await client.sessions.get(forked))._unsafeUnwrap();
      for (const entry of history) expect(Object.keys(entry)).toEqual(Object.keys(hello));
    });

    test('names every invalid place, and appends nothing', async () => {
      const client = world.client();
      const id = await started(client);
      const entries = [
        hello,
        { role: '', content: 5, timestamp: 'now' },
        null,
        { content: 'x', timestamp: 0 },
      ];
      expectInvalid(
        await append(client, id, { entries }),
        'entries[1].role',
        'entries[1].content',
        'entries[1].timestamp',
        'entries[2]',
        'entries[2].role',
        'entries[2].content',
        'entries[3].role',
        'entries[3].timestamp',
      );
      expect(await historyOf(client, id)).toEqual([]);
    });

    test('rejects an empty list, a list that is too long, and what is not a list', async () => {
      const client = world.client();
      const id = await started(client);
      const tooMany = Array.from({ length: 1001 }, () => ({ role: 'u', content: '' }));
      for (const entries of [undefined, null, [], {}, 'hello', 5, tooMany]) {
        expectInvalid(await append(client, id, { entries }), 'entries');
      }
    });

    test('answers 409 while the session is IDLE and after its end, and 200 while it is PAUSED', async () => {
      const client = world.client();
      const { id } = await client.created();
      expectProblem(await append(client, id, { entries: [hello] }), 409, 'invalid_transition');
      await client.sessions.start(id);
      await client.sessions.pause(id);
      expect((await append(client, id, { entries: [hello] })).status).toBe(200);
      await client.sessions.terminate(id);
      expectProblem(await append(client, id, { entries: [hello] }), 409, 'invalid_transition');
      expect(await historyOf(client, id)).toEqual([hello]);
    });

    test("answers 409 if the history would exceed the host's limit", async () => {
      const client = world.client();
      const id = await started(client);
      const entries = Array.from({ length: HISTORY_ENTRIES }, () => hello);
      expect((await append(client, id, { entries })).status).toBe(200);
      expectProblem(await append(client, id, { entries: [hello] }), 409, 'history_full');
    });

    test('adds nothing for a repeated Idempotency-Key, and reports the repetition', async () => {
      const client = world.client();
      const id = await started(client);
      const once = { 'Idempotency-Key': 'turn-1' };
      const first = await append(client, id, { entries: [hello] }, once);
      const other = await append(client, id, { entries: [hello] });
      for (const reply of [first, other])
        expect(reply.headers).not.toHaveProperty('idempotent-replayed');
      for (const headers of [once, { 'Idempotency-Key': '"turn-1"' }]) {
        const again = await append(client, id, { entries: [hello] }, headers);
        expect([again.status, again.text]).toEqual([200, first.text]);
        expect(again.headers['idempotent-replayed']).toBe('true');
      }
      expect(await historyOf(client, id)).toEqual([hello, hello]);
    });

    test.each([
      ['wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQQ=='],
      ['$143273582443PhrSn:example.org'],
      ['<CAF+x y/z=1@mail.example>'],
      [String.raw`{"a\b"}%2F`],
      ['k'.repeat(256)],
    ])('checks an Idempotency-Key like create does: %s', async (key) => {
      const client = world.client();
      const quoted = `"${key.replace(/["\\]/g, String.raw`\$&`)}"`;
      const created = await client.create(minimal, { 'Idempotency-Key': key });
      const createdAgain = await client.create(minimal, { 'Idempotency-Key': quoted });
      expect([created.status, createdAgain.status]).toEqual([201, 201]);
      expect(createdAgain.json()).toEqual(created.json());
      const id = await started(client);
      const appended = await append(client, id, { entries: [hello] }, { 'Idempotency-Key': key });
      const again = await append(client, id, { entries: [hello] }, { 'Idempotency-Key': quoted });
      expect([appended.status, again.status]).toEqual([200, 200]);
      expect([createdAgain, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
        'true',
        'true',
      ]);
      expect(await historyOf(client, id)).toEqual([hello]);
    });

    test('checks bodies like create does', async () => {
      const client = world.client();
      const id = await started(client);
      const post = (headers: Record<string, string>, body: string) =>
        client.send(`/append-history/${id}`, { method: 'POST', headers, body });
      const refused = (reply: Reply, status: number, code: string) =>
        world.parsesBodies ? expect(reply.status).toBe(status) : expectProblem(reply, status, code);
      const large = JSON.stringify({ entries: [hello], more: 'x'.repeat(BODY_BYTES) });
      refused(
        await post({ 'Content-Type': 'text/plain' }, JSON.stringify({ entries: [hello] })),
        415,
        'unsupported_media_type',
      );
      refused(await post(json, large), 413, 'body_too_large');
      for (const body of ['{', '[]', 'null', ''])
        refused(await post(json, body), 400, 'invalid_input');
      expect(await historyOf(client, id)).toEqual([]);
    });

    test('accepts the entries of a history unchanged, with their positions', async () => {
      const client = world.client();
      const { id } = await client.created();
      const other = await client.created();
      for (const each of [id, other.id]) await client.sessions.start(each);
      await append(client, id, { entries: [{ ...hello, id: 'm-1', data: { tokens: 3 } }] });
      const { entries } = (await client.sessions.history(id))._unsafeUnwrap();
      expect((await append(client, other.id, { entries })).status).toBe(200);
      const copied = (await client.sessions.history(other.id))._unsafeUnwrap();
      expect(copied.entries).toEqual(entries);
      expectInvalid(
        await append(client, id, { entries: [{ ...hello, position: '1' }] }),
        'entries[0].position',
      );
    });
  });
};
