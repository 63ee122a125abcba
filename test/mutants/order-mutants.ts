import type { Mutant } from './mutant.js';

const withLease = 'src/session/with-lease.ts';
const leases = ['test/service/lease-times.test.ts'];

/** Bugs of a service in time and in the order of what it does. */
export const orderMutants: readonly Mutant[] = [
  {
    bug: 'withLease counts a renewed lease from the answer: the signal aborts late',
    file: withLease,
    from: 'this.#endsAt = begunAt + this.#lengthMs;\n',
    to: 'this.#endsAt = this.#clock.now() + this.#lengthMs;\n',
    tests: leases,
  },
  {
    bug: 'withLease counts a new lease from the answer: the signal aborts late',
    file: withLease,
    from: 'const begunAt = clock.now();\n  const taken = await operations.lease();',
    to: 'const taken = await operations.lease();\n  const begunAt = clock.now();',
    tests: leases,
  },
  {
    bug: 'withLease asks for another renewal while one is under way',
    file: withLease,
    from: 'this.#renewsAt = Number.POSITIVE_INFINITY;\n',
    to: '',
    tests: leases,
  },
  {
    bug: 'withLease has one timer more after each renewal',
    file: withLease,
    from: '#wait(): void {\n    this.#cancel();',
    to: '#wait(): void {',
    tests: leases,
  },
  {
    bug: 'withLease waits on if a renewal is answered after the end of the work',
    file: withLease,
    from: 'if (this.#isOver) return;\n',
    to: '',
    tests: leases,
  },
  {
    bug: 'withLease renews the lease that it is releasing',
    file: withLease,
    from: `renewal.stop();
  // A lease that cannot be released runs out by itself.
  const released = await operations.release(fencingToken);`,
    to: 'const released = await operations.release(fencingToken);\n  renewal.stop();',
    tests: leases,
  },
  {
    bug: 'the claim on an end counts from the sweep: the end is told twice if others take long',
    file: 'src/service/sweep-sessions.ts',
    from: 'settings.now().unwrapOr(now)',
    to: 'now',
    tests: ['test/service/sweep-telling.test.ts'],
  },
];
