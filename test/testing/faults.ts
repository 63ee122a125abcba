import { isDeepStrictEqual } from 'node:util';
import { ok } from 'neverthrow';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionHead, SessionRecord } from '../../src/session/session-record.js';
import type { StateChange, UseChange } from '../../src/store/commit.js';
import { distorting, renaming, withEntries } from './faulty-store.js';
import { historyFaults } from './history-faults.js';
import { type PlantedBug, planted } from './planted-bug.js';
import { rangeFaults } from './range-faults.js';

const BY_TIME = 'page: sorts by creation time, then by id, in both orders, by offset and by cursor';

const TENANT = 'names: a tenant may be any text, and is never confused with another';

const PUT = 'put: replaces the complete state and nothing else';

const READ = 'ownership: changing what was read affects neither the store nor other readers';

const REPEATED =
  'operation: a repeated change is recognised before any other guard, and changes nothing';

const DUE = 'due: lists the longest overdue first, and no session before its time';

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

const insertionFaults: readonly PlantedBug[] = [
  planted(
    'writes over a taken id',
    'begin: a taken id is refused by absent before any other guard',
    (inner) => ({
      begin: (commit) => {
        inner.remove({ key: commit.key, guards: {}, effects: { events: [] } });
        return inner.begin(commit);
      },
    }),
  ),
  planted(
    'makes up what is not there',
    'guards: a change of a missing session is refused by present before any other guard',
    (inner) => ({
      findState: (key) =>
        inner.findState(key).map((state) => state ?? inner.findState(key)._unsafeUnwrap()),
      find: (key) =>
        inner
          .find(key)
          .map((record) => record ?? inner.find({ ...key, tenant: 'acme' })._unsafeUnwrap()),
    }),
  ),
  distorting('rounds seconds', 'begin: keeps numbers exact', {
    head: (head) => withTimeLimit(head, Math.round(head.options.timeLimit)),
  }),
  distorting('keeps 15 digits', 'begin: keeps numbers exact', {
    head: (head) => withTimeLimit(head, Number(head.options.timeLimit.toPrecision(15))),
  }),
  distorting('keeps times in single precision', PUT, {
    state: (state) => ({ ...state, since: Math.fround(state.since) }),
  }),
  distorting('forgets the names of operations', PUT, {
    state: (state) => ({ ...state, operations: [] }),
  }),
  distorting('turns the names of operations around', PUT, {
    state: (state) => ({ ...state, operations: state.operations.toReversed() }),
  }),
];

