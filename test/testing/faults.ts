import { isDeepStrictEqual } from 'node:util';
import { ok } from 'neverthrow';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionHead, SessionRecord } from '../../src/session/session-record.js';
import { operationOf } from '../../src/testing/samples.js';
import { distorting, type Fault, faulty, renaming } from './faulty-store.js';
import { historyFaults } from './history-faults.js';
import { rangeFaults } from './range-faults.js';

const throughUtf8 = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text));

const withTimeLimit = (head: SessionHead, timeLimit: number): SessionHead => ({
  ...head,
  options: { ...head.options, timeLimit },
});

const insertionFaults: readonly Fault[] = [
  faulty('insert:', 'writes over a taken id', (inner) => ({
    insert: (tenant, head, state, opening) => {
      inner.remove({ tenant, id: head.id });
      return inner.insert(tenant, head, state, opening);
    },
  })),
  faulty('find:', 'makes up what is not there', (inner) => ({
    findState: (key) =>
      inner.findState(key).map((state) => state ?? inner.findState(key)._unsafeUnwrap()),
    find: (key) =>
      inner
        .find(key)
        .map((record) => record ?? inner.find({ ...key, tenant: 'acme' })._unsafeUnwrap()),
  })),
  distorting('find:', 'rounds seconds', {
    head: (head) => withTimeLimit(head, Math.round(head.options.timeLimit)),
  }),
  distorting('find:', 'keeps 15 digits', {
    head: (head) => withTimeLimit(head, Number(head.options.timeLimit.toPrecision(15))),
  }),
  distorting('find:', 'keeps times in single precision', {
    state: (state) => ({ ...state, since: Math.fround(state.since) }),
  }),
  distorting('find:', 'forgets the names of operations', {
    state: (state) => ({ ...state, operations: [] }),
  }),
  distorting('find:', 'turns the names of operations around', {
    state: (state) => ({ ...state, operations: state.operations.toReversed() }),
  }),
];

const pagingFaults: readonly Fault[] = [
  faulty('list:', 'lists the oldest first', (inner) => ({
    list: (tenant, page) =>
      inner.list(tenant, page).map((found) => ({ ...found, records: found.records.toReversed() })),
  })),
  faulty('list:', 'orders equal times by locale', (inner) => ({
    list: (tenant, { offset, limit }) =>
      inner.list(tenant, { offset: 0, limit: 10_000 }).map(({ records, ...page }) => ({
        ...page,
        records: records
          .toSorted(
            ({ head: a }, { head: b }) =>
              b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id, 'en'),
          )
          .slice(offset, offset + limit),
      })),
  })),
  faulty('list:', 'counts the page instead of all', (inner) => ({
    list: (tenant, page) =>
      inner.list(tenant, page).map((found) => ({ ...found, total: found.records.length })),
  })),
  faulty('list:', 'cuts offsets to 32 bits', (inner) => ({
    list: (tenant, { offset, limit }) => inner.list(tenant, { offset: offset | 0, limit }),
  })),
  faulty('list:', 'leaves the histories out', (inner) => ({
    list: (tenant, page) =>
      inner.list(tenant, page).map((found) => ({
        ...found,
        records: found.records.map((record): SessionRecord => ({ ...record, history: [] })),
      })),
  })),
];

const changeFaults: readonly Fault[] = [
  faulty('replace:', 'writes over a higher revision', (inner) => ({
    replace: (key, previous, next, options) => {
      const state = inner.findState(key)._unsafeUnwrap();
      const isHigher = state !== undefined && state.revision >= next.revision;
      return inner.replace(key, isHigher ? state : previous, next, options);
    },
  })),
  faulty('replace:', 'writes over a lower revision', (inner) => ({
    replace: (key, previous, next, options) => {
      const state = inner.findState(key)._unsafeUnwrap();
      return inner.replace(key, state ?? previous, next, options);
    },
  })),
  faulty('replace:', 'takes an equal change for the same', (inner) => ({
    replace: (key, previous, next, options) => {
      const state = inner.findState(key)._unsafeUnwrap();
      return isDeepStrictEqual(state, next)
        ? ok('replaced')
        : inner.replace(key, previous, next, options);
    },
  })),
  faulty('replace:', 'says stale where nothing is', (inner) => ({
    replace: (key, previous, next, options) =>
      inner
        .replace(key, previous, next, options)
        .map((outcome) => (outcome === 'missing' ? 'stale' : outcome)),
  })),
  faulty('races:', 'reads, waits and writes', (inner) => ({
    replace: async (key, previous, next, options) => {
      const state = inner.findState(key)._unsafeUnwrap();
      await Promise.resolve();
      const now = inner.findState(key)._unsafeUnwrap();
      const isStale = state?.revision !== previous.revision;
      return inner.replace(key, isStale ? previous : (now ?? previous), next, options);
    },
  })),
];

const appendFaults: readonly Fault[] = [
  faulty('append:', 'takes entries at the deadline', (inner) => ({
    append: (key, append) => inner.append(key, { ...append, now: append.now - 1 }),
  })),
  faulty('append:', 'refuses entries a millisecond early', (inner) => ({
    append: (key, append) => inner.append(key, { ...append, now: append.now + 1 }),
  })),
  faulty('append:', 'turns the entries of a call around', (inner) => ({
    append: (key, append) => inner.append(key, { ...append, entries: append.entries.toReversed() }),
  })),
  faulty('append:', 'adds equal entries once', (inner) => ({
    append: (key, append) =>
      inner.append(key, {
        ...append,
        operation: append.operation ?? operationOf(JSON.stringify(append.entries)),
      }),
  })),
  faulty('operationId:', 'applies an operation twice', (inner) => ({
    append: (key, { operation: _, ...append }) => inner.append(key, append),
  })),
  faulty('operationId:', 'takes part of a name for the name', (inner) => ({
    append: (key, { operation, ...append }) =>
      inner.append(
        key,
        operation === undefined
          ? append
          : { ...append, operation: { ...operation, id: operation.id.slice(0, 2) } },
      ),
  })),
  faulty(
    'operationId:',
    'answers a repeated append with where the history stands now',
    (inner) => ({
      append: (key, append) =>
        inner.append(key, append).map((answer) => {
          const { historyCount = 0 } = inner.find(key)._unsafeUnwrap() ?? {};
          return answer.outcome === 'appended' ? { ...answer, position: historyCount } : answer;
        }),
    }),
  ),
  faulty('operationId:', 'looks at the status before it looks for the name', (inner) => ({
    append: (key, append) => {
      const { operation: _, ...unnamed } = append;
      const probe = inner.append(key, { ...unnamed, entries: [] })._unsafeUnwrap();
      return probe.outcome === 'closed' ? ok(probe) : inner.append(key, append);
    },
  })),
];

const placeFaults: readonly Fault[] = [
  faulty('remove:', 'removes whatever revision it finds', (inner) => ({
    remove: (key) => inner.remove(key),
  })),
  faulty('remove:', 'leaves a removed session in its list', (inner) => ({
    remove: (key) =>
      inner.findState(key).map((state) => (state === undefined ? 'missing' : 'removed')),
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
  distorting('texts:', 'loses lone surrogates in entries', {
    entry: (entry) => ({ ...entry, content: throughUtf8(entry.content) }),
  }),
  distorting('texts:', 'ends texts at NUL', {
    head: (head) => ({
      ...head,
      options: { ...head.options, context: head.options.context.split('\0')[0] ?? '' },
    }),
  }),
  distorting('texts:', 'normalises line ends', {
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
