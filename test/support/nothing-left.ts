import { afterAll, expect, vi } from 'vitest';
import { waitingTimers } from './waiting-timers.js';

/**
 * How long what a file has just ended may take to go, in milliseconds. Less than any timer of ours
 * that may be left waits.
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

// The files of a worker share its timers, its memory and its ports: what one leaves, others meet.
afterAll(async () => {
  expect(vi.isFakeTimers(), 'the file leaves fake timers').toBe(false);
  const end = performance.now() + GOING_MS;
  while (left().length > 0 && performance.now() < end)
    await new Promise((resolve) => wait(resolve, 10));
  expect(left(), 'what the file has started and not ended').toEqual([]);
}, 2 * GOING_MS);
