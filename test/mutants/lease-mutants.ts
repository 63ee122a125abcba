import type { Mutant } from './mutant.js';

const leaseTests = [
  'test/session/lease-state.test.ts',
  'test/service/leases.test.ts',
  'test/service/leases.properties.test.ts',
];
const claimTests = [
  'test/session/work-state.test.ts',
  'test/session/turn-state.test.ts',
  'test/service/claim.test.ts',
  'test/service/wake.test.ts',
];
const redis = ['test/stores/redis.contract.test.ts'];

/** A script of the Redis store. */
const script = (name: string): string => `adapters/redis/scripts/${name}.lua`;

export const leaseMutants: readonly Mutant[] = [
  {
    bug: 'a lease lasts a millisecond too long',
    file: 'src/session/lease-state.ts',
    from: 'now < lease.until ? lease',
    to: 'now <= lease.until ? lease',
    tests: leaseTests,
  },
  {
    bug: 'two holders have the same fencing token',
    file: 'src/session/lease-state.ts',
    from: 'last + 1 + Math.floor(random * TOKEN_SPREAD)',
    to: 'last || 1',
    tests: leaseTests,
  },
  {
    bug: 'a session can be taken from its holder',
    file: 'src/session/lease-state.ts',
    from: 'current.holder !== holder',
    to: 'false',
    tests: leaseTests,
  },
  {
    bug: 'two workers of one name share a fencing token',
    file: 'src/session/lease-state.ts',
    from: 'last + 1 + Math.floor(random * TOKEN_SPREAD)',
    to: '(current === undefined ? last + 1 : last)',
    tests: leaseTests,
  },
  {
    bug: 'a lease that is over can be renewed',
    file: 'src/session/lease-state.ts',
    from: 'if (currentLease(state, now) === undefined) return err(leaseEndedIn(state, fencingToken));',
    to: '',
    tests: leaseTests,
  },
  {
    bug: 'a lease can be released with any fencing token',
    file: 'src/session/lease-state.ts',
    from: `if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  if (lease.cancelled`,
    to: `if (lease === undefined) return err(leaseLost(fencingToken));
  if (lease.cancelled`,
    tests: leaseTests,
  },
  {
    bug: 'fencing tokens begin anew after a release',
    file: 'src/session/lease-state.ts',
    from: '{ ...lease, until: 0, releasedAt: now }',
    to: '{ ...lease, fencingToken: 0, until: 0, releasedAt: now }',
    tests: leaseTests,
  },
  {
    bug: 'a session that has ended can be leased',
    file: 'src/session/lease-state.ts',
    from: `if (status === 'TERMINATED') return err(invalidTransition(status, 'lease'));
  const current`,
    to: 'const current',
    tests: leaseTests,
  },
  {
    bug: 'a command of an earlier holder is carried out',
    file: 'src/service/apply-command.ts',
    from: 'fencingToken === undefined || isLeasedWith(current, fencingToken, now)',
    to: 'true',
    tests: leaseTests,
  },
  {
    bug: 'a change of the status ends the lease',
    file: 'src/session/change-status.ts',
    from: '      ...state,\n      ...target,',
    to: '      ...state,\n      work: { ...state.work, lease: undefined },\n      ...target,',
    tests: leaseTests,
  },
  {
    bug: 'the Redis store makes an append of an earlier holder',
    file: script('append'),
    from: 'fence + 0 == token + 0 and held',
    to: 'held',
    tests: redis,
  },
  {
    bug: 'the Redis store accepts an append at the end of its lease',
    file: script('append'),
    from: 'held + 0 < leased + 0',
    to: 'held + 0 <= leased + 0',
    tests: redis,
  },
  {
    bug: 'the Redis store appends wherever the history ends',
    file: script('append'),
    from: "if position ~= '-' and position + 0 ~= bytes then",
    to: 'if false then',
    tests: redis,
  },
  {
    bug: 'the Redis store takes other content for a repeated append',
    file: script('history'),
    from: "return earlier == digest and 'repeated ' .. upto or 'no operation'",
    to: "return 'repeated ' .. upto",
    tests: redis,
  },
  {
    bug: 'leases that were given after the same one have the same fencing token',
    file: 'src/session/lease-state.ts',
    from: 'Math.floor(random * TOKEN_SPREAD)',
    to: '0',
    tests: ['test/service/recreated-sessions.test.ts'],
  },
  {
    bug: 'the Redis store leaves a session that was handed out in its place when it changes',
    file: 'adapters/redis/index-entries.ts',
    from: 'before === NO_TIME && after === NO_TIME ?',
    to: 'before === after ?',
    tests: redis,
  },
  {
    bug: 'the Redis store hands out the same sessions again',
    file: script('take'),
    from: "for _, idKey in ipairs(part.taken) do call('ZADD', queue.set, upto, idKey) end",
    to: '',
    tests: redis,
  },
  {
    bug: 'the Redis store does not note that a tenant has sessions that wait',
    file: script('indexes'),
    from: 'if not first or at + 0 < first then',
    to: 'if false then',
    tests: redis,
  },
  {
    bug: 'the Redis store reads after it has begun whether it may note that a tenant waits',
    file: script('indexes'),
    from: '  local first, noted = timesOf(queue)\n  queue.isWrong = first ~= noted\n',
    to: '',
    tests: ['test/faults/refusals/commands.test.ts'],
  },
  {
    bug: 'a lease does not hold off claims',
    file: 'src/session/work-state.ts',
    from: 'return Math.max(lease.until, Math.min(dueAt, afterCrashAt(lease, attempts)));',
    to: 'return Math.min(dueAt, afterCrashAt(lease, attempts));',
    tests: claimTests,
  },
  {
    bug: 'a claim whose worker has crashed is forgotten',
    file: 'src/session/work-state.ts',
    from: 'Math.min(dueAt, afterCrashAt(lease, attempts))',
    to: 'dueAt',
    tests: claimTests,
  },
  {
    bug: 'work that is done waits for a worker again',
    file: 'src/session/lease-state.ts',
    from: 'if (done) return ok(withoutTurn(released, now));',
    to: '',
    tests: claimTests,
  },
  {
    bug: 'a claim takes a wake for a later time away',
    file: 'src/session/turn-state.ts',
    from: '...(!isWoken && wakeAt !== undefined && { wakeAt }),',
    to: '',
    tests: claimTests,
  },
  {
    bug: 'the later of two wakes counts',
    file: 'src/session/lease-state.ts',
    from: 'wakeAt <= at) return',
    to: 'wakeAt >= at) return',
    tests: claimTests,
  },
  {
    bug: 'a session that changes its status forgets that it waits for a worker',
    file: 'src/session/change-status.ts',
    from: '      ...state,\n      ...target,',
    to: '      ...state,\n      work: { ...state.work, wakeAt: undefined },\n      ...target,',
    tests: claimTests,
  },
  {
    bug: 'a session that changes its status forgets an attempt that has failed',
    file: 'src/session/change-status.ts',
    from: '      ...state,\n      ...target,',
    to: '      ...state,\n      work: { ...state.work, retryAt: undefined },\n      ...target,',
    tests: ['test/service/work.properties.test.ts', ...claimTests],
  },
  {
    bug: 'withLease renews no lease',
    file: 'src/session/lease-renewal.ts',
    from: '      this.#endsAt = begunAt + this.#lengthMs;\n',
    to: '',
    tests: ['test/service/with-lease.test.ts'],
  },
  {
    bug: 'withLease says that all went well though the lease was lost',
    file: 'src/session/with-lease.ts',
    from: 'return lost === undefined ? used : err(lost);',
    to: 'return used;',
    tests: ['test/service/with-lease.test.ts'],
  },
  {
    bug: 'the memory store ignores the fencing token',
    file: 'src/store/judge.ts',
    from: "if (fence !== undefined && !isLeasedWith(state, fence.token, fence.now)) return 'fence';",
    to: '',
    tests: ['test/stores/memory.contract.test.ts', 'test/service/leases.properties.test.ts'],
  },
];
