import type { Mutant } from './mutant.js';

export const eventMutants: readonly Mutant[] = [
  {
    bug: 'a watcher is not told that events are missing before one',
    file: 'src/events/session-watch.ts',
    from: 'isNew && item.sequence > this.#sequence + 1;',
    to: 'false;',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher gets an event twice',
    file: 'src/events/session-watch.ts',
    from: '&& item.sequence > this.#sequence;',
    to: ';',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher of a tenant is not told that events are missing before one',
    file: 'src/events/last-changes.ts',
    from: "sequence === last.sequence + 1 ? 'next' : 'gap'",
    to: "sequence > last.sequence ? 'next' : 'gap'",
    tests: ['test/events'],
  },
  {
    bug: 'a watcher of a tenant gets an event once more after events_lost',
    file: 'src/events/last-changes.ts',
    from: ' || !isAfter(position, last.position)',
    to: '',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher of a tenant drops what comes after a restored copy',
    file: 'src/events/last-changes.ts',
    from: 'last.gaps === this.#gaps ||',
    to: 'true ||',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher that is behind loses the events that its queue has no room for',
    file: 'src/events/event-reader.ts',
    from: 'this.#continueInLog(event.position);',
    to: '',
    tests: ['test/events'],
  },
  {
    bug: 'an end counts as reported although onEnded has failed',
    file: 'src/service/report-end.ts',
    from: 'if (failed !== undefined) return { isDone: true, failed };',
    to: '',
    tests: ['test/service'],
  },
  {
    bug: 'two sweepers report the same end',
    file: 'src/service/sweep-sessions.ts',
    from: "if (replaced.value.outcome !== 'replaced') return unchanged;",
    to: '',
    tests: ['test/service', 'test/adapters/redis/sweeps.test.ts'],
  },
];
