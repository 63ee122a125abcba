import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { LAST_WORDS_MS } from '../../src/session/turn-state.js';
import { isExhausted, wakeAtOf } from '../../src/session/work-state.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { ada, okOf, openSessions } from '../support/sessions.js';

const NEVER = Number.POSITIVE_INFINITY;
const ATTEMPTS = 3;
const worker = { holder: 'worker', seconds: 10, attempts: ATTEMPTS };
const hello = [{ role: 'user', content: 'hello' }];

const ms = fc.constantFrom(1, 500, 2000, 9999, 10_000, 60_000);
const command = fc.constantFrom(
  ...(['start', 'pause', 'resume', 'extend', 'update', 'append', 'get'] as const),
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: command }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom('claim' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('pass' as const), ms }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('release' as const), done: fc.boolean() }),
  },
  fc.record({ does: fc.constant('renew' as const) }),
  fc.record({ does: fc.constant('wake' as const), ms: fc.oneof(fc.constant(0), ms) }),
  fc.record({ does: fc.constant('send' as const) }),
  fc.record({ does: fc.constant('cancel' as const) }),
  fc.record({ does: fc.constant('rewind' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The simplest model of the work on a session. */
class Model {
  wakeAt = NEVER;
  /** Number of claims since the work was last done or given up. */
  attempts = 0;
  /** Messages that no claim has taken. */
  inbox = 0;
  isExhausted = false;

  wake(at: number): void {
    this.wakeAt = Math.min(this.wakeAt, at);
  }

  /** A claim that was not released in time has failed. */
  fail(now: number): void {
    if (this.attempts < ATTEMPTS) return;
    this.isExhausted = this.wakeAt > now && this.inbox === 0;
    this.attempts = 0;
  }

  claim(now: number): void {
    this.attempts += 1;
    this.inbox = 0;
    this.isExhausted = false;
    if (this.wakeAt <= now) this.wakeAt = NEVER;
  }
}

const open = async () => {
  const store = new MemorySessionStore();
  const { sessions, clock } = openSessions({ store });
  const { id } = await okOf(sessions.create({ ...ada, wake: true, timeLimit: 86_400 }));
  const model = new Model();
  model.wake(clock.now());
  let fencingToken = 0;
  let until = 0;
  /** Whether the claim is cancelled, but its worker may still write its last entries. */
  let isCancelled = false;
  const state = () => {
    const found = store.findState({ tenant: 'default', id })._unsafeUnwrap();
    if (found === undefined) throw new Error('the session is missing');
    return found;
  };

  const claim = async () => {
    const now = clock.now();
    // Until the delay after a crash is over, the late worker may still finish.
    if (now >= until && wakeAtOf(state()) > now) {
      expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
      return;
    }
    if (until > 0 && now >= until && !isCancelled) model.fail(now);
    if (now >= until) until = 0;
    const [claimed] = (await okOf(sessions.claim(worker))).claimed;
    if (claimed === undefined) return;
    model.claim(now);
    expect(claimed.attempt).toBe(model.attempts);
    ({ fencingToken } = claimed.lease);
    until = now + 10_000;
    isCancelled = false;
  };
  const release = async (done: boolean) => {
    const isHeld = until > clock.now();
    const released = await sessions.release(id, { fencingToken, done });
    if (released.isErr() || until === 0 || !(done || isHeld)) return;
    until = 0;
    if (done || isCancelled) model.attempts = 0;
    else model.fail(clock.now());
  };
  const cancel = async () => {
    await okOf(sessions.cancel(id));
    [model.wakeAt, model.attempts] = [NEVER, 0];
    isCancelled = until > clock.now();
    until = isCancelled ? Math.min(until, clock.now() + LAST_WORDS_MS) : 0;
  };
  const renew = async () => {
    const renewed = await sessions.renew(id, { fencingToken, seconds: 10 });
    if (renewed.isOk()) until = clock.now() + 10_000;
  };
  const wake = async (at: number) => {
    await okOf(sessions.wake(id, { at: new Date(at) }));
    model.wake(at);
  };
  const send = async () => {
    const sent = await sessions.send(id, 'hello');
    if (sent.isOk()) model.inbox += 1;
  };
  const rewind = async () => {
    const { position: ifPosition } = await okOf(sessions.history(id, { last: 1 }));
    const rewound = await sessions.rewind(id, { to: 0, ifPosition });
    if (rewound.isOk()) [model.attempts, until] = [0, 0];
  };

  /** Commands that do not affect the work. Some statuses refuse some of them. */
  const commands = {
    start: () => sessions.start(id),
    pause: () => sessions.pause(id),
    resume: () => sessions.resume(id),
    extend: () => sessions.extend(id, { timeLimit: 90_000 }),
    update: () => sessions.update(id, { labels: { at: String(clock.now()) }, metadata: { a: 1 } }),
    append: () => sessions.append(id, hello),
    get: () => sessions.get(id),
  };
  const run = async (call: Step): Promise<void> => {
    switch (call.does) {
      case 'pass':
        return clock.pass(call.ms);
      case 'claim':
        return claim();
      case 'release':
        return release(call.done);
      case 'wake':
        return wake(clock.now() + call.ms);
      case 'send':
        return send();
      case 'rewind':
        return rewind();
      case 'cancel':
        return cancel();
      case 'renew':
        return renew();
      default: {
        const before = state().work;
        await commands[call.does]();
        expect([call.does, state().work]).toEqual([call.does, before]);
      }
    }
  };
  const isSpeaking = () => isCancelled && until > 0;
  return { run, model, state, clock, claim, isSpeaking };
};

const checkWork = ({ model, state, isSpeaking }: Awaited<ReturnType<typeof open>>): void => {
  const now = state();
  expect(now.work.wakeAt ?? NEVER).toBe(model.wakeAt);
  expect(now.work.inbox ?? 0).toBe(model.inbox);
  if (!isSpeaking()) expect(now.work.attempts ?? 0).toBe(model.attempts);
  expect(isExhausted(now)).toBe(model.isExhausted);
  const isWaiting = model.wakeAt < NEVER || model.attempts + model.inbox > 0;
  expect(wakeAtOf(now) < NEVER).toBe(isWaiting && now.status !== 'PAUSED');
};

test('no sequence of commands loses work, lowers its attempts, or exceeds its maximum of attempts', async () => {
  const steps = fc.array(step, { minLength: 20, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (calls) => {
      const bench = await open();
      for (const call of calls) {
        await bench.run(call);
        checkWork(bench);
      }
      await bench.run({ does: 'resume' });
      // Waiting work is claimed again after each crash, until its attempts are exhausted.
      for (let attempt = 0; attempt <= 2 * ATTEMPTS; attempt += 1) {
        bench.clock.pass(3_600_000);
        await bench.claim();
        checkWork(bench);
      }
      const { wakeAt, attempts, inbox } = bench.model;
      const isOver = wakeAt === NEVER && attempts + inbox === 0;
      expect(isOver).toBe(true);
    }),
    { numRuns: moreIfLong(100, 5000) },
  );
});
