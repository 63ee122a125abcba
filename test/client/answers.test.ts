import type { ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { type ClientError, SessionClient } from '../../src/client/index.js';
import { type Answer, active, json, problem, scripted, unplugged } from './scripted.js';

const html: Answer = () =>
  new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } });

const stream = (pieces: Iterable<Uint8Array>, fails = false): ReadableStream<Uint8Array> => {
  const all = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull: (controller) => {
      const next = all.next();
      if (!next.done) controller.enqueue(next.value);
      else if (fails) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
};

/** The error of a command that is tried once. */
const errorOf = async (answer: Answer, options: Parameters<typeof scripted>[1] = {}) =>
  (await scripted([answer], { retries: 0, ...options }).client.start('s1'))._unsafeUnwrapErr();

describe('an error response to the client', () => {
  test.each([
    [400, 'invalid_input', { issues: [] }],
    [401, 'unauthenticated', {}],
    [404, 'not_found', { id: 's1' }],
    [404, 'route_not_found', {}],
    [405, 'method_not_allowed', {}],
    [409, 'invalid_transition', { command: 'start' }],
    [409, 'conflict', {}],
    [413, 'body_too_large', {}],
    [415, 'unsupported_media_type', {}],
    [500, 'corrupt_record', { id: 's1' }],
    [503, 'store_unavailable', { outcome: 'unknown' }],
    [503, 'authenticator_unavailable', {}],
    [500, 'misconfigured', {}],
  ])('becomes the error for status %i %s', async (status, code, more) => {
    expect(await errorOf(problem(status, code))).toMatchObject({
      type: code,
      message: expect.any(String),
      ...more,
    });
  });

  test.each<readonly [string, (client: SessionClient) => ResultAsync<unknown, ClientError>]>([
    ['extend', (client) => client.extend('s1', { timeLimit: 1 })],
    ['append', (client) => client.append('s1', [{ role: 'user', content: 'Hello' }])],
    ['lease', (client) => client.renew('s1', { fencingToken: 1, seconds: 1 })],
    ['wake', (client) => client.wake('s1')],
    ['cancel', (client) => client.cancel('s1')],
  ])('names the command %s that the status does not allow', async (command, call) => {
    const { client } = scripted([problem(409, 'invalid_transition')]);
    expect((await call(client))._unsafeUnwrapErr()).toMatchObject({ command });
  });

  test('becomes page_too_large for a page that is too large', async () => {
    const { client } = scripted([problem(422, 'page_too_large')]);
    expect((await client.list())._unsafeUnwrapErr()).toEqual({
      type: 'page_too_large',
      message: 'what page_too_large says',
    });
  });

  test("names invalid fields by the names of the caller's arguments", async () => {
    const errors = [
      { path: 'Idempotency-Key', message: 'a' },
      { path: 'session_id', message: 'b' },
      { path: 'other', message: 'c' },
    ];
    const refused = json(400, { code: 'invalid_input', detail: 'x', errors });
    expect(await errorOf(refused)).toEqual({
      type: 'invalid_input',
      message: 'operationId a; id b; other c',
      issues: [
        { path: 'operationId', message: 'a' },
        { path: 'id', message: 'b' },
        { path: 'other', message: 'c' },
      ],
    });
    const { client } = scripted([refused]);
    const created = await client.create({ face: 'ada', profile: 'tutor' });
    expect(created._unsafeUnwrapErr().message).toContain('idempotencyKey a');
  });

  test.each<readonly [string, Answer, object]>([
    ['a page of a proxy', html, { type: 'unreachable', reason: 'gateway' }],
    ['too many requests', json(429, {}), { type: 'unreachable', reason: 'gateway' }],
    [
      'a page with a status of its own',
      () => new Response('?', { status: 500 }),
      { type: 'unexpected_answer' },
    ],
    [
      'an error that this operation has not',
      problem(409, 'history_full'),
      { type: 'unexpected_answer', status: 409 },
    ],
    ['an unknown code', problem(418, 'teapot'), { type: 'unexpected_answer', status: 418 }],
    [
      'a redirect',
      () => Response.redirect('https://elsewhere.example/', 307),
      { type: 'unexpected_answer' },
    ],
    [
      'JSON that breaks off',
      () => new Response('{"id":"s1","sta'),
      { type: 'unexpected_answer', status: 200 },
    ],
    ['JSON of another kind', json(200, [1, 2]), { type: 'unexpected_answer' }],
    [
      'a state that has no reason',
      json(200, { id: 's1', status: 'TERMINATED', duration: 0, duration_ms: 0 }),
      { type: 'unexpected_answer' },
    ],
    [
      'a status of nobody',
      json(200, { id: 's1', status: 'GONE', duration: 0, duration_ms: 0 }),
      { type: 'unexpected_answer' },
    ],
    [
      'no UTF-8',
      () => new Response(new Uint8Array([0x22, 0xff, 0x22])),
      { type: 'unexpected_answer' },
    ],
    ['nothing', () => new Response(null, { status: 204 }), { type: 'unexpected_answer' }],
    [
      'no network',
      unplugged,
      { type: 'unreachable', reason: 'network', cause: expect.any(TypeError) },
    ],
    [
      'a connection that breaks off',
      () => new Response(stream([new TextEncoder().encode('{"id"')], true)),
      { type: 'unreachable', reason: 'network' },
    ],
    [
      'no answer',
      () => new Promise<Response>(() => undefined),
      { type: 'unreachable', reason: 'timeout' },
    ],
    [
      'a body without end',
      () => new Response(new ReadableStream()),
      { type: 'unreachable', reason: 'timeout' },
    ],
  ])('is also made of %s', async (_, answer, expected) => {
    expect(await errorOf(answer)).toMatchObject({ outcome: 'unknown', ...expected });
  });

  test('is read to its limit and no further', async () => {
    let pieces = 0;
    function* endless() {
      for (;;) {
        pieces += 1;
        yield new Uint8Array(64 * 1024).fill(32);
      }
    }
    expect(
      await errorOf(() => new Response(stream(endless())), { maxResponseBytes: 1_000_000 }),
    ).toMatchObject({
      type: 'unexpected_answer',
      message: 'the answer is larger than 1000000 bytes (status 200)',
    });
    expect(pieces).toBeLessThan(20);
    const told = new Response(stream(endless()), { headers: { 'Content-Length': '1073741824' } });
    pieces = 0;
    expect(await errorOf(() => told)).toMatchObject({ type: 'unexpected_answer' });
    expect(pieces).toBeLessThan(3);
  });

  test('may have up to 16 MiB unless the options set another limit', async () => {
    const announced: Answer = () =>
      new Response(stream([]), { headers: { 'Content-Length': String(2 ** 24 + 1) } });
    expect(await errorOf(announced)).toMatchObject({
      message: 'the answer is larger than 16777216 bytes (status 200)',
    });
    expect(await errorOf(announced, { maxResponseBytes: 2 ** 24 + 1 })).toMatchObject({
      message: 'the answer is not from this service (status 200)',
    });
  });

  test('is reported as not_applied for a read', async () => {
    const read = await scripted([html], { retries: 0 }).client.get('s1');
    expect(read._unsafeUnwrapErr()).toMatchObject({ type: 'unreachable', outcome: 'not_applied' });
    const listed = await scripted([json(200, [])], { retries: 0 }).client.list();
    expect(listed._unsafeUnwrapErr()).toMatchObject({
      type: 'unexpected_answer',
      outcome: 'not_applied',
    });
  });
});

test('a response is read whatever it contains and however it is split', async () => {
  const content = `${'[{"\\\\'.repeat(20_000)}é😀`;
  const entry = { role: 'user', content, timestamp: 't' };
  const options = { face: 'ada', profile: 'tutor', context: '', behavior: '', time_limit: 0 };
  const session = {
    id: 's1',
    status: 'ACTIVE',
    options,
    history: [entry],
    created_at: 't',
    duration: 0,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(session));
  const inBytes: Answer = () =>
    new Response(stream(Array.from(bytes, (byte) => new Uint8Array([byte]))));
  const read = (await scripted([inBytes]).client.get('s1'))._unsafeUnwrap();
  expect(read.history).toEqual([entry]);
});

describe("the client's API key", () => {
  test('is requested from its function before every attempt', async () => {
    let asked = 0;
    const apiKey = async () => {
      asked += 1;
      return `key-${asked}`;
    };
    const { client, sent } = scripted([unplugged, active], { apiKey });
    await client.start('s1');
    expect(sent.map(({ headers }) => headers.get('X-API-KEY'))).toEqual(['key-1', 'key-2']);
  });

  test.each<readonly [string, () => string | Promise<string>]>([
    ['throws', () => Promise.reject(new Error('locked'))],
    ['gives what no header carries', () => 'a\nb'],
    ['hangs', () => new Promise(() => undefined)],
  ])('is an error without a request if its function %s', async (_, apiKey) => {
    const { client, sent } = scripted([active], { apiKey });
    const error = (await client.start('s1'))._unsafeUnwrapErr();
    expect(error).toMatchObject({ type: 'key_unavailable', outcome: 'not_applied' });
    expect(sent).toEqual([]);
  });

  test('leaves the first outcome unknown if its function fails at the second attempt', async () => {
    let asked = 0;
    const apiKey = async () => {
      asked += 1;
      if (asked === 2) throw new Error('locked');
      return 'key';
    };
    const { client } = scripted([unplugged, active], { apiKey });
    expect((await client.start('s1'))._unsafeUnwrapErr()).toMatchObject({
      type: 'key_unavailable',
      outcome: 'unknown',
    });
  });

  test('is never sent along with a redirect', async () => {
    const { client, sent } = scripted([active]);
    await client.start('s1');
    expect(sent[0]?.init.redirect).toBe('manual');
  });

  test('is omitted if none is configured', async () => {
    const sent: Headers[] = [];
    const fetch = async (_: string, init: RequestInit) => {
      sent.push(new Headers(init.headers));
      return new Response('{}');
    };
    await new SessionClient({ baseUrl: '/api', fetch, headers: { 'X-Trace': 't' } }).get('s1');
    expect([sent[0]?.has('X-API-KEY'), sent[0]?.get('X-Trace')]).toEqual([false, 't']);
  });
});

describe('a client request', () => {
  test('encodes ids, and never reaches another path', async () => {
    const { client, sent } = scripted([active]);
    await client.start('a/b?c#d');
    expect(sent[0]?.url).toBe('https://sessions.example/api/start-session/a%2Fb%3Fc%23d');
    for (const id of ['.', '..', '', '\ud800', 'x'.repeat(257)]) {
      expect((await client.start(id))._unsafeUnwrapErr().type).toBe('invalid_input');
      expect(
        (await client.watch(id)[Symbol.asyncIterator]().next()).value?._unsafeUnwrapErr().type,
      ).toBe('invalid_input');
    }
    expect(sent).toHaveLength(1);
  });
});
