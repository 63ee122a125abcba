import { expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  billing,
  openPaidChat,
  paidWorker,
  warnBeforeEnd,
} from '../../examples/turns/paid-chat.js';
import { SessionService } from '../../src/index.js';

const answer = { text: 'Because.', inputTokens: 300_000, outputTokens: 32_000 };

test('the paid chat warns at 80% of $1.50, stops with the answer that exceeds it, and is billed once', async () => {
  const store = new MemorySessionStore({ events: true, reportEnds: true });
  const sessions = new SessionService({ store });
  await openPaidChat(sessions, 'chat');
  const worker = paidWorker(sessions, async () => answer);
  worker.start();
  onTestFinished(() => worker.stop());
  let warn = (): void => undefined;
  const warned = new Promise<void>((resolve) => {
    warn = resolve;
  });
  const watched = warnBeforeEnd(sessions, 'chat', () => warn());
  const ask = async (id: string): Promise<string> => {
    await sessions.orThrow.send('chat', { id, content: 'Why?' });
    return (await sessions.orThrow.answer('chat', id)).content;
  };
  expect([await ask('m-1'), await ask('m-2')]).toEqual(['Because.', 'Because.']);
  await warned;
  expect(await ask('m-3')).toBe('Because.');
  await watched;
  expect(await sessions.orThrow.get('chat')).toMatchObject({
    endReason: 'budget',
    historyCount: 6,
  });
  const bills: number[] = [];
  const sweeper = billing(sessions, async (microUsd) => void bills.push(microUsd));
  for (let times = 0; times < 2; times += 1) await sweeper.sweepOnce();
  expect(bills).toEqual([2_085_000]);
});
