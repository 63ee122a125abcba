import { describe, expect, test } from 'vitest';
import { SessionClient } from '../../src/client/index.js';
import { ada } from '../support/sessions.js';
import { openProxy } from '../support/tcp-proxy.js';
import { type Answer, active, json, problem, scripted, unplugged } from './scripted.js';
import { KEY, serve } from './served.js';

const never: Answer = () => new Promise<Response>(() => undefined);

describe('a client call with a transient failure', () => {
  test.each<readonly [string, Answer]>([
    ['no network', unplugged],
    ['429', json(429, {})],
    ['502', () => new Response('<html>', { status: 502 })],
    ['504', json(504, {})],
    ['store_unavailable', problem(503, 'store_unavailable')],
    ['authenticator_unavailable', problem(503, 'authenticator_unavailable')],
    ['conflict', problem(409, 'conflict')],
    ['no answer in time', never],
  ])('is retried after %s', async (_, answer) => {
    const { client, sent } = scripted([answer, answer, active]);
    expect((await client.start('s1')).isOk()).toBe(true);
    expect(sent).toHaveLength(3);
  });

  test.each<readonly [string, Answer]>([
    ['invalid_transition', problem(409, 'invalid_transition')],
    ['misconfigured', problem(500, 'misconfigured')],
    ['unauthenticated', problem(401, 'unauthenticated')],
    ['an answer of another kind', json(200, {})],
  ])('is not retried after %s', async (_, answer) => {
    const { client, sent } = scripted([answer, active]);
    expect((await client.start('s1')).isErr()).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test('repeats the same key, and uses a different key for each call', async () => {
    const { client, sent } = scripted([unplugged, unplugged, active]);
    const key = (index: number) => sent[index]?.headers.get('Idempotency-Key');
    await client.start('s1');
    await client.start('s1');
    await client.start('s1', { operationId: 'mine' });
    await client.append('s1', [], { operationId: 'mine-too' });
    await client.create({ ...ada, idempotencyKey: 'order 17' });
    expect(key(0)).toMatch(/^[\w-]{21}$/);
    expect([key(1), key(2)]).toEqual([key(0), key(0)]);
    expect(key(3)).not.toBe(key(0));
    expect([key(4), key(5), key(6)]).toEqual(['mine', 'mine-too', 'order 17']);
    await client.append('s1', [], { operationId: 'wamid.HBgL==' });
    await client.pause('s1', { operationId: String.raw`"a\b" ` });
    expect([key(7), key(8)]).toEqual(['wamid.HBgL==', String.raw`"\"a\\b\" "`]);
  });

  test('backs off, and gives up', async () => {
    const { client, sent, timing } = scripted([unplugged], { retries: 4 });
    expect((await client.get('s1'))._unsafeUnwrapErr().type).toBe('unreachable');
    expect(timing.waits).toEqual([100, 200, 400, 800]);
    expect(sent).toHaveLength(5);
  });

  test('waits as long as Retry-After says, in seconds or until a date', async () => {
    const at = new Date(Date.UTC(2026, 0, 31, 12, 0, 10)).toUTCString();
    const { client, timing } = scripted([
      problem(503, 'store_unavailable', { 'Retry-After': '2' }),
      json(429, {}, { 'Retry-After': at }),
      active,
    ]);
    expect((await client.start('s1')).isOk()).toBe(true);
    expect(timing.waits).toEqual([2100, 10_000 - 2100 + 200]);
  });

  test('does not wait beyond its timeout', async () => {
    const { client, sent, timing } = scripted([
      problem(503, 'store_unavailable', { 'Retry-After': '3600' }),
    ]);
    expect((await client.start('s1'))._unsafeUnwrapErr().type).toBe('store_unavailable');
    expect([sent.length, timing.waits]).toEqual([1, []]);
  });

  test('settles at its timeout, whatever hangs', async () => {
    const { client, sent, timing } = scripted([never], { retries: 100 });
    const began = timing.now();
    expect((await client.start('s1'))._unsafeUnwrapErr()).toMatchObject({
      type: 'unreachable',
      reason: 'timeout',
    });
    expect(timing.now() - began).toBeLessThanOrEqual(30_000);
    expect(sent).toHaveLength(3);
    const again = timing.now();
    await client.start('s1', { timeoutMs: 50 });
    expect(timing.now() - again).toBe(50);
    expect(sent.every(({ init }) => init.signal?.aborted)).toBe(true);
  });
});

describe('an aborted client call', () => {
  test('settles immediately, and reports its possible outcome', async () => {
    const abort = new AbortController();
    const { client, sent } = scripted([never], { timeoutMs: 2 ** 30, attemptTimeoutMs: 2 ** 30 });
    const started = client.start('s1', { signal: abort.signal });
    const read = client.get('s1', { signal: abort.signal });
    await Promise.resolve();
    await Promise.resolve();
    abort.abort();
    expect((await started)._unsafeUnwrapErr()).toMatchObject({
      type: 'aborted',
      outcome: 'unknown',
    });
    expect((await read)._unsafeUnwrapErr()).toMatchObject({
      type: 'aborted',
      outcome: 'not_applied',
    });
    const later = await client.start('s1', { signal: abort.signal });
    expect(later._unsafeUnwrapErr()).toMatchObject({ type: 'aborted', outcome: 'not_applied' });
    expect(sent.every(({ init }) => init.signal?.aborted)).toBe(true);
  });
});

describe('a client call whose response is lost', () => {
  test('takes effect exactly once', async () => {
    const { server, sessions } = await serve();
    const proxy = await openProxy(Number(new URL(server.origin).port));
    const client = new SessionClient({
      baseUrl: `http://127.0.0.1:${proxy.port}/api`,
      apiKey: KEY,
    });
    const losing = async <T>(path: string, operation: () => PromiseLike<T>): Promise<T> => {
      const [, answer] = await Promise.all([proxy.loseReply(path), operation()]);
      return answer;
    };
    const created = await losing('/create-session', () => client.create(ada));
    const { id } = created._unsafeUnwrap();
    expect((await sessions.list())._unsafeUnwrap().total).toBe(1);
    expect((await losing('/start-session', () => client.start(id)))._unsafeUnwrap().status).toBe(
      'ACTIVE',
    );
    const words = [{ role: 'user', content: 'once' }];
    const appended = await losing('/append-history', () => client.append(id, words));
    const session = (await sessions.get(id))._unsafeUnwrap();
    expect(session.history.map(({ content }) => content)).toEqual(['once']);
    const { position } = (await sessions.history(id))._unsafeUnwrap();
    // The client has sent it twice.
    expect(appended._unsafeUnwrap()).toEqual({ position, repeated: true });
    expect((await losing('/pause-session', () => client.pause(id)))._unsafeUnwrap().status).toBe(
      'PAUSED',
    );
    expect((await losing('/delete-session', () => client.delete(id))).isOk()).toBe(true);
    expect((await losing('/session/', () => client.get(id)))._unsafeUnwrapErr().type).toBe(
      'not_found',
    );
  });

  test('times out at a silent server, and a repeated call succeeds later', async () => {
    const { server, sessions } = await serve();
    const proxy = await openProxy(Number(new URL(server.origin).port));
    const baseUrl = `http://127.0.0.1:${proxy.port}/api`;
    const client = new SessionClient({ baseUrl, apiKey: KEY, attemptTimeoutMs: 200 });
    const { id } = (await client.create(ada))._unsafeUnwrap();
    proxy.silence();
    const silent = await client.start(id, { timeoutMs: 100 });
    expect(silent._unsafeUnwrapErr()).toMatchObject({ type: 'unreachable', outcome: 'unknown' });
    const started = client.start(id);
    proxy.speak();
    expect((await started).isOk()).toBe(true);
    expect((await sessions.get(id))._unsafeUnwrap().status).toBe('ACTIVE');
  });
});
