import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { SessionHandler } from '../../src/http/index.js';
import { listening } from '../http/serve.js';
import { mounts } from './mounts.js';

const CHUNK = new Uint8Array(64 * 1024);

/** More chunks than the buffers of both ends hold, and far fewer than there are. */
const PLENTY = 400;

/** Turns of the event loop in which nothing is asked for: the mount waits for its client. */
const STILL = 500;

/** A handler whose stream never ends, and how far it was read. */
const endless = () => {
  const seen = { asked: 0, isOver: false };
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      seen.asked += 1;
      return seen.isOver || seen.asked > 2 * PLENTY
        ? { done: true, value: undefined }
        : { done: false, value: CHUNK };
    },
    return: async () => {
      seen.isOver = true;
      return { done: true, value: undefined };
    },
  };
  const headers = { 'Content-Type': 'text/event-stream' };
  const handler: SessionHandler = async () => ({
    status: 200,
    headers,
    stream: { [Symbol.asyncIterator]: () => iterator },
  });
  return { seen, handler };
};

describe('a streamed response', () => {
  test.each(mounts)(
    'is produced no faster than its client reads, and stops when the client disconnects, by %s',
    async (_name, mount) => {
      const { seen, handler } = endless();
      const server = await listening(mount(handler));
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      socket.pause();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      while (seen.asked === 0) await new Promise(setImmediate);
      for (let [turns, asked] = [0, 0]; turns < STILL; turns += 1) {
        await new Promise(setImmediate);
        if (seen.asked !== asked) [turns, asked] = [0, seen.asked];
      }
      expect(seen.asked).toBeLessThan(PLENTY);
      socket.resetAndDestroy();
      while (!seen.isOver) await new Promise(setImmediate);
      await server.close();
    },
  );
});