const pagingFaults: readonly PlantedBug[] = [
  planted('lists the oldest first', BY_TIME, (inner) => ({
    page: (tenant, page) =>
      inner.page(tenant, page).map((found) => ({ ...found, records: found.records.toReversed() })),
  })),
  planted('orders equal times by locale', BY_TIME, (inner) => ({
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
  planted('counts the page instead of all', BY_TIME, (inner) => ({
    page: (tenant, page) =>
      inner.page(tenant, page).map((found) => ({ ...found, total: found.records.length })),
  })),
  planted('cuts offsets to 32 bits', BY_TIME, (inner) => ({
    page: (tenant, { offset, limit }) => inner.page(tenant, { offset: offset | 0, limit }),
  })),
  planted(
    'leaves the histories out',
    'page: returns sessions as find does, and changes do not move them',
    (inner) => ({
      page: (tenant, page) =>
        inner.page(tenant, page).map((found) => ({
          ...found,
          records: found.records.map((record): SessionRecord => ({ ...record, history: [] })),
        })),
    }),
  ),
];

const changeFaults: readonly PlantedBug[] = [
  planted(
    'writes over a higher revision',
    'guards: a change that fails revision writes nothing',
    (inner) => ({
      put: (commit) => {
        const { revision = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
        const isHigher = revision > commit.guards.revision;
        return inner.change(isHigher ? withRevision(commit, revision) : commit);
      },
    }),
  ),
  planted(
    'writes over a lower revision',
    'guards: a change that fails revision writes nothing',
    (inner) => ({
      put: (commit) => {
        const { revision = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
        const isLower = revision < commit.guards.revision;
        return inner.change(isLower ? withRevision(commit, revision) : commit);
      },
    }),
  ),
  planted('takes an equal change for the same', PUT, (inner) => ({
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
  planted(
    'says that a revision is another where nothing is',
    'remains: can be put, moved and removed, by their revision',
    (inner) => ({
      put: (commit) =>
        inner
          .change(commit)
          .map((answer) =>
            answer.outcome === 'refused' && answer.guard === 'present'
              ? { ...answer, guard: 'revision', state: commit.effects.put.previous }
              : answer,
          ),
    }),
  ),
  planted(
    'reads, waits and writes',
    'races: of 50 puts on one revision, exactly one is made',
    (inner) => ({
      put: async (commit) => {
        const { revision } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
        await Promise.resolve();
        const { revision: now = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
        const isStale = revision !== commit.guards.revision;
        return inner.change(isStale ? commit : withRevision(commit, now));
      },
    }),
  ),
];

const appendFaults: readonly PlantedBug[] = [
  planted(
    'takes entries at the deadline',
    'guards: a change that fails open writes nothing',
    (inner) => ({
      use: (commit) => inner.change(openAt(commit, -1)),
    }),
  ),
  planted(
    'refuses entries a millisecond early',
    'guards: a change that passes open is made',
    (inner) => ({
      use: (commit) => inner.change(openAt(commit, 1)),
    }),
  ),
  planted(
    'turns the entries of a call around',
    'entries: are stored in call order, at rising positions',
    (inner) => ({
      use: (commit) => inner.change(withEntries(commit, (entries) => entries.toReversed())),
    }),
  ),
  planted(
    'adds equal entries once',
    'entries: are stored in call order, at rising positions',
    (inner) => {
      const known = new Set<string>();
      return {
        use: (commit) =>
          inner.change(
            withEntries(commit, (entries) =>
              entries.filter(({ content }) => !known.has(content) && known.add(content)),
            ),
          ),
      };
    },
  ),
  planted('applies an operation twice', REPEATED, (inner) => ({
    use: ({ guards: { operation: _, ...guards }, ...commit }) =>
      inner.change({ ...commit, guards }),
  })),
  planted(
    'takes part of a name for the name',
    'operation: ids that look alike are different, and so are ids of different sessions',
    (inner) => ({
      use: (commit) => inner.change(named(commit, (id) => id.slice(0, 2))),
    }),
  ),
  planted('answers a repeated change with where the history stands now', REPEATED, (inner) => ({
    use: (commit) =>
      inner.change(commit).map((answer) => {
        const { historyPosition = 0 } = inner.find(commit.key)._unsafeUnwrap() ?? {};
        return answer.outcome === 'repeated' ? { ...answer, position: historyPosition } : answer;
      }),
  })),
  planted('looks at the status before it looks for the name', REPEATED, (inner) => ({
    use: (commit) => {
      const { operation: _, ...guards } = commit.guards;
      const probe = inner.change({ ...commit, guards: { ...guards, entries: -1 } });
      const answer = probe._unsafeUnwrap();
      const isClosed = answer.outcome === 'refused' && answer.guard === 'open';
      return isClosed ? probe : inner.change(commit);
    },
  })),
];

const placeFaults: readonly PlantedBug[] = [
  planted(
    'removes whatever revision it finds',
    'remove: checks present, revision and unusedSince, and writes nothing if one fails',
    (inner) => ({
      remove: (commit) => inner.remove({ ...commit, guards: {} }),
    }),
  ),
  planted(
    'leaves a removed session in its list',
    'remove: takes one session out of every read, list and queue',
    (inner) => ({
      remove: ({ key }) =>
        inner
          .findState(key)
          .map((state) =>
            state === undefined ? { outcome: 'refused', guard: 'present' } : { outcome: 'made' },
          ),
    }),
  ),
  planted('waits a millisecond too long', DUE, (inner) => ({
    due: (now, limit) => inner.due(now - 1, limit),
  })),
  planted('gives the least overdue first', DUE, (inner) => ({
    due: (now, limit) =>
      inner.due(now, limit).map((due) => ({ ...due, sessions: due.sessions.toReversed() })),
  })),
  planted('gives more than was asked for', DUE, (inner) => ({
    due: (now) => inner.due(now, 10_000),
  })),
  renaming('folds case', TENANT, ({ tenant, id }) => ({ tenant: tenant.toLowerCase(), id })),
  renaming('trims names', TENANT, ({ tenant, id }) => ({ tenant: tenant.trim(), id })),
  renaming('normalises names', TENANT, ({ tenant, id }) => ({
    tenant: tenant.normalize('NFC'),
    id,
  })),
  renaming('loses lone surrogates', TENANT, ({ tenant, id }) => ({
    tenant: throughUtf8(tenant),
    id,
  })),
  renaming('ends names at NUL', TENANT, ({ tenant, id }) => ({
    tenant: tenant.split('\0')[0] ?? '',
    id,
  })),
  renaming('decodes names', TENANT, ({ tenant, id }) => ({
    tenant: tenant.replaceAll('%41', 'A'),
    id,
  })),
  renaming(
    'knows one tenant',
    'tenants: no call reaches or reveals a session of another tenant',
    ({ id }) => ({ tenant: 'all', id }),
  ),
];

const contentFaults: readonly PlantedBug[] = [
  distorting(
    'loses lone surrogates in entries',
    'history: any text, id and data is read as written, one by one and together',
    {
      entry: (entry) => ({ ...entry, content: throughUtf8(entry.content) }),
    },
  ),
  distorting('ends texts at NUL', 'texts: options are read as written', {
    head: (head) => ({
      ...head,
      options: { ...head.options, context: head.options.context.split('\0')[0] ?? '' },
    }),
  }),
  distorting(
    'normalises line ends',
    'history: any text, id and data is read as written, one by one and together',
    {
      entry: (entry) => ({ ...entry, content: entry.content.replaceAll('\r\n', '\n') }),
    },
  ),
  distorting('cuts long texts', 'texts: the longest are kept completely', {
    entry: (entry) => ({ ...entry, content: entry.content.slice(0, 65_536) }),
  }),
  planted('hands out what it keeps', READ, (inner) => {
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
  planted('shares its growing history with its readers', READ, (inner) => {
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
export const faults: readonly PlantedBug[] = [
  ...insertionFaults,
  ...pagingFaults,
  ...changeFaults,
  ...appendFaults,
  ...placeFaults,
  ...contentFaults,
  ...historyFaults,
  ...rangeFaults,
];
