import { expect, test } from 'vitest';
import { senderOf } from '../../../adapters/redis/clients.js';
import { Connection } from '../../../adapters/redis/connection.js';
import { asText } from '../../../adapters/redis/reply-form.js';
import { openClient } from '../../support/redis-clients.js';

const TIMEOUT_MS = 60;

/** Blocks the event loop. */
const block = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

test('a call that Redis refused before its timeout reports why it was refused', async () => {
  const sender = senderOf(openClient('ioredis 5', { port: 1, lazyConnect: true }));
  let attempts = 0;
  const send = async () => {
    attempts += 1;
    setImmediate(block, TIMEOUT_MS);
    throw new Error("READONLY You can't write against a read only replica.");
  };
  const connection = new Connection({ ...sender, send }, TIMEOUT_MS);
  const answer = await connection.begin().readCommand('get', ['key'], asText);
  expect(attempts).toBe(1);
  const { error } = answer._unsafeUnwrapErr();
  expect(error).toMatchObject({
    outcome: 'not_applied',
    message: expect.stringContaining('READONLY'),
  });
});
