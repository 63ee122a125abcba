import type { Mutant } from './mutant.js';

export const eventMutants: readonly Mutant[] = [
  {
    bug: 'a watcher is not told of a redaction',
    file: 'src/events/session-reader.ts',
    from: 'found?.version !== version || historyVersion !== version',
    to: 'found === undefined',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher gets an entry twice',
    file: 'src/events/session-reader.ts',
    from: 'session, entries: added }',
    to: 'session, entries }',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher of a session that was put back goes on as if nothing had happened',
    file: 'src/events/session-reader.ts',
    from: 'record.sequence < cursor.sequence ||',
    to: '',
    tests: ['test/events'],
  },
  {
    bug: 'a watcher does not look for what no event tells',
    file: 'src/events/session-watch.ts',
    from: '|| now >= this.#lookAt ',
    to: '',
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
    bug: 'a watcher of a tenant continues after another change with the number of one that a restore has lost',
    file: 'src/events/watch-tenant.ts',
    from: ' && timeAt(event.position) === ms',
    to: '',
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
