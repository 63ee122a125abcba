import type { Mutant } from './mutant.js';

const states = ['test/session/claim-state.test.ts', 'test/session/lease-state.test.ts'];
const workers = ['test/service/worker.test.ts', 'test/service/worker-ends.test.ts'];
const hostile = ['test/service/hostile-workers.test.ts'];
const simulation = ['test/simulation/workers.test.ts'];
const http = ['test/adapters/node.test.ts'];
const worker = 'src/service/worker.ts';
const claimState = 'src/session/claim-state.ts';
const leaseState = 'src/session/lease-state.ts';

export const workMutants: readonly Mutant[] = [
  {
    bug: 'work that is done takes a newer wake away',
    file: leaseState,
    from: 'if (isDone) return ok(withoutAttempts(released));',
    to: 'if (isDone) return ok(withoutAttempts({ ...released, wakeAt: undefined }));',
    tests: simulation,
  },
  {
    bug: 'a worker that crashes has made no attempt',
    file: claimState,
    from: 'const attempt = attempts + 1;',
    to: 'const attempt = state.lease?.maxAttempts === undefined ? attempts + 1 : attempts;',
    tests: simulation,
  },
  {
    bug: 'work that has failed waits for no other attempt',
    file: leaseState,
    from: 'if (attempts < maxAttempts) return { ...state, retryAt };',
    to: 'if (attempts < maxAttempts) return state;',
    tests: simulation,
  },
  {
    bug: 'a session whose work has failed for the last time has no label',
    file: leaseState,
    from: 'return exhausted(withoutAttempts(state));',
    to: 'return withoutAttempts(state);',
    tests: states,
  },
  {
    bug: 'a wake during the last attempt is lost with it',
    file: leaseState,
    from: 'if (wakeAt !== undefined) return withoutAttempts(state);',
    to: '',
    tests: states,
  },
  {
    bug: 'a lease that was cancelled is lost, and nobody is told why',
    file: leaseState,
    from: 'if (lease.cancelled !== undefined) return err(leaseEndedIn(state, fencingToken));',
    to: '',
    tests: ['test/service/cancel.test.ts', ...states],
  },
  {
    bug: 'a cancel leaves a wake',
    file: claimState,
    from: 'const { wakeAt, retryAt, attempts, lease, ...rest } = current;',
    to: 'const { wakeAt, retryAt, attempts, lease } = current; const { retryAt: _r, attempts: _a, lease: _l, ...rest } = current;',
    tests: states,
  },
  {
    bug: 'a cancel of nothing is a change',
    file: claimState,
    from: 'if (!isHeld && wakeAt === undefined && retryAt === undefined) return ok(current);',
    to: '',
    tests: states,
  },
  {
    bug: 'a claim leaves the label of exhausted work',
    file: claimState,
    from: 'leaseState(notExhausted(takenUp(waiting, now)), lease, now)',
    to: 'leaseState(takenUp(waiting, now), lease, now)',
    tests: states,
  },
  {
    bug: 'a claim gives sessions of other tenants',
    file: 'src/service/claim-sessions.ts',
    from: 'settings.store.claim({\n      tenant,',
    to: 'settings.store.claim({\n      tenant: undefined,',
    tests: ['test/service/claim.test.ts', 'test/client/work.test.ts', ...http],
  },
  {
    bug: 'a claim says that a session was taken that another caller has changed',
    file: 'src/service/claim-sessions.ts',
    from: "if (replaced.value.outcome !== 'replaced') return ok(undefined);",
    to: '',
    tests: ['test/service/claim-any.test.ts'],
  },
  {
    bug: 'a claim gives fewer sessions than wait, because some were passed over',
    file: 'src/service/claim-sessions.ts',
    from: 'if (cursor === undefined && !wasPassedOver) break;',
    to: 'if (cursor === undefined) break;',
    tests: ['test/service/claim-any.test.ts'],
  },
  {
    bug: 'a claim of many sessions answers with histories of any size together',
    file: 'src/service/claim-sessions.ts',
    from: 'policy.limits.pageBytes / limit',
    to: 'policy.limits.pageBytes',
    tests: ['test/service/claim-any.test.ts'],
  },
  {
    bug: 'claims of large histories that nobody reads fill the memory',
    file: 'src/http/answer-from-service.ts',
    from: 'if (output.isCounted) reservation.count(bytes);',
    to: 'if (output.isCounted) return ok(response);',
    tests: ['test/http/pending-answers.test.ts'],
  },
  {
    bug: 'a claim does not name the sessions that it cannot read',
    file: 'src/service/claim-sessions.ts',
    from: 'claims.unreadable.push(result.error.id);',
    to: '',
    tests: ['test/service/claim.test.ts'],
  },
  {
    bug: 'a worker says that its work is done though it has failed',
    file: worker,
    from: 'return err(cause);',
    to: 'return cause;',
    tests: workers,
  },
  {
    bug: 'a worker stops for ever at an error that cannot be read',
    file: worker,
    from: `  try {
    return (
      typeof error === 'object' && error !== null && Reflect.get(error, 'type') === 'cancelled'
    );
  } catch {
    // An error of \`run\` may be anything.
    return false;
  }`,
    to: `  return (
      typeof error === 'object' && error !== null && Reflect.get(error, 'type') === 'cancelled'
    );`,
    tests: hostile,
  },
  {
    bug: 'a worker takes more sessions than it has room for',
    file: worker,
    from: 'const limit = concurrency - this.#running.size;',
    to: 'const limit = concurrency;',
    tests: workers,
  },
  {
    bug: 'a worker with room left does not take the sessions that wait',
    file: worker,
    from: 'this.#running.delete(working);\n      this.#claimSoon();',
    to: 'this.#running.delete(working);',
    tests: workers,
  },
  {
    bug: 'a worker that is stopped leaves its work',
    file: worker,
    from: 'await Promise.all(this.#running);',
    to: '',
    tests: workers,
  },
  {
    bug: 'the end of work that was lost takes the ears of the later one',
    file: worker,
    from: 'this.#doubts.get(key) === check && this.#doubts.delete(key)',
    to: 'this.#doubts.delete(key)',
    tests: workers,
  },
  {
    bug: 'a worker doubts its lease because of its own claim, and renews it at once',
    file: worker,
    from: 'ends.has(type) && !this.#isOwn(event)',
    to: 'ends.has(type)',
    tests: workers,
  },
  {
    bug: 'a worker hears of no cancel before it renews',
    file: worker,
    from: "  'session.cancelled',\n",
    to: '',
    tests: workers,
  },
  {
    bug: 'a worker that could not release a session leaves it to its lease at once',
    file: worker,
    from: "if (released.isOk() || released.error.type !== 'store_unavailable') break;",
    to: 'break;',
    tests: workers,
  },
  {
    bug: 'a worker is named anew in each run of a seed',
    file: worker,
    from: 'parseWorkerOptions(options, settings.random)',
    to: 'parseWorkerOptions(options, Math.random)',
    tests: simulation,
  },
  {
    bug: 'a worker for all tenants hears of the wakes of one',
    file: 'src/events/work-feed.ts',
    from: 'scope: tenant === undefined ? undefined : { tenant, sessionId: undefined },',
    to: "scope: { tenant: 'default', sessionId: undefined },",
    tests: workers,
  },
  {
    bug: 'a worker never listens again to a log that has thrown',
    file: 'src/events/work-feed.ts',
    from: 'const added = await safely(() => feed.add(consumer));',
    to: 'const added = await feed.add(consumer);',
    tests: hostile,
  },
  {
    bug: 'a log that answers nonsense ends the process of its readers',
    file: 'src/events/feed.ts',
    from: 'const read = await safely(() => this.#read());',
    to: 'const read = await this.#read();',
    tests: hostile,
  },
  {
    bug: 'a result that has only a part of the methods of one stops the worker',
    file: 'src/session/with-lease.ts',
    from: 'return value.isErr() ? err(value.error) : ok(value.value);',
    to: 'return value;',
    tests: hostile,
  },
  {
    bug: 'the reason of a cancel does not cross HTTP',
    file: 'src/http/problem.ts',
    from: '{ reason: error.reason }',
    to: '{}',
    tests: http,
  },
  {
    bug: 'the document of the interface allows more attempts than the service',
    file: 'src/openapi/schemas-of.ts',
    from: 'maximum: rule.most ?? Number.MAX_SAFE_INTEGER',
    to: 'maximum: Number.MAX_SAFE_INTEGER',
    tests: http,
  },
  {
    bug: 'a release over HTTP is never done',
    file: 'src/operations/work-operations.ts',
    from: 'sessions.release(id, given(body))',
    to: 'sessions.release(id, { ...given(body), done: false })',
    tests: http,
  },
];
