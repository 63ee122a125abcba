import { connect, type Socket } from 'node:net';
import { randomFrom } from '../../support/random.js';

/** What a hostile client knows of its server. */
export interface Target {
  readonly port: number;
  readonly key: string;
  /** Sessions to follow: one that goes on, and one that has ended. */
  readonly live: string;
  readonly ended: string;
}

type Random = () => number;

const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

const chunked = (body: string, size: number): string => {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
};

/** The end of a head, and the body after it: none, framed in every way, or never ending. */
const framing = (random: Random): string => {
  const body = '{"face":"ada","profile":"tutor"}'.padEnd(pick(random, [2, 32, 900, 70_000]), ' ');
  return pick<() => string>(random, [
    () => '\r\n',
    () => '\r\n',
    () => `Transfer-Encoding: chunked\r\n\r\n${chunked('{}', 2)}`,
    () => `Transfer-Encoding: chunked\r\n\r\n${chunked(body, pick(random, [1, 7, 1000]))}`,
    () => `Transfer-Encoding: chunked\r\n\r\n${chunked(body, 100).slice(0, -5)}`,
    () => `Content-Length: ${body.length}\r\n\r\n${body}`,
    () => `Content-Length: ${body.length * 2}\r\n\r\n${body}`,
    () => 'Content-Length: 900000\r\n\r\nx',
    () => 'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
  ])();
};

const requestOf = (random: Random, { key, live, ended }: Target): string => {
  const line = pick(random, [
    'GET /sessions',
    'GET /sessions',
    'GET /sessions',
    'HEAD /sessions',
    'POST /create-session',
    'POST /sessions',
    `GET /session/${ended}`,
    `GET /session/${live}/events`,
    `GET /session/${ended}/events`,
    `HEAD /session/${ended}/events`,
    'GET /late',
    'GET /steps',
    'GET http://x?/sessions',
    'OPTIONS *',
  ]);
  const version = pick(random, ['1.1', '1.1', '1.1', '1.1', '1.1', '1.0']);
  const headers = [
    pick(random, [`X-API-KEY: ${key}\r\n`, `X-API-KEY: ${key}\r\n`, 'X-API-KEY: wrong\r\n', '']),
    pick(random, ['Content-Type: application/json\r\n', '']),
    pick(random, ['', '', '', '', 'Connection: keep-alive\r\n', 'Connection: close\r\n']),
    pick(random, ['', '', '', '', '', 'Expect: 100-continue\r\n', 'Expect: no\r\n']),
  ];
  return `${line} HTTP/${version}\r\nHost: x\r\n${headers.join('')}${framing(random)}`;
};

/**
 * Requests one after the other: all the same, which is what races, or a mixture, or with garbage at
 * the end.
 */
const pipelineOf = (random: Random, target: Target): string => {
  const one = requestOf(random, target);
  const several = (): string =>
    Array.from({ length: 1 + below(random, 12) }, () => requestOf(random, target)).join('');
  return pick<() => string>(random, [
    () => one.repeat(1 + below(random, 6)),
    () => one.repeat(1 + below(random, 6)),
    several,
    several,
    () => `${several()}\0\xff GET`,
    () => `${one}GET /late HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1 + below(random, 20)),
  ])();
};

/** How a client leaves; all of them are gone in the end. */
const leave: Readonly<Record<'reset' | 'end' | 'close', (socket: Socket) => void>> = {
  reset: (socket) => socket.resetAndDestroy(),
  // No reset after it: Node may leave a socket open for ever that is reset while it says its
  // goodbye.
  end: (socket) => {
    socket.end();
    setTimeout(() => socket.destroy(), 5);
  },
  close: (socket) => socket.destroy(),
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Three requests of a stranger with a body in chunks, and a reset within ten milliseconds: 225
 * bytes.
 */
export const strangersTriple = async ({ port }: Target, at: number): Promise<void> => {
  const one = `GET /sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunked('{}', 2)}`;
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(one.repeat(3));
    setTimeout(() => socket.resetAndDestroy(), at % 10);
  });
  await new Promise<void>((resolve) =>
    socket.on('error', () => undefined).on('close', () => resolve()),
  );
};

/**
 * One connection: a pipeline in pieces, cut off at some byte or not, read or not, and left in some
 * way.
 */
export const hostileConnection = async (target: Target, seed: number): Promise<void> => {
  const random = randomFrom(seed);
  const whole = Buffer.from(pipelineOf(random, target), 'latin1');
  const bytes = random() < 0.5 ? whole : whole.subarray(0, below(random, whole.length + 1));
  const pieces = pick(random, [1, 1, 1, 2, 5]);
  const goAway = pick(random, [leave.reset, leave.reset, leave.reset, leave.end, leave.close]);
  const socket = connect(target.port, '127.0.0.1');
  const closed = new Promise<void>((resolve) =>
    socket.on('error', () => undefined).on('close', () => resolve()),
  );
  const isRead = random() < 0.7;
  if (isRead) socket.resume();
  else socket.pause();
  for (let piece = 0; piece < pieces; piece += 1) {
    const [from, to] = [piece, piece + 1].map((at) => Math.floor((bytes.length * at) / pieces));
    socket.write(bytes.subarray(from, to));
    if (piece < pieces - 1) await wait(below(random, 3));
  }
  await Promise.race([closed, wait(below(random, 12))]);
  goAway(socket);
  await closed;
};
