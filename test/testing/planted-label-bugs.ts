import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import { hasLabels } from '../../src/session/labels.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { BeginCommit, PageRange, RecordPage } from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

type LabelRange = PageRange & { readonly labels: SessionLabels };

const isRead = 'label: sessions are found and read with any label values';
const isListed = 'label: a list contains exactly the sessions with all of its labels';
const isUnknown = 'label: a partial, misnamed or extra label finds nothing';
const isWalked = 'label: a list contains exactly the sessions with all of its labels';
const isMoved = 'put: moves a session only between the lists of its labels';
const isGone = 'remove: takes one session out of every read, list and queue';

const pageOf = (inner: MemorySessionStore, tenant: string, range: PageRange): RecordPage =>
  inner.page(tenant, range)._unsafeUnwrap();

/** The memory store, with another way to list by label. */
const listing = (
  bug: string,
  caughtBy: string,
  list: (inner: MemorySessionStore, tenant: string, range: LabelRange) => RecordPage,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    page: (tenant, range) => {
      const { labels } = range;
      return labels === undefined
        ? inner.page(tenant, range)
        : ok(list(inner, tenant, { ...range, labels }));
    },
  }));

const unlabelled = ({ labels: _, ...state }: StateRecord): StateRecord => state;

const isTheSame = (record: SessionRecord, { labels }: LabelRange): boolean =>
  hasLabels(record.state.labels, labels);

/** The sessions of a tenant that fit, as the first page. */
const fitting = (
  inner: MemorySessionStore,
  tenant: string,
  { order, limit }: PageRange,
  fits: (record: SessionRecord) => boolean,
): RecordPage => {
  const { records } = pageOf(inner, tenant, { offset: 0, limit: 1000, order });
  const found = records.filter(fits);
  return { records: found.slice(0, limit), total: found.length, unreadable: [] };
};

/** A begin with another state. */
const withState = (
  { effects, ...commit }: BeginCommit,
  change: (state: StateRecord) => StateRecord,
): BeginCommit => ({ ...commit, effects: { ...effects, state: change(effects.state) } });

/** Bugs in labels. */
export const plantedLabelBugs: readonly PlantedBug[] = [
  planted('forgets the labels', isRead, (inner) => ({
    begin: (commit) => inner.begin(withState(commit, unlabelled)),
  })),
  planted('forgets the labels when the state changes', isRead, (inner) => ({
    find: (...args) =>
      inner
        .find(...args)
        .map((record) =>
          record && record.state.revision > 1
            ? { ...record, state: unlabelled(record.state) }
            : record,
        ),
  })),
  planted('leaves the labels out of lists', isRead, (inner) => ({
    page: (...args) =>
      inner.page(...args).map((page) => ({
        ...page,
        records: page.records.map((record) => ({ ...record, state: unlabelled(record.state) })),
      })),
  })),
  planted('keeps labels in lower case', isRead, (inner) => ({
    begin: (commit) =>
      inner.begin(
        withState(commit, (state) => ({
          ...state,
          labels: Object.fromEntries(
            Object.entries(state.labels ?? {}).map(([name, value]) => [name, value.toLowerCase()]),
          ),
        })),
      ),
  })),
  listing('counts all sessions for a label', isListed, (inner, tenant, range) => {
    const { labels: _, ...all } = range;
    return { ...pageOf(inner, tenant, range), total: pageOf(inner, tenant, all).total };
  }),
  listing('counts the page for a label', isListed, (inner, tenant, range) => {
    const page = pageOf(inner, tenant, range);
    return { ...page, total: page.records.length };
  }),
  listing(
    'lists by label the newest first, whatever the order',
    isListed,
    (inner, tenant, { order: _, ...range }) => pageOf(inner, tenant, range),
  ),
  listing('finds a value under another name', isUnknown, (inner, tenant, range) =>
    range.offset > 0
      ? pageOf(inner, tenant, range)
      : fitting(inner, tenant, range, ({ state }) =>
          Object.values(range.labels).every((value) =>
            Object.values(state.labels ?? {}).includes(value),
          ),
        ),
  ),
  listing('finds what begins with the value', isUnknown, (inner, tenant, range) =>
    range.offset > 0
      ? pageOf(inner, tenant, range)
      : fitting(inner, tenant, range, ({ state }) =>
          Object.entries(range.labels).every(
            ([name, value]) => state.labels?.[name]?.startsWith(value) ?? false,
          ),
        ),
  ),
  listing('ends a walk by label after a page', isWalked, (inner, tenant, range) => {
    const { nextCursor: _, ...page } = pageOf(inner, tenant, range);
    return page;
  }),
  listing(
    'begins anew after a cursor in a list by label',
    isWalked,
    (inner, tenant, { cursor: _, ...range }) => pageOf(inner, tenant, range),
  ),
  listing(
    'lists by label what is of any time',
    isWalked,
    (inner, tenant, { createdAfter: _, ...range }) => pageOf(inner, tenant, range),
  ),
  listing(
    'takes a session that has ended out of the lists of its labels',
    isMoved,
    (inner, tenant, range) =>
      fitting(
        inner,
        tenant,
        range,
        (record) => isTheSame(record, range) && record.state.status !== 'TERMINATED',
      ),
  ),
  planted('leaves a removed session in the totals of its labels', isGone, (inner) => {
    const left: SessionLabels[] = [];
    return {
      remove: (commit) => {
        const labels = inner.find(commit.key)._unsafeUnwrap()?.state.labels;
        if (labels !== undefined) left.push(labels);
        return inner.remove(commit);
      },
      page: (tenant, range) =>
        inner.page(tenant, range).map((page) => {
          const gone =
            range.labels === undefined
              ? []
              : left.filter((labels) => hasLabels(labels, range.labels));
          return { ...page, total: page.total + gone.length };
        }),
    };
  }),
  planted(
    'gives a session the labels of a removed one with its id',
    'begin: a session inherits nothing from a removed one with its id',
    (inner) => {
      const known = new Map<string, SessionLabels>();
      return {
        begin: (commit) => {
          const label = labelOf(commit.key);
          const labels = { ...known.get(label), ...commit.effects.state.labels };
          known.set(label, labels);
          const isNone = Object.keys(labels).length === 0;
          return inner.begin(withState(commit, (state) => (isNone ? state : { ...state, labels })));
        },
      };
    },
  ),
  planted(
    'lists a session by the labels of an insert that found its id taken',
    'races: of 50 begins of one id, exactly one is made and stored',
    (inner) => {
      const taken: StateRecord[] = [];
      return {
        begin: (commit) =>
          inner.begin(commit).map((begun) => {
            if (begun.outcome === 'refused') taken.push(commit.effects.state);
            return begun;
          }),
        page: (tenant, range) => {
          const { labels: wanted, ...all } = range;
          const isWrong =
            wanted !== undefined && taken.some(({ labels }) => hasLabels(labels, wanted));
          return inner.page(tenant, isWrong ? all : range);
        },
      };
    },
  ),
];
