import { afterAll, expect, vi } from 'vitest';
import { waitingTimers } from './waiting-timers.js';

/**
 * Milliseconds that resources of a finished test file may take to close: less than any timer that
 * we may leave.
 */
const GOING_MS = 20_000;

const wait = setTimeout;

const runningNow = () =>
  ['TCPServerWrap', 'ProcessWrap'].flatMap((kind) => {
    const count = process.getActiveResourcesInfo().filter((name) => name === kind).length;
    return Array.from({ length: count }, (_, index) => `${kind} ${index + 1}`);
  });

const earlierTimers = waitingTimers();
const earlierRunning = runningNow();

const left = (): readonly string[] => [
  ...[...waitingTimers()]
    .filter(([timer]) => !earlierTimers.has(timer))
    .map(([, starter]) => `a timer, started ${starter}`),
  ...runningNow().filter((each) => !earlierRunning.includes(each)),
];

// Test files in a worker share its timers, memory and ports, so leftovers would affect the next
// file.
afterAll(async () => {
  expect(vi.isFakeTimers(), 'the file leaves fake timers').toBe(false);
  const end = performance.now() + GOING_MS;
  while (left().length > 0 && performance.now() < end)
    await new Promise((resolve) => wait(resolve, 10));
  expect(left(), 'what the file has started and not ended').toEqual([]);
}, 2 * GOING_MS);
