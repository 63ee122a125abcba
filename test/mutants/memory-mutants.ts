import type { Mutant } from './mutant.js';

const memory = ['test/stores/memory.contract.test.ts'];

export const memoryMutants: readonly Mutant[] = [
  {
    bug: 'a caller who changes an entry that it read changes the history',
    file: 'adapters/memory/history-log.ts',
    from: '.slice(from, to).map(copyOf)',
    to: '.slice(from, to)',
    tests: memory,
  },
  {
    bug: 'a repeated append is added again',
    file: 'adapters/memory/history-log.ts',
    from: 'this.#operations.set(id, { digest, position });',
    to: '',
    tests: memory,
  },
  {
    bug: 'a state is replaced whatever its revision',
    file: 'src/store/judge.ts',
    from: "if (revision !== undefined && revision !== state.revision) return 'revision';",
    to: '',
    tests: memory,
  },
  {
    bug: 'a history may have one entry more than allowed',
    file: 'src/store/judge.ts',
    from: 'kept + entries.length + taken > guards.entries)',
    to: 'kept + entries.length + taken > guards.entries + 1)',
    tests: memory,
  },
  {
    bug: 'a list by status shows a session whose time is over as ACTIVE',
    file: 'adapters/memory/tenant-index.ts',
    from: 'session.listedAs = stateAt(session.state, this.#listedAt).status;',
    to: 'session.listedAs = session.state.status;',
    tests: memory,
  },
  {
    bug: 'events that were dropped are not told as lost',
    file: 'adapters/memory/memory-event-log.ts',
    from: 'isTrimmed: isAfter(this.#dropped, from)',
    to: 'isTrimmed: false',
    tests: ['test/events/memory-events.test.ts'],
  },
  {
    bug: 'a page of several statuses in memory begins at a session that is on the page before it',
    file: 'adapters/memory/ordered-index.ts',
    from: 'item) < 0) < count',
    to: 'item) < 0) <= count',
    tests: ['test/stores/memory.contract.test.ts'],
  },
];
