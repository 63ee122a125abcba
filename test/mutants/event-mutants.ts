import type { Mutant } from './mutant.js';

export const eventMutants: readonly Mutant[] = [
  {
    bug: 'a watcher gets events of a session out of order',
    file: 'src/events/event-order.ts',
    from: 'if (sequence > known.sequence + 1) {',
    to: 'if (sequence > known.sequence + 1_000_000) {',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher gets an event twice',
    file: 'src/events/event-order.ts',
    from: 'if (sequence >= known.first) return;',
    to: 'if (sequence > known.first + 1_000_000) return;',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher that is behind loses the events that its inbox has no room for',
    file: 'src/events/inbox.ts',
    from: 'this.#stoppedAt = this.#last;',
    to: '',
    tests: ['test/events'],
  },
  {
    bug: 'a listener that fails counts as told',
    file: 'src/service/sweep-sessions.ts',
    from: 'if (failed !== undefined) return { isDone: true, failed };',
    to: '',
    tests: ['test/service'],
  },
  {
    bug: 'two sweepers tell the same end',
    file: 'src/service/sweep-sessions.ts',
    from: 'if (!claimed.isDone) return claimed;',
    to: '',
    tests: ['test/service', 'test/adapters/redis/sweeps.test.ts'],
  },
];
