import { hasLabels, sameLabels } from '../../src/session/labels.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { eventsWith, labelOf, type PlantedBug, planted } from './planted-bug.js';

const isMoved =
  'label: other labels move a session between their lists, and it keeps its place among the others';
const comesAndGoes =
  'label: the first and the last label of a session come and go with a change, whatever their values';
const isCounted =
  'label: other labels are a change though the status stays, and have the next number';
const hasItsEvent =
  'label: the event of other labels has the names of those that have changed, no values, and is logged once';

const withLabels = (
  { labels: _, ...state }: StateRecord,
  labels: SessionLabels | undefined,
): StateRecord => (labels === undefined ? state : { ...state, labels });

/** Bugs in changes of labels. */
export const plantedLabelUpdateBugs: readonly PlantedBug[] = [
  planted('keeps the labels of the creation', isMoved, (inner) => ({
    replace: (key, previous, next, options) =>
      inner.replace(
        key,
        previous,
        withLabels(next, inner.findState(key)._unsafeUnwrap()?.labels),
        options,
      ),
  })),
  planted('merges the labels instead of replacing them', isMoved, (inner) => ({
    replace: (key, previous, next, options) => {
      const before = inner.findState(key)._unsafeUnwrap()?.labels;
      const isOther = next.labels !== undefined && !sameLabels(before, next.labels);
      return inner.replace(
        key,
        previous,
        isOther ? { ...next, labels: { ...before, ...next.labels } } : next,
        options,
      );
    },
  })),
  planted('lists a session with the labels that it has left', isMoved, (inner) => {
    const left = new Map<string, StateRecord>();
    return {
      replace: (key, previous, next, options) => {
        const before = inner.findState(key)._unsafeUnwrap();
        if (before?.labels !== undefined) left.set(labelOf(key), before);
        return inner.replace(key, previous, next, options);
      },
      list: (tenant, range) =>
        inner.list(tenant, range).map((page) => {
          const stale = [...left.values()].filter(({ labels }) => hasLabels(labels, range.labels));
          return range.labels === undefined ? page : { ...page, total: page.total + stale.length };
        }),
    };
  }),
  planted('keeps the labels where the next state has none', comesAndGoes, (inner) => ({
    replace: (key, previous, next, options) =>
      inner.replace(
        key,
        previous,
        withLabels(next, next.labels ?? inner.findState(key)._unsafeUnwrap()?.labels),
        options,
      ),
  })),
  planted(
    'moves a session between lists by a change that is stale',
    'label: a stale change moves no session between lists',
    (inner) => {
      const stale: StateRecord[] = [];
      return {
        replace: (key, previous, next, options) =>
          inner.replace(key, previous, next, options).map((outcome) => {
            if (outcome === 'stale') stale.push(next);
            return outcome;
          }),
        list: (tenant, range) =>
          inner.list(tenant, range).map((page) => {
            const wrong = stale.some(({ labels }) => hasLabels(labels, range.labels));
            return range.labels !== undefined && wrong ? { ...page, total: page.total + 1 } : page;
          }),
      };
    },
  ),
  planted(
    'forgets the labels in the answer to an append that is refused',
    'label: an append that is refused answers with the labels of the session',
    (inner) => ({
      append: (...args) =>
        inner
          .append(...args)
          .map((answer) =>
            answer.outcome === 'closed'
              ? { ...answer, state: withLabels(answer.state, undefined) }
              : answer,
          ),
    }),
  ),
  planted('takes other labels for a renewed lease', isCounted, (inner) => {
    let changes = 0;
    return {
      replace: (key, previous, next, options) => {
        const before = inner.findState(key)._unsafeUnwrap();
        if (before?.status === next.status && !sameLabels(before.labels, next.labels)) changes += 1;
        return inner.replace(key, previous, next, options);
      },
      find: (...args) =>
        inner
          .find(...args)
          .map((found) => found && { ...found, sequence: found.sequence - changes }),
    };
  }),
  planted('has no event for other labels', hasItsEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.filter(({ type }) => type !== 'session.updated'),
        })),
    })),
  })),
  planted('has only one label in the event', hasItsEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.map((event) =>
            event.type === 'session.updated'
              ? { ...event, labelsChanged: event.labelsChanged.slice(0, 1) }
              : event,
          ),
        })),
    })),
  })),
  planted(
    'writes labels without looking at the revision',
    'label: of 50 writers that each give one session another label, every one counts and the lists agree with it',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const before = inner.findState(key)._unsafeUnwrap();
        const isRelabelled =
          before?.status === next.status && !sameLabels(before.labels, next.labels);
        const isLate = isRelabelled && before.revision >= next.revision;
        return inner.replace(key, isLate ? before : previous, next, options);
      },
    }),
  ),
];
