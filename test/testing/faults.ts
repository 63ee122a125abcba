import { isDeepStrictEqual } from 'node:util';
import { ok } from 'neverthrow';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionHead, SessionRecord } from '../../src/session/session-record.js';
import type { StateChange, UseChange } from '../../src/store/commit.js';
import { distorting, type Fault, faulty, renaming, withEntries } from './faulty-store.js';
import { historyFaults } from './history-faults.js';
import { rangeFaults } from './range-faults.js';

const throughUtf8 = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text));

const withTimeLimit = (head: SessionHead, timeLimit: number): SessionHead => ({
  ...head,
  options: { ...head.options, timeLimit },
});

const withRevision = (commit: StateChange, revision: number): StateChange => ({
  ...commit,
  guards: { ...commit.guards, revision },
});

/** A change that asks whether the session is open some milliseconds later. */
const openAt = ({ guards, ...commit }: UseChange, laterMs: number): UseChange => {
  const { open } = guards;
  return { ...commit, guards: { ...guards, open: open === undefined ? open : open + laterMs } };
};

/** A change with another operation id. */
const named = ({ guards, ...commit }: UseChange, rename: (id: string) => string): UseChange => {
  const { operation } = guards;
  const renamed = operation && { ...operation, id: rename(operation.id) };
  return { ...commit, guards: { ...guards, operation: renamed } };
};

const insertionFaults: readonly Fault[] = [
  faulty('begin:', 'writes over a taken id', (inner) => ({
    begin: (commit) => {
      inner.remove({ key: commit.key, guards: {}, effects: { events: [] } });
      return inner.begin(commit);
    },
  })),
  faulty('guards:', 'makes up what is not there', (inner) => ({
    findState: (key) =>
      inner.findState(key).map((state) => state ?? inner.findState(key)._unsafeUnwrap()),
    find: (key) =>
      inner
        .find(key)
        .map((record) => record ?? inner.find({ ...key, tenant: 'acme' })._unsafeUnwrap()),
  })),
  distorting('begin:', 'rounds seconds', {
    head: (head) => withTimeLimit(head, Math.round(head.options.timeLimit)),
  }),
  distorting('begin:', 'keeps 15 digits', {
    head: (head) => withTimeLimit(head, Number(head.options.timeLimit.toPrecision(15))),
  }),
  distorting('put:', 'keeps times in single precision', {
    state: (state) => ({ ...state, since: Math.fround(state.since) }),
  }),
  distorting('put:', 'forgets the names of operations', {
    state: (state) => ({ ...state, operations: [] }),
  }),
  distorting('put:', 'turns the names of operations around', {
    state: (state) => ({ ...state, operations: state.operations.toReversed() }),
  }),
];

const pagingFaults: readonly Fault[] = [
  faulty('page:', 'lists the oldest first', (inner) => ({
    page: (tenant, page) =>
      inner.page(tenant, page).map((found) => ({ ...found, records: found.records.toReversed() })),
  })),
  faulty('page:', 'orders equal times by locale', (inner) => ({
    page: (tenant, { offset, limit }) =>
      inner.page(tenant, { offset: 0, limit: 10_000 }).map(({ records, ...page }) => ({
        ...page,
        records: records
          .toSorted(
            ({ head: a }, { head: b }) =>
              b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id, 'en'),
          )
          .slice(offset, offset + limit),
      })),
  })),
  faulty('page:', 'counts the page instead of all', (inner) => ({
    page: (tenant, page) =>
      inner.page(tenant, page).map((found) => ({ ...found, total: found.records.length })),
  })),
  faulty('page:', 'cuts offsets to 32 bits', (inner) => ({
    page: (tenant, { offset, limit }) => inner.page(tenant, { offset: offset | 0, limit }),
  })),
  faulty('page:', 'leaves the histories out', (inner) => ({
    page: (tenant, page) =>
      inner.page(tenant, page).map((found) => ({
        ...found,
        records: found.records.map((record): SessionRecord => ({ ...record, history: [] })),
      })),
  })),
];

