import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { HostReady, HostReport } from '../../support/workers/hostile-host.js';
import { effort, record } from '../support/effort.js';
import { OUR_KEY } from './served.js';

const PROMISE = 'a body costs what it weighs';
const CLIENTS = effort(4, 24);
const BODY_BYTES = 200 * 1024;
const MIB = 1024 * 1024;
/**
 * What a process may grow by in addition to the bodies themselves, and a buffer may have twice the
 * room that it needs.
 */
const MAX_BYTES = 100 * MIB + 2 * CLIENTS * BODY_BYTES;

let worker: Worker;
beforeAll(async () => {
  worker = await bundleWorker('hostile-host');
});

let child: ChildProcess;
let sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  child.kill('SIGKILL');
});

const heard = async (): Promise<string> => String((await once(child, 'message'))[0]);

const reported = async (): Promise<HostReport> => {
  const report = heard();
  child.send('report');
  return JSON.parse(await report);
};

const head = (key: string): string =>
  [
    'POST /create-session HTTP/1.1',
    'Host: x',
    `X-API-KEY: ${key}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n');

const body = '{"face":"ada","profile":"tutor"}'.padEnd(BODY_BYTES, ' ');
const chunks = `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;

/**
 * Sends a body byte by byte, each in a chunk of its own, and waits for the status of the answer.
 */
const drip = (port: number, key: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined).on('close', () => resolve('closed'));
    socket.setEncoding('latin1').on('data', (text: string) => resolve(text.slice(9, 12)));
    socket.write(head(key) + chunks);
  });

const cases = [
  ['node:http', OUR_KEY],
  ['Fetch', OUR_KEY],
  ['node:http', 'wrong'],
] as const;

test.each(cases.slice(0, effort(1, 3)))(
  'bodies in one-byte chunks to %s with the key %s cost memory in proportion to their bytes',
  async (mount, key) => {
    child = fork(worker.file, [mount, OUR_KEY], { execArgv: ['--expose-gc'] });
    const { port }: HostReady = JSON.parse(await heard());
    const before = (await reported()).rss;
    const statuses = await Promise.all(Array.from({ length: CLIENTS }, () => drip(port, key)));
    expect(new Set(statuses)).toEqual(new Set([key === OUR_KEY ? '201' : '401']));
    const grown = (await reported()).peakRss - before;
    const who = key === OUR_KEY ? 'with a key' : 'without one';
    record({
      promise: PROMISE,
      figure: `${mount}: most MiB that ${CLIENTS} clients ${who} add with ${BODY_BYTES / 1024} KiB each, in chunks of a byte`,
      value: (grown / MIB).toFixed(0),
      bar: `under ${Math.round(MAX_BYTES / MIB)}`,
    });
    expect(grown).toBeLessThan(MAX_BYTES);
  },
);
