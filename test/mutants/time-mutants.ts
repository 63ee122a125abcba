import type { Mutant } from './mutant.js';

const memory = ['test/stores/memory.contract.test.ts'];

export const timeMutants: readonly Mutant[] = [
  {
    bug: 'a session is still ACTIVE in the millisecond of its deadline',
    file: 'src/session/time-limits.ts',
    from: "if (state.status === 'TERMINATED' || now < endsAt(state)) return state;",
    to: "if (state.status === 'TERMINATED' || now <= endsAt(state)) return state;",
    tests: ['test/session', ...memory],
  },
  {
    bug: 'the duration forgets what was spent before a pause',
    file: 'src/session/time-limits.ts',
    from: 'return state.activeMs + Math.max(0, until - state.since);',
    to: 'return Math.max(0, until - state.since);',
    tests: ['test/session'],
  },
  {
    bug: 'retention counts from the sweep and not from the end',
    file: 'src/session/time-limits.ts',
    from: 'deadline: since + terms.retentionMs };',
    to: 'deadline: now + terms.retentionMs };',
    tests: ['test/session', 'test/service'],
  },
  {
    bug: 'a state keeps every operation id for ever',
    file: 'src/session/remembered-operations.ts',
    from: '.slice(0, REMEMBERED_OPERATIONS)',
    to: '',
    tests: ['test/session', 'test/service'],
  },
  {
    bug: 'a duration is rounded up',
    file: 'src/session/session-at.ts',
    from: 'const duration = Math.floor(durationMs / 1000);',
    to: 'const duration = Math.ceil(durationMs / 1000);',
    tests: ['test/session', 'test/service'],
  },
  {
    bug: 'a session that waits too long counts as terminated by a caller',
    file: 'src/session/session-status.ts',
    from: "time_out: end('idle_timeout'),\n    use_up: end('budget'),\n  }),\n  ACTIVE",
    to: "time_out: end('terminated'),\n    use_up: end('budget'),\n  }),\n  ACTIVE",
    tests: ['test/service'],
  },
  {
    bug: 'a paused session takes no history',
    file: 'src/session/session-status.ts',
    from: 'PAUSED: true,',
    to: 'PAUSED: false,',
    tests: ['test/session/session-status.test.ts', 'test/session'],
  },
  {
    bug: 'a second terminate fails',
    file: 'src/session/session-status.ts',
    from: 'TERMINATED: row({ terminate: unchanged }),',
    to: 'TERMINATED: row({}),',
    tests: ['test/session/session-status.test.ts'],
  },
  {
    bug: 'a fail after the end succeeds',
    file: 'src/session/session-status.ts',
    from: 'row({ terminate: unchanged })',
    to: 'row({ terminate: unchanged, fail: unchanged })',
    tests: ['test/session/session-status.test.ts'],
  },
  {
    bug: 'durations shrink when the clock is set back',
    file: 'src/session/clock.ts',
    from: 'at: Math.max(at, from.at), elapsed',
    to: 'at, elapsed',
    tests: ['test/session/clock.test.ts', 'test/service'],
  },
  {
    bug: 'two tenants share the session of an idempotency key',
    file: 'src/session/ids.ts',
    from: 'JSON.stringify([tenant, idempotencyKey])',
    to: 'tenant + idempotencyKey',
    tests: ['test/service'],
  },
];