const changeFaults: readonly Fault[] = [
  faulty('guards:', 'writes over a higher revision', (inner) => ({
    put: (commit) => {
      const { revision = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
      const isHigher = revision > commit.guards.revision;
      return inner.change(isHigher ? withRevision(commit, revision) : commit);
    },
  })),
  faulty('guards:', 'writes over a lower revision', (inner) => ({
    put: (commit) => {
      const { revision = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
      const isLower = revision < commit.guards.revision;
      return inner.change(isLower ? withRevision(commit, revision) : commit);
    },
  })),
  faulty('put:', 'takes an equal change for the same', (inner) => ({
    put: (commit) => {
      const { revision: _, ...stored } = {
        revision: 0,
        ...inner.findState(commit.key)._unsafeUnwrap(),
      };
      const { revision: __, ...next } = commit.effects.put.state;
      const isSame = isDeepStrictEqual(stored, next);
      return isSame ? ok({ outcome: 'made', position: 0 }) : inner.change(commit);
    },
  })),
  faulty('remains:', 'says that a revision is another where nothing is', (inner) => ({
    put: (commit) =>
      inner
        .change(commit)
        .map((answer) =>
          answer.outcome === 'refused' && answer.guard === 'present'
            ? { ...answer, guard: 'revision', state: commit.effects.put.previous }
            : answer,
        ),
  })),
  faulty('races:', 'reads, waits and writes', (inner) => ({
    put: async (commit) => {
      const { revision } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
      await Promise.resolve();
      const { revision: now = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
      const isStale = revision !== commit.guards.revision;
      return inner.change(isStale ? commit : withRevision(commit, now));
    },
  })),
];

const appendFaults: readonly Fault[] = [
  faulty('guards:', 'takes entries at the deadline', (inner) => ({
    use: (commit) => inner.change(openAt(commit, -1)),
  })),
  faulty('guards:', 'refuses entries a millisecond early', (inner) => ({
    use: (commit) => inner.change(openAt(commit, 1)),
  })),
  faulty('entries:', 'turns the entries of a call around', (inner) => ({
    use: (commit) => inner.change(withEntries(commit, (entries) => entries.toReversed())),
  })),
  faulty('entries:', 'adds equal entries once', (inner) => {
    const known = new Set<string>();
    return {
      use: (commit) =>
        inner.change(
          withEntries(commit, (entries) =>
            entries.filter(({ content }) => !known.has(content) && known.add(content)),
          ),
        ),
    };
  }),
  faulty('operation:', 'applies an operation twice', (inner) => ({
    use: ({ guards: { operation: _, ...guards }, ...commit }) =>
      inner.change({ ...commit, guards }),
  })),
  faulty('operation:', 'takes part of a name for the name', (inner) => ({
    use: (commit) => inner.change(named(commit, (id) => id.slice(0, 2))),
  })),
  faulty('operation:', 'answers a repeated change with where the history stands now', (inner) => ({
    use: (commit) =>
      inner.change(commit).map((answer) => {
        const { historyPosition = 0 } = inner.find(commit.key)._unsafeUnwrap() ?? {};
        return answer.outcome === 'repeated' ? { ...answer, position: historyPosition } : answer;
      }),
  })),
  faulty('operation:', 'looks at the status before it looks for the name', (inner) => ({
    use: (commit) => {
      const { operation: _, ...guards } = commit.guards;
      const probe = inner.change({ ...commit, guards: { ...guards, entries: -1 } });
      const answer = probe._unsafeUnwrap();
      const isClosed = answer.outcome === 'refused' && answer.guard === 'open';
      return isClosed ? probe : inner.change(commit);
    },
  })),
];

const placeFaults: readonly Fault[] = [
  faulty('remove:', 'removes whatever revision it finds', (inner) => ({
    remove: (commit) => inner.remove({ ...commit, guards: {} }),
  })),
  faulty('remove:', 'leaves a removed session in its list', (inner) => ({
    remove: ({ key }) =>
      inner
        .findState(key)
        .map((state) =>
          state === undefined ? { outcome: 'refused', guard: 'present' } : { outcome: 'made' },
        ),
  })),
  faulty('due:', 'waits a millisecond too long', (inner) => ({
    due: (now, limit) => inner.due(now - 1, limit),
  })),
  faulty('due:', 'gives the least overdue first', (inner) => ({
    due: (now, limit) =>
      inner.due(now, limit).map((due) => ({ ...due, sessions: due.sessions.toReversed() })),
  })),
  faulty('due:', 'gives more than was asked for', (inner) => ({
    due: (now) => inner.due(now, 10_000),
  })),
  renaming('names:', 'folds case', ({ tenant, id }) => ({ tenant: tenant.toLowerCase(), id })),
  renaming('names:', 'trims names', ({ tenant, id }) => ({ tenant: tenant.trim(), id })),
  renaming('names:', 'normalises names', ({ tenant, id }) => ({
    tenant: tenant.normalize('NFC'),
    id,
  })),
  renaming('names:', 'loses lone surrogates', ({ tenant, id }) => ({
    tenant: throughUtf8(tenant),
    id,
  })),
  renaming('names:', 'ends names at NUL', ({ tenant, id }) => ({
    tenant: tenant.split('\0')[0] ?? '',
    id,
  })),
  renaming('names:', 'decodes names', ({ tenant, id }) => ({
    tenant: tenant.replaceAll('%41', 'A'),
    id,
  })),
  renaming('tenants:', 'knows one tenant', ({ id }) => ({ tenant: 'all', id })),
];

const contentFaults: readonly Fault[] = [
  distorting('history:', 'loses lone surrogates in entries', {
    entry: (entry) => ({ ...entry, content: throughUtf8(entry.content) }),
  }),
  distorting('texts:', 'ends texts at NUL', {
    head: (head) => ({
      ...head,
      options: { ...head.options, context: head.options.context.split('\0')[0] ?? '' },
    }),
  }),
  distorting('history:', 'normalises line ends', {
    entry: (entry) => ({ ...entry, content: entry.content.replaceAll('\r\n', '\n') }),
  }),
  distorting('texts:', 'cuts long texts', {
    entry: (entry) => ({ ...entry, content: entry.content.slice(0, 65_536) }),
  }),
  faulty('ownership:', 'hands out what it keeps', (inner) => {
    const kept = new Map<string, SessionRecord>();
    return {
      find: (key) => {
        const label = JSON.stringify(key);
        const known = kept.get(label);
        const record = inner.find(key)._unsafeUnwrap();
        if (known === undefined || known.state.revision !== record?.state.revision) {
          if (record !== undefined) kept.set(label, structuredClone(record));
        }
        return ok(record && (kept.get(label) ?? record));
      },
    };
  }),
  faulty('ownership:', 'shares its growing history with its readers', (inner) => {
    const shared: HistoryEntry[] = [];
    return {
      find: (key) =>
        inner.find(key).map((record) => {
          if (record === undefined) return record;
          shared.push(...record.history.slice(shared.length));
          return { ...record, history: shared };
        }),
    };
  }),
];

/** Mistakes that the contract must find. */
export const faults: readonly Fault[] = [
  ...insertionFaults,
  ...pagingFaults,
  ...changeFaults,
  ...appendFaults,
  ...placeFaults,
  ...contentFaults,
  ...historyFaults,
  ...rangeFaults,
];
