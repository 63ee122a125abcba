import { describe, expect, test, vi } from 'vitest';
import { type NodeListener, nodeListener } from '../../adapters/node/index.js';
import { send } from '../http/client.js';
import { handlerWith } from '../http/handler-harness.js';
import { expectProblem } from '../http/problems.js';
import { RawConnection } from '../http/raw.js';
import { listening } from '../http/serve.js';

const headers = { 'X-API-KEY': 'key' };

const { handler } = handlerWith();

/** The status line and body of the response to this request target, sent unchanged. */
const answerTo = async (listener: NodeListener, target: string): Promise<string> => {
  const server = await listening(listener);
  const connection = new RawConnection(server.origin);
  connection.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-KEY: key\r\n\r\n`);
  const [answer = ''] = await connection.answers();
  connection.destroy();
  await server.close();
  const [head = '', body] = answer.split('\r\n\r\n');
  return `${head.split('\r\n')[0]} | ${body}`;
};

describe('nodeListener', () => {
  test('answers 404 in the common error format if no operation matches', async () => {
    const server = await listening(nodeListener(handler, { prefix: 'api/' }));
    for (const path of ['/', '/sessions', '/api', '/api/', '/apisessions', '/api/session']) {
      expectProblem(await send(server.origin, path, { headers }), 404, 'route_not_found');
    }
    expect((await send(server.origin, '/api/sessions', { headers })).text).toBe('[]');
    await server.close();
  });

  test('leaves unmatched requests to the host, inside and outside of its prefix', async () => {
    const fallback = vi.fn<NodeListener>((req, res) => res.end(`host ${req.url}`));
    const server = await listening(nodeListener(handler, { prefix: '/api', fallback }));
    expect((await send(server.origin, '/x?y')).text).toBe('host /x?y');
    expect((await send(server.origin, '/api/x')).text).toBe('host /api/x');
    expect((await send(server.origin, '/api/sessions', { headers })).text).toBe('[]');
    expect(fallback).toHaveBeenCalledTimes(2);
    await server.close();
  });

  test('accepts a target with scheme and host, as proxies send it', async () => {
    const listener = nodeListener(handler);
    expect(await answerTo(listener, 'http://example.com/sessions')).toBe('HTTP/1.1 200 OK | []');
    expect(await answerTo(listener, 'http://example.com')).toContain(' 404 ');
    expect(await answerTo(listener, '//sessions')).toContain(' 404 ');
    expect(await answerTo(listener, '*')).toContain(' 404 ');
  });

  test('rejects an empty or non-ASCII API key without a crash', async () => {
    const server = await listening(nodeListener(handler));
    const connection = new RawConnection(server.origin);
    connection.write(
      Buffer.from('GET /session/\xff HTTP/1.1\r\nHost: x\r\nX-API-KEY: \xff\xfe\r\n\r\n', 'latin1'),
    );
    expect((await connection.answers())[0]).toMatch(/^HTTP\/1\.1 (400|404) /);
    connection.destroy();
    await server.close();
  });
});
