import { describe, expect, test } from 'vitest';
import { SessionClient } from '../../src/client/index.js';
import { active, json, scripted, unplugged } from './scripted.js';

describe('the SessionClient constructor', () => {
  test('throws a TypeError that names all invalid options', () => {
    const broken = {
      baseUrl: 'ftp://x',
      apiKey: 'a b',
      fetch: 7,
      timeoutMs: 0,
      attemptTimeoutMs: '1',
      retries: -1,
      silenceMs: Number.NaN,
      maxResponseBytes: 0.5,
      headers: { 'a b': 'c' },
      timing: {},
    };
    const make = () => Reflect.construct(SessionClient, [broken]);
    expect(make).toThrow(TypeError);
    for (const name of Object.keys(broken)) expect(make).toThrow(`${name} must`);
    expect(() => Reflect.construct(SessionClient, [{ baseUrl: '/api', timeout: 1 }])).toThrow(
      'SessionClient: timeout is unknown (did you mean timeoutMs?)',
    );
  });

  test.each([undefined, null, 7, 'x', [], {}, { baseUrl: 'http://user:hunter2@127.0.0.1' }])(
    'throws a TypeError for %j',
    (options) => {
      expect(() => Reflect.construct(SessionClient, [options])).toThrow(TypeError);
    },
  );
});

describe('a client call', () => {
  test.each([
    undefined,
    null,
    7,
    'x',
    [],
    () => 1,
    Object.create(null),
    new Proxy({}, { get: () => Promise.reject(new Error('no')).catch(() => 1) }),
  ])('returns a Result for arguments of any kind: %#', async (junk) => {
    const { client } = scripted([unplugged]);
    for (const name of ['create', 'get', 'history', 'list', 'start', 'append', 'delete'] as const) {
      const result = await Reflect.apply(client[name], client, [junk, junk, junk]);
      expect(result.isErr()).toBe(true);
    }
    for await (const item of Reflect.apply(client.watch, client, [junk, junk]))
      expect(item.isErr()).toBe(true);
    for await (const item of Reflect.apply(client.each, client, [junk, junk]))
      expect(item.isErr()).toBe(true);
  });

  test('names all invalid arguments', async () => {
    const { client, sent } = scripted([active]);
    const started = await Reflect.apply(client.start, client, [
      7,
      { operationId: 'x'.repeat(257), signal: {}, timeoutMs: 0 },
    ]);
    const { issues } = started._unsafeUnwrapErr();
    expect(issues.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'id',
      'operationId',
      'signal',
      'timeoutMs',
    ]);
    expect(sent).toEqual([]);
  });

  test('accepts `warnBefore` in whole seconds only', async () => {
    const { client, sent } = scripted([active]);
    for (const warnBefore of [0, 0.5, 1.5, 86_401, '30', Number.NaN]) {
      const watched = Reflect.apply(client.watch, client, ['s1', { warnBefore }]);
      for await (const item of watched) {
        expect(item._unsafeUnwrapErr()).toMatchObject({
          type: 'invalid_input',
          issues: [{ path: 'warnBefore' }],
        });
      }
    }
    expect(sent).toEqual([]);
  });

  test('sends nothing after its timeout, even if the API key arrives then', async () => {
    let give = (_: string): void => undefined;
    const apiKey = () =>
      new Promise<string>((resolve) => {
        give = resolve;
      });
    const { client, sent } = scripted([active], { apiKey });
    expect((await client.start('s1'))._unsafeUnwrapErr()).toMatchObject({
      type: 'key_unavailable',
      outcome: 'not_applied',
      message: '`apiKey` took too long',
    });
    give('late');
    await new Promise(setImmediate);
    expect(sent).toEqual([]);
  });

  test('asks for strict handling, so that unknown names are rejected', async () => {
    const { client, sent } = scripted([active]);
    await client.extend('s1', { timeLimit: 5 });
    await client.list({ limit: 1 });
    await client.get('s1', { historyLimit: 1 });
    for (const { headers } of sent) expect(headers.get('prefer')).toBe('handling=strict');
    expect(sent).toHaveLength(3);
  });

  test('needs no CORS preflight for custom headers if it has no input', async () => {
    const { client, sent } = scripted([active]);
    await client.get('s1');
    await client.list();
    await client.start('s1');
    for (const { headers } of sent) expect(headers.has('prefer')).toBe(false);
    expect(sent).toHaveLength(3);
  });

  test.each([
    ['time_limit', 'time__limit'],
    ['_id', '__id'],
    ['timelimit', 'timelimit'],
    ['TimeLimit', '_time_limit'],
    ['a_B', 'a___b'],
  ])('sends the unknown name %s so that the service rejects it', async (name, sentAs) => {
    const message = 'is unknown (did you mean time_limit?)';
    const issues = [{ path: sentAs, message }];
    const refusal = json(400, { code: 'invalid_input', detail: '', errors: issues });
    const { client, sent } = scripted([refusal]);
    const extended = await Reflect.apply(client.extend, client, ['s1', { [name]: 5 }]);
    expect(sent[0]?.init.body).toBe(JSON.stringify({ [sentAs]: 5 }));
    expect(extended._unsafeUnwrapErr()).toMatchObject({
      issues: [{ path: name, message: 'is unknown (did you mean timeLimit?)' }],
    });
  });

  test('reads each field of its arguments once', async () => {
    const { client } = scripted([unplugged], { retries: 0 });
    const reads: string[] = [];
    const counted = (fields: object) =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          Object.entries(fields).map(([name, value]) => {
            const get = (): unknown => {
              reads.push(name);
              return value;
            };
            return [name, { enumerable: true, get }];
          }),
        ),
      );
    const input = { timeLimit: 5, color: 'red' };
    const options = { operationId: 'a', fencingToken: 1, timeoutMs: 5 };
    await Reflect.apply(client.extend, client, ['s1', counted(input), counted(options)]);
    expect(reads.toSorted()).toEqual(Object.keys({ ...input, ...options }).toSorted());
  });

  test("leaves no listener on its caller's signal", async () => {
    const listeners = new Set<unknown>();
    let added = 0;
    const signal = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => {
        added += 1;
        listeners.add(listener);
      },
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    };
    const { client } = scripted([unplugged, active]);
    expect((await client.start('s1', { signal })).isOk()).toBe(true);
    for await (const item of client.watch('s1', { signal })) expect(item.isErr()).toBe(true);
    expect([added, listeners.size]).toEqual([4, 0]);
  });
});
