import { describe, expect, test } from 'vitest';
import { RawConnection } from '../raw.js';
import { type Client, keyOf, minimal, type World } from '../world.js';

const CREATE = 'POST /create-session';

const text = JSON.stringify(minimal);

/**
 * More than the limit, the patience and the buffers of both ends together, and far less than is
 * sent.
 */
const PLENTY = 24 * 1024 * 1024;

export const connectionCases = (world: World): void => {
  const head = (
    client: Client,
    headers: Readonly<Record<string, string | number>>,
    line = CREATE,
  ): string => {
    const [method, path] = line.split(' ');
    const key = {
      Host: 'x',
      'X-API-KEY': keyOf(client.tenant),
      'Content-Type': 'application/json',
    };
    const lines = Object.entries({ ...key, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return `${method} ${client.at(String(path))} HTTP/1.1\r\n${lines.join('')}\r\n`;
  };

  describe('a connection', () => {
    test('may send a body slowly, byte by byte', async () => {
      const connection = new RawConnection(world.origin);
      connection.write(head(world.client(), { 'Content-Length': text.length }));
      for (const byte of text) {
        connection.write(byte);
        await new Promise(setImmediate);
      }
      expect((await connection.answers())[0]).toContain(' 201 ');
      connection.destroy();
    });

    test('may ask with Expect: 100-continue before it sends the body', async () => {
      const connection = new RawConnection(world.origin);
      connection.write(
        head(world.client(), { 'Content-Length': text.length, Expect: '100-continue' }),
      );
      while (!connection.received.includes('100 Continue')) await new Promise(setImmediate);
      connection.write(text);
      expect((await connection.answers())[0]).toContain(' 201 ');
      connection.destroy();
    });

    test('receives the responses to pipelined requests in order', async () => {
      const client = world.client();
      const connection = new RawConnection(world.origin);
      const create = head(client, { 'Content-Length': text.length }) + text;
      connection.write(
        create + head(client, {}, 'GET /sessions') + head(client, {}, 'DELETE /sessions'),
      );
      const statuses = (await connection.answers(3)).map((answer) => answer.slice(0, 12));
      expect(statuses).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200', 'HTTP/1.1 405']);
      connection.destroy();
    });

    test('creates nothing and affects no other if it closes in the middle of a body', async () => {
      const client = world.client();
      const halves = [
        [{ 'Content-Length': text.length }, text.slice(0, 5)],
        [{ 'Transfer-Encoding': 'chunked' }, '5\r\n{"fac'],
      ] as const;
      for (const [headers, half] of halves) {
        const connection = new RawConnection(world.origin);
        connection.write(head(client, { ...headers, Expect: '100-continue' }));
        while (!connection.received.includes('100 Continue')) await new Promise(setImmediate);
        connection.write(half);
        await new Promise(setImmediate);
        connection.destroy();
        await connection.closed();
      }
      expect((await client.send('/sessions')).text).toBe('[]');
    });

    test('affects no other if it closes before the response', async () => {
      const client = world.client();
      const connection = new RawConnection(world.origin);
      connection.write(head(client, {}, 'GET /sessions').repeat(20));
      await new Promise(setImmediate);
      connection.destroy();
      expect((await client.send('/sessions')).status).toBe(200);
    });

    if (!world.parsesBodies) {
      test('is answered before the body is sent if it announces a body that is too large', async () => {
        const connection = new RawConnection(world.origin);
        connection.write(head(world.client(), { 'Content-Length': 1e12 }));
        expect((await connection.answers())[0]).toContain(' 413 ');
        connection.destroy();
      });
    }

    const endless = [
      ['one that is too large', CREATE, {}, ' 413 '],
      ['one of the wrong media type', CREATE, { 'Content-Type': 'text/plain' }, ' 415 '],
      ["a stranger's", CREATE, { 'X-API-KEY': 'wrong' }, ' 401 '],
      ["a GET's", 'GET /sessions', {}, ' 200 '],
    ] as const;
    if (world.ownsConnection && !world.parsesBodies) {
      test('is answered during an endless body, which is not read further', async () => {
        const pours = endless.map(async ([name, line, headers, status]) => {
          const connection = new RawConnection(world.origin);
          connection.write(
            head(world.client(), { 'Transfer-Encoding': 'chunked', ...headers }, line),
          );
          const taken = await connection.pour(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
          return [name, status, connection.received.includes(status), taken < PLENTY];
        });
        expect(await Promise.all(pours)).toEqual(
          endless.map(([name, , , status]) => [name, status, true, true]),
        );
      });
    }
  });
};
