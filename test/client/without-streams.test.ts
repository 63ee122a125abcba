import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type ClientError, SessionClient } from '../../src/client/index.js';
import { ada } from '../support/sessions.js';
import { type Answer, active, json, scripted } from './scripted.js';
import { serve } from './served.js';

/** A response as a platform without streams of the Fetch standard builds it. */
const withBody = async (response: Response, bodyOf: (text: string) => unknown) => {
  const { ok, status, headers } = response;
  const text = await response.text();
  return { ok, status, headers, body: bodyOf(text), text: async () => text } as unknown as Response;
};

const platforms = [
  ['React Native', () => undefined],
  ['node-fetch 2', (text: string) => Readable.from([Buffer.from(text)])],
] as const;

describe.each(platforms)('the client on %s, whose responses have no stream', (_, bodyOf) => {
  const fetching = async (url: string, init: RequestInit) =>
    withBody(await fetch(url, init), bodyOf);

  test('reads what it created, listed and changed, each with one request', async () => {
    const { clientOf } = await serve();
    let requests = 0;
    const client = clientOf({
      fetch: (url, init) => {
        requests += 1;
        return fetching(url, init);
      },
    });
    const { id } = await client.orThrow.create({ ...ada, start: true });
    await client.orThrow.append(id, [{ role: 'user', content: 'Grüß dich 😀' }]);
    const { sessions, total } = await client.orThrow.list();
    expect([sessions[0]?.history[0]?.content, total]).toEqual(['Grüß dich 😀', 1]);
    expect((await client.get('nobody'))._unsafeUnwrapErr().type).toBe('not_found');
    expect((await client.delete(id)).isOk()).toBe(true);
    expect(requests).toBe(5);
  });

  test('limits the size of a response', async () => {
    const { client } = scripted(
      [(sent) => withBody(json(200, 'é'.repeat(8))(sent) as Response, bodyOf)],
      {
        maxResponseBytes: 10,
      },
    );
    expect((await client.get('s1'))._unsafeUnwrapErr().message).toBe(
      'the answer is larger than 10 bytes (status 200)',
    );
  });

  test('reports that a watch needs a stream', async () => {
    const events = () =>
      withBody(
        new Response(': hello\n\n', { headers: { 'Content-Type': 'text/event-stream' } }),
        bodyOf,
      );
    const { client, sent } = scripted([events]);
    const items: ClientError[] = [];
    for await (const item of client.watch('s1')) items.push(item._unsafeUnwrapErr());
    expect(items).toEqual([
      {
        type: 'unexpected_answer',
        message:
          'the answer has no stream: a watch needs a `fetch` whose responses have a `body` stream (status 200)',
        status: 200,
        outcome: 'not_applied',
      },
    ]);
    expect(sent).toHaveLength(1);
  });
});

describe('a response that this platform cannot read', () => {
  const locked: Answer = () => {
    const response = new Response('{}', { status: 201 });
    response.body?.getReader();
    return response;
  };
  const failing: Answer = () => {
    const text = () => Promise.reject(new Error('no decoder'));
    return Object.assign(Object.create(null), {
      ok: true,
      status: 201,
      headers: new Headers(),
      text,
    });
  };
  const bare: Answer = () => Object.assign(Object.create(null), { ok: true, status: 201 });
  const refused: Answer = () => Object.assign(Object.create(null), { ok: false, status: 503 });

  test.each([
    ['has a locked stream', locked, 201],
    ['fails to decode its text', failing, 201],
    ['has no headers', bare, 201],
    ['has no headers, of an error', refused, 503],
  ])('is not requested again if it %s', async (_, answer, status) => {
    const { client, sent } = scripted([answer, active]);
    expect((await client.start('s1'))._unsafeUnwrapErr()).toMatchObject({
      type: 'unexpected_answer',
      message: `the answer cannot be read (status ${status})`,
      status,
      outcome: 'unknown',
      cause: expect.any(Error),
    });
    expect(sent).toHaveLength(1);
  });
});

describe('a platform whose URL lacks the additions since 2021', () => {
  const withUrl = <T>(replacement: unknown, run: () => T): T => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'URL') ?? {};
    Object.defineProperty(globalThis, 'URL', { ...own, value: replacement });
    try {
      return run();
    } finally {
      Object.defineProperty(globalThis, 'URL', own);
    }
  };
  const make = (baseUrl: string) => () => new SessionClient({ baseUrl });

  test('runs a client, and rejects an invalid URL with the cause', () => {
    class OldUrl {
      constructor(url: string) {
        if (url.includes('[')) throw new TypeError(`${url} is invalid`);
      }
    }
    withUrl(OldUrl, () => {
      expect(make('https://sessions.example:8080/api')).not.toThrow();
      expect(make('ftp://x')).toThrow('SessionClient: baseUrl must be an http or https URL');
      expect(make('http://[')).toThrow(
        expect.objectContaining({ cause: new TypeError('http://[ is invalid') }),
      );
    });
  });

  test('reports why no client can be created', () => {
    const broken = () => {
      throw new ReferenceError('URL is not implemented');
    };
    withUrl(broken, () =>
      expect(make('https://sessions.example')).toThrow(
        expect.objectContaining({ cause: expect.any(Error) }),
      ),
    );
  });
});
