import { afterEach, expect, test } from 'vitest';
import { RawConnection } from '../../http/raw.js';
import { effort, record } from '../support/effort.js';
import { exchange } from './exchange.js';
import { type ImpatientServer, serveImpatiently } from './impatient-server.js';
import { OUR_KEY } from './served.js';

const CLIENTS = effort(60, 600);
const DRIPS = effort(20, 100);
const FOR_EVER_MS = 60_000;
const PROMISE = 'any request over HTTP is answered, and tells no secret';

let server: ImpatientServer;
afterEach(() => server.close());

const head = (...lines: readonly string[]): string =>
  [
    'POST /create-session HTTP/1.1',
    'Host: x',
    `X-API-KEY: ${OUR_KEY}`,
    'Content-Type: application/json',
    ...lines,
    '',
  ].join('\r\n');

/** JSON that is whole long before the body is: half of it must not pass for all of it. */
const body = '{"face":"ada","profile":"tutor"}'.padEnd(100, ' ');
const whole = `${head(`Content-Length: ${body.length}`, 'Connection: close')}\r\n${body}`;

/** How a request begins that never ends, and what comes of it bit by bit. */
const unfinished = [
  { start: '', drip: '\r' },
  { start: 'POST /crea', drip: 't' },
  { start: `${head()}X-Slow: `, drip: 'x' },
  { start: `${head('Content-Length: 10000')}\r\n{"face":"`, drip: 'x' },
  { start: `${head('Transfer-Encoding: chunked')}\r\n`, drip: '1\r\n \r\n' },
  { start: `${head('Content-Length: 10000').replace(OUR_KEY, 'wrong')}\r\n`, drip: 'x' },
] as const;

const total = async () => (await server.ours.list({ limit: 1 }))._unsafeUnwrap().total;

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const { start, drip } = unfinished[at % unfinished.length] ?? unfinished[0];
    const connection = new RawConnection(server.origin);
    connection.write(start);
    return { connection, drip };
  });

test('clients that send single bytes delay no other client, and are disconnected in the end', async () => {
  server = await serveImpatiently(1000);
  const slow = many(CLIENTS);
  for (let turn = 0; turn < DRIPS; turn += 1) {
    for (const { connection, drip } of slow) connection.write(drip);
    const answer = await exchange(server.origin, Buffer.from(whole));
    expect(answer.status).toBe(201);
  }
  await Promise.all(slow.map(({ connection }) => connection.closed()));
  await server.empty();
  const statuses = new Set(slow.map(({ connection }) => connection.received.slice(9, 12)));
  expect([...statuses].filter((status) => !['', '400', '401', '408'].includes(status))).toEqual([]);
  expect(await total()).toBe(DRIPS);
  record({ promise: PROMISE, figure: 'slow clients cut off', value: CLIENTS });
});

test('clients that disconnect in the middle of a request create no session, and leave nothing open', async () => {
  server = await serveImpatiently(FOR_EVER_MS);
  const cuts = effort(
    [1, 40, whole.length - body.length, whole.length - 1],
    Array.from({ length: whole.length - 1 }, (_, at) => at + 1),
  );
  for (const cut of cuts) {
    const connection = new RawConnection(server.origin);
    connection.write(whole.slice(0, cut));
    // Answered by the same loop of events, after the half request.
    expect(
      (await exchange(server.origin, Buffer.from('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n')))
        .status,
    ).toBe(404);
    connection.destroy();
    await connection.closed();
  }
  await server.empty();
  expect(await total()).toBe(0);
  record({ promise: PROMISE, figure: 'clients that left', value: cuts.length });
});

test('clients that disconnect in the middle of a long response leave nothing open', async () => {
  server = await serveImpatiently(FOR_EVER_MS);
  const context = 'x'.repeat(60_000);
  for (let count = 0; count < 100; count += 1)
    await server.ours.create({ face: 'ada', profile: 'tutor', context });
  const list = `GET /sessions?limit=100 HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${OUR_KEY}\r\n\r\n`;
  for (let count = 0; count < effort(5, 40); count += 1) {
    const connection = new RawConnection(server.origin);
    connection.write(list.repeat(1 + (count % 4)));
    while (connection.received.length < count * 1000 + 1) await new Promise(setImmediate);
    connection.destroy();
    await connection.closed();
  }
  await server.empty();
  const last = new RawConnection(server.origin);
  last.write(list);
  const [answer = ''] = await last.answers(1);
  expect(answer.length).toBeGreaterThan(6_000_000);
  last.destroy();
});
