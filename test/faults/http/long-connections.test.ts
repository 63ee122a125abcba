import { afterEach, beforeEach, expect, test } from 'vitest';
import { RawConnection } from '../../http/raw.js';
import { effort } from '../support/effort.js';
import { OUR_KEY, type Served, serve } from './served.js';

const LIMIT = 256 * 1024;
const REQUESTS = effort(300, 5000);

let served: Served;
let connection: RawConnection;
beforeEach(async () => {
  served = await serve();
  connection = new RawConnection(served.origin);
});
afterEach(async () => {
  connection.destroy();
  await served.close();
});

const KEY = `Host: x\r\nX-API-KEY: ${OUR_KEY}\r\n`;
const HEAD = `POST /create-session HTTP/1.1\r\n${KEY}Content-Type: application/json\r\n`;

/** A create request's body of just so many bytes. */
const bodyOf = (bytes: number): string => '{"face":"ada","profile":"tutor"}'.padEnd(bytes, ' ');

const inChunks = (body: string, size: number): string => {
  const parts = [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`];
  for (let at = 0; at < body.length; at += size) {
    const part = body.slice(at, at + size);
    parts.push(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  return `${parts.join('')}0\r\n\r\n`;
};

const framings = {
  'with its length': (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`,
  'in one chunk': (body: string) => inChunks(body, body.length),
  'in chunks of a few bytes': (body: string) => inChunks(body, 9),
  'in chunks that meet the limit': (body: string) => inChunks(body, LIMIT / 4),
  'in chunks that cross it': (body: string) => inChunks(body, LIMIT / 4 + 1),
} as const;

test.each(Object.entries(framings))(
  'accepts a body at the limit and rejects a larger one, %s',
  async (_, framed) => {
    connection.write(framed(bodyOf(LIMIT)));
    expect((await connection.answers(1))[0]).toContain(' 201 ');
    connection.write(framed(bodyOf(LIMIT + 1)));
    expect((await connection.answers(2))[1]).toContain(' 413 ');
    expect((await served.ours.list())._unsafeUnwrap().total).toBe(1);
  },
);

test('answers many pipelined requests once each, in order', async () => {
  const paths: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const { id } = (
      await served.ours.create({ face: `face-${count}`, profile: 'tutor' })
    )._unsafeUnwrap();
    paths.push(`/session/${id}`, `/session/none-${count}`, '/sessions?limit=1', '/elsewhere');
  }
  const asked = Array.from({ length: REQUESTS }, (_, at) => paths[(at * 7) % paths.length] ?? '');
  connection.write(asked.map((path) => `GET ${path} HTTP/1.1\r\n${KEY}\r\n`).join(''));
  const answers = await connection.answers(REQUESTS);
  expect(answers).toHaveLength(REQUESTS);
  for (const [at, answer] of answers.entries()) {
    const path = asked[at] ?? '';
    const id = path.slice('/session/'.length);
    if (path.startsWith('/sessions')) expect(answer).toContain('X-Total-Count: 20');
    else if (path === '/elsewhere') expect(answer).toContain('route_not_found');
    else if (id.startsWith('none')) expect(answer).toContain('"code":"not_found"');
    else expect(answer).toContain(`{"id":"${id}"`);
  }
});
