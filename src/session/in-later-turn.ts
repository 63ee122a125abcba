type InLaterTurn = (run: () => void) => void;

/**
 * The function of this name of a global object, unless a test runner has replaced it with a fake,
 * which runs nothing until the test advances the time.
 */
export const realFunction = (of: object, name: string): CallableFunction | undefined => {
  const found: unknown = Reflect.get(of, name);
  if (typeof found !== 'function' || found.name !== name) return undefined;
  // The fakes of @sinonjs/fake-timers, and so of Jest and Vitest, keep the name and add a clock.
  return 'clock' in found ? undefined : found;
};

/** In Node, Bun and Deno. Timers take longer: browsers make nested ones wait for 4 ms. */
const immediate = /* @__PURE__ */ realFunction(globalThis, 'setImmediate');
const timeout = /* @__PURE__ */ realFunction(globalThis, 'setTimeout');

/** Test runners fake no channels. */
const byMessage: InLaterTurn = (run) => {
  const { port1, port2 } = new MessageChannel();
  Reflect.set(port1, 'onmessage', () => {
    port1.close();
    run();
  });
  port2.postMessage(undefined);
};

/** Without channels (jsdom), other work gets no turn, but no call waits for ever. */
const byPromise: InLaterTurn = (run) => {
  Promise.resolve()
    .then(run)
    .catch(() => undefined);
};

const choose = (): InLaterTurn => {
  if (immediate !== undefined) return (run) => immediate(run);
  if (timeout !== undefined) return (run) => timeout(run, 0);
  return typeof MessageChannel === 'function' ? byMessage : byPromise;
};

/** Calls a function in a later turn of the event loop, even while a test has fake timers. */
export const inLaterTurn: InLaterTurn = /* @__PURE__ */ choose();
