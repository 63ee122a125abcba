import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createWorker } from '../../src/service/worker.js';
import { ada, okOf, openSessions } from '../support/sessions.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a worker claims a crashed worker's session within 1.5 seconds after its lease", async () => {
  const { sessions, clock } = openSessions({ store: new MemorySessionStore() });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      clock.pass(250);
      for (let turn = 0; turn < 5; turn += 1) await settled();
    }
  };
  await okOf(sessions.create({ ...ada, start: true, wake: true }));
  await okOf(sessions.claim({ holder: 'crashed', seconds: 10.5 }));
  await pass(250);
  const attempts: number[] = [];
  await using worker = createWorker(sessions, {
    run: ({ attempt }) => {
      attempts.push(attempt);
    },
  });
  worker.start();
  await pass(10_500);
  expect(attempts).toEqual([]);
  await pass(1500);
  expect(attempts).toEqual([2]);
});
