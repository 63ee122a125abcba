/**
 * How many operations and items of watches complete before the next turn is noted, and before one
 * is made to wait.
 */
const MARK_AFTER = 32;
const YIELD_AFTER = 2 * MARK_AFTER;

/** In Node, Bun and Deno. Timers take longer: browsers make nested ones wait for 4 ms. */
const immediate: unknown = /* @__PURE__ */ Reflect.get(globalThis, 'setImmediate');
const timeout = setTimeout;

/** Calls a function in a later turn of the event loop, even while a test has fake timers. */
export const inLaterTurn = (run: () => void): void => {
  if (typeof immediate === 'function') immediate(run);
  else timeout(run, 0);
};

/**
 * What has completed since the event loop last was known to get a turn, or since a caller was made
 * to wait for it.
 */
let completed = 0;

const restart = (): void => {
  completed = 0;
};

/**
 * To be called when an operation completes or a watch has an item. Where the store answers at once,
 * a program that does one after the other would never let timers and sockets have their turn. Then
 * one call in a few returns a promise of a turn, to be awaited; all others return undefined. It
 * counts and reads no time, so that a program under test does the same in each run. A caller shares
 * its promise with nobody, because requests in Workers must not wait for each other.
 */
export const yieldToEventLoop = (): Promise<void> | undefined => {
  completed += 1;
  if (completed === MARK_AFTER) inLaterTurn(restart);
  if (completed < YIELD_AFTER) return undefined;
  restart();
  return new Promise(inLaterTurn);
};
