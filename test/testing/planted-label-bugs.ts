import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { SessionHead, SessionRecord } from '../../src/session/session-record.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

type LabelRange = PageRange & { readonly label: NonNullable<PageRange['label']> };

const isRead = 'label: a session is read with its labels, whatever their values';
const isListed = 'label: a page has the sessions with the label, in both orders, with their total';
const isWalked = 'label: a walk by cursor meets each session with the label once, between two times too';
const isKept = 'label: changes and the end of a session leave it in the list, and a removal takes it out';

const pageOf = (inner: MemorySessionStore, tenant: string, range: PageRange): RecordPage =>
  inner.list(tenant, range)._unsafeUnwrap();

/** The memory store, with another way to list by label. */
const listing = (
  bug: string,
  caughtBy: string,
  list: (inner: MemorySessionStore, tenant: string, range: LabelRange) => RecordPage,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    list: (tenant, range, admit) => {
      const { label } = range;
      return label === undefined ? inner.list(tenant, range, admit) : ok(list(inner, tenant, { ...range, label }));
    },
  }));

const unlabelled = ({ labels: _, ...head }: SessionHead): SessionHead => head;

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

/** Bugs in labels. */
export const plantedLabelBugs: readonly PlantedBug[] = [
  planted('forgets the labels', isRead, (inner) => ({
    insert: (tenant, head, state) => inner.insert(tenant, unlabelled(head), state),
  })),
  planted('forgets the labels when the state changes', isRead, (inner) => ({
    find: (...args) =>
      inner
        .find(...args)
        .map((record) => (record && record.state.revision > 1 ? { ...record, head: unlabelled(record.head) } : record)),
  })),
  planted('leaves the labels out of lists', isRead, (inner) => ({
    list: (...args) =>
      inner.list(...args).map((page) => ({
        ...page,
        records: page.records.map((record) => ({ ...record, head: unlabelled(record.head) })),
      })),
  })),
  planted('keeps labels in lower case', isRead, (inner) => ({
    insert: (tenant, head, state) => {
      const lower = Object.entries(head.labels ?? {}).map(([name, value]) => [name, value.toLowerCase()] as const);
      return inner.insert(tenant, head.labels ? { ...head, labels: Object.fromEntries(lower) } : head, state);
    },
  })),
  listing('counts all sessions for a label', isListed, (inner, tenant, range) => {
    const { label: _, ...all } = range;
    return { ...pageOf(inner, tenant, range), total: pageOf(inner, tenant, all).total };
  }),
  listing('counts the page for a label', isListed, (inner, tenant, range) => {
    const page = pageOf(inner, tenant, range);
    return { ...page, total: page.records.length };
  }),
  listing('lists by label the newest first, whatever the order', isListed, (inner, tenant, { order: _, ...range }) =>
    pageOf(inner, tenant, range),
  ),
  listing('finds a value under another name', isListed, (inner, tenant, range) =>
    range.offset > 0
      ? pageOf(inner, tenant, range)
      : fitting(inner, tenant, range, ({ head }) => Object.values(head.labels ?? {}).includes(range.label.value)),
  ),
  listing('finds what begins with the value', isListed, (inner, tenant, range) =>
    range.offset > 0
      ? pageOf(inner, tenant, range)
      : fitting(
          inner,
          tenant,
          range,
          ({ head }) => head.labels?.[range.label.name]?.startsWith(range.label.value) ?? false,
        ),
  ),
  listing('ends a walk by label after a page', isWalked, (inner, tenant, range) => {
    const { next: _, ...page } = pageOf(inner, tenant, range);
    return page;
  }),
  listing('begins anew behind a cursor in a list by label', isWalked, (inner, tenant, { after: _, ...range }) =>
    pageOf(inner, tenant, range),
  ),
  listing('lists by label what is of any time', isWalked, (inner, tenant, { createdAfter: _, ...range }) =>
    pageOf(inner, tenant, range),
  ),
  listing('takes a session that has ended out of the lists of its labels', isKept, (inner, tenant, range) =>
    fitting(inner, tenant, range, ({ head, state }) => {
      return head.labels?.[range.label.name] === range.label.value && state.status !== 'TERMINATED';
    }),
  ),
  planted('leaves a removed session in the totals of its labels', isKept, (inner) => {
    const left: SessionLabels[] = [];
    return {
      remove: (key, removal) => {
        const labels = inner.find(key)._unsafeUnwrap()?.head.labels;
        if (labels !== undefined) left.push(labels);
        return inner.remove(key, removal);
      },
      list: (tenant, range, admit) =>
        inner.list(tenant, range, admit).map((page) => {
          const { label } = range;
          const gone = label === undefined ? [] : left.filter((labels) => labels[label.name] === label.value);
          return { ...page, total: page.total + gone.length };
        }),
    };
  }),
  planted(
    'gives a session the labels of a removed one with its id',
    'label: a session that was removed and inserted again has its new labels alone',
    (inner) => {
      const known = new Map<string, SessionLabels>();
      return {
        insert: (tenant, head, state) => {
          const label = labelOf({ tenant, id: head.id });
          const labels = { ...known.get(label), ...head.labels };
          known.set(label, labels);
          return inner.insert(tenant, Object.keys(labels).length === 0 ? head : { ...head, labels }, state);
        },
      };
    },
  ),
  planted(
    'lists a session by the labels of an insert that found its id taken',
    'label: of 50 sessions with one id and different labels, one is inserted and found by its label alone',
    (inner) => {
      const taken: SessionHead[] = [];
      return {
        insert: (tenant, head, state) =>
          inner.insert(tenant, head, state).map((outcome) => {
            if (outcome === 'taken') taken.push(head);
            return outcome;
          }),
        list: (tenant, range, admit) => {
          const { label, ...all } = range;
          const isWrong = label !== undefined && taken.some(({ labels }) => labels?.[label.name] === label.value);
          return inner.list(tenant, isWrong ? all : range, admit);
        },
      };
    },
  ),
];
