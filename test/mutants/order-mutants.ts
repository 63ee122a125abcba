import type { Mutant } from './mutant.js';

const renewal = 'src/session/lease-renewal.ts';
const leases = ['test/service/lease-times.test.ts'];

/** Bugs of a service in time and in the order of what it does. */
export const orderMutants: readonly Mutant[] = [
  {
    bug: 'withLease counts a renewed lease from the answer: the signal aborts late',
    file: renewal,
    from: 'this.#endsAt = begunAt + this.#lengthMs;\n',
    to: 'this.#endsAt = this.#clock.now() + this.#lengthMs;\n',
    tests: leases,
  },
  {
    bug: 'withLease counts a new lease from the answer: the signal aborts late',
    file: 'src/session/with-lease.ts',
    from: 'const begunAt = clock.now();\n  const taken = await operations.lease();',
    to: 'const taken = await operations.lease();\n  const begunAt = clock.now();',
    tests: leases,
  },
  {
    bug: 'withLease asks for another renewal while one is under way',
    file: renewal,
    from: 'this.#renewsAt = Number.POSITIVE_INFINITY;\n',
    to: '',
    tests: leases,
  },
  {
    bug: 'withLease has one timer more after each renewal',
    file: renewal,
    from: '#wait(): void {\n    this.#cancel();',
    to: '#wait(): void {',
    tests: leases,
  },
  {
    bug: 'withLease waits on if a renewal is answered after the end of the work',
    file: renewal,
    from: 'if (this.#isOver) return;\n',
    to: '',
    tests: leases,
  },
  {
    bug: 'withLease renews the lease that it is releasing',
    file: 'src/session/with-lease.ts',
    from: `renewal.stop();
  stop?.();
  // A lease that cannot be released runs out by itself.
  const released = await operations.release(fencingToken, used.isOk());`,
    to: `const released = await operations.release(fencingToken, used.isOk());
  renewal.stop();
  stop?.();`,
    tests: leases,
  },
  {
    bug: 'the claim on an end counts from the sweep: the end is told twice if others take long',
    file: 'src/service/sweep-sessions.ts',
    from: 'settings.now().unwrapOr(now)',
    to: 'now',
    tests: ['test/service/sweep-reports.test.ts'],
  },
  {
    bug: 'a sweep leaves a timer behind for each end that it has told',
    file: 'src/service/report-end.ts',
    from: '} finally {\n    cancel();\n  }',
    to: '} finally {\n  }',
    tests: ['test/service/sweep-progress.test.ts'],
  },
  {
    bug: 'an end is not told again because one of an earlier session with its id was told',
    file: 'src/service/report-end.ts',
    from: 'if (report?.dueAt !== dueAt || report.removal !== removal) return state;\n',
    to: '',
    tests: ['test/service/reported-ends.test.ts'],
  },
  {
    bug: 'a sweeper that has stopped leaves its timer behind',
    file: 'src/service/sweeper.ts',
    from: 'loop = undefined;\n    cancel();',
    to: 'loop = undefined;',
    tests: ['test/service/sweep-progress.test.ts'],
  },
  {
    bug: 'a sweeper that stops does not wait for what it is doing',
    file: 'src/service/sweeper.ts',
    from: 'await sweeping;',
    to: '',
    tests: ['test/service/disposables.test.ts'],
  },
  {
    bug: 'a sweeper that was stopped during a sweep goes on',
    file: 'src/service/sweeper.ts',
    from: 'if (loop !== ours) return;\n',
    to: '',
    tests: ['test/service/disposables.test.ts'],
  },
  {
    bug: 'a sweeper with an odd interval does not cover its store in ten seconds',
    file: 'src/service/sweeper.ts',
    from: 'Math.ceil((STEPS',
    to: 'Math.floor((STEPS',
    tests: ['test/service/sweep-progress.test.ts'],
  },
  {
    bug: 'a sweeper with a long interval sweeps every minute',
    file: 'src/session/clock.ts',
    from: 'if (left > MAX_TIMER_MS) wait(left - MAX_TIMER_MS);\n      else done();',
    to: 'done();',
    tests: ['test/service/sweep-progress.test.ts'],
  },
  {
    bug: 'sweepOnce begins where the sweeper has come to, and leaves out what is before',
    file: 'src/service/sweeper.ts',
    from: 'settings, { ...whole }, ()',
    to: 'settings, { ...whole, cursor: course.cursor }, ()',
    tests: ['test/service/sweep-progress.test.ts'],
  },
  {
    bug: 'a sweep does nothing in the millisecond in which a session is due',
    file: 'src/service/sweep-sessions.ts',
    from: 'if (now < dueAtOf(state))',
    to: 'if (now <= dueAtOf(state))',
    tests: ['test/service/sweep.test.ts'],
  },
  {
    bug: 'a damaged session that is long overdue is tried again immediately',
    file: 'src/service/postpone-due.ts',
    from: 'moveDue(task, task.now + RETRY_AFTER_MS)',
    to: 'moveDue(task, task.dueAt + RETRY_AFTER_MS)',
    tests: ['test/service/sweep-progress.test.ts'],
  },
  {
    bug: 'a claimed session is leased from its wake on, for less than was asked if it has waited',
    file: 'src/service/claim-sessions.ts',
    from: 'claimState(record.state, claim, time.value)',
    to: 'claimState(record.state, claim, dueAt)',
    tests: ['test/service/slow-stores.test.ts'],
  },
  {
    bug: 'a session whose time is up while a command reads it is paused',
    file: 'src/service/update-state.ts',
    from: '  const found = known === undefined ? await store.findState(key) : ok(known);\n  if (found.isErr()) return err(found.error);\n  const time = now();',
    to: '  const time = now();\n  const found = known === undefined ? await store.findState(key) : ok(known);\n  if (found.isErr()) return err(found.error);',
    tests: ['test/service/slow-stores.test.ts'],
  },
  {
    bug: 'a claim leaves the wake of its own millisecond',
    file: 'src/session/turn-state.ts',
    from: 'wakeAt !== undefined && wakeAt <= now;',
    to: 'wakeAt !== undefined && wakeAt < now;',
    tests: ['test/session/turn-state.test.ts', 'test/service/wake.test.ts'],
  },
  {
    bug: 'an append in the millisecond of the end moves the end',
    file: 'src/store/judge.ts',
    from: 'acceptsHistory[state.status] && now < endsAt(state);',
    to: 'acceptsHistory[state.status] && now <= endsAt(state);',
    tests: ['test/stores/memory.contract.test.ts'],
  },
];
