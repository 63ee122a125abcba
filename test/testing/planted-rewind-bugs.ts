import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { HistoryEntry, PositionedEntry } from '../../src/session/session.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type {
  AppendOutcome,
  EntriesOutcome,
  HistoryAppend,
  SessionKey,
} from '../../src/store/session-store.js';
import { eventsWith, labelOf, type PlantedBug, planted } from './planted-bug.js';

const supersedes =
  'rewinds: entries that follow a position supersede what followed it, in every read';
const clears =
  'rewinds: to 0 and without entries, the history is empty and continues at a new position';
const removes = 'rewinds: the last entry is removed, and then the one before it';
const toTheEnd = 'rewinds: to the end, entries follow all others';
const refuses =
  'rewinds: a superseded position has moved, one beyond the end is invalid, and neither changes anything';
const keepsPositions =
  'rewinds: no position is used twice, and a reader after a superseded one gets what is new';
const recognises =
  'rewinds: a repeated rewind is recognised, with entries and without, and one to another position is not the same';
const counts = 'rewinds: entries that are superseded do not count towards maxEntries';
const inOrder =
  'rewinds: of several reasons to refuse, the one that callers can do least about is given';
const oneOfMany = 'rewinds: of 50 rewinds at one position, one is made';
const whole =
  'rewinds: among 50 appends and rewinds at once, each comes whole and in the order of the positions';
const asAList = 'rewinds: a long history of appends and rewinds reads as a plain list';
const oneEvent = 'events: a rewind is one event, which says what the entries follow';

const entriesIn = (inner: MemorySessionStore, key: SessionKey): readonly PositionedEntry[] => {
  const found = inner.findEntries(key, { after: 0, limit: 10_000 })._unsafeUnwrap();
  return found.outcome === 'found' ? found.entries : [];
};

const endOf = (inner: MemorySessionStore, key: SessionKey): number => {
  const found = inner.findEntries(key, { limit: 1 })._unsafeUnwrap();
  return found.outcome === 'found' ? found.position : 0;
};

/** The position of the last entry up to another position. */
const currentUpTo = (inner: MemorySessionStore, key: SessionKey, position: number): number =>
  entriesIn(inner, key).findLast((entry) => entry.position <= position)?.position ?? 0;

const withoutAfter = ({ after: _, ...append }: HistoryAppend): HistoryAppend => append;

/** The memory store, with another reading of a rewind, or with an answer instead. */
const rewinding = (
  bug: string,
  caughtBy: string,
  misread: (
    append: HistoryAppend & { readonly after: number },
    inner: MemorySessionStore,
    key: SessionKey,
  ) => HistoryAppend | AppendOutcome,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    append: (key, append) => {
      const { after } = append;
      const read = after === undefined ? append : misread({ ...append, after }, inner, key);
      return 'outcome' in read ? ok(read) : inner.append(key, read);
    },
  }));

/**
 * The memory store, which shows something else of a session of which it knows all entries that
 * there ever were.
 */
const recalling = (
  bug: string,
  caughtBy: string,
  show: (record: SessionRecord, all: readonly HistoryEntry[]) => SessionRecord,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => {
    const all = new Map<string, HistoryEntry[]>();
    return {
      append: (key, append) =>
        inner.append(key, append).map((answer) => {
          const known = all.get(labelOf(key)) ?? [];
          if (answer.outcome === 'appended') all.set(labelOf(key), [...known, ...append.entries]);
          return answer;
        }),
      list: (tenant, range) =>
        inner.list(tenant, range).map((page) => ({
          ...page,
          records: page.records.map((record) =>
            show(record, all.get(labelOf({ tenant, id: record.head.id })) ?? []),
          ),
        })),
    };
  });

/** The memory store, where the position of an entry is its number. */
const numbering = (inner: MemorySessionStore) => {
  const numberOf = (key: SessionKey, position: number) =>
    entriesIn(inner, key).filter((entry) => entry.position <= position).length;
  const positionOf = (key: SessionKey, number: number) => {
    const entries = entriesIn(inner, key);
    return number === entries.length
      ? endOf(inner, key)
      : (entries[number - 1]?.position ?? (number > 0 ? 1e9 : 0));
  };
  const inward = <
    T extends { readonly after?: number; readonly before?: number; readonly ifPosition?: number },
  >(
    key: SessionKey,
    given: T,
  ): T => {
    const { after, before, ifPosition } = given;
    return {
      ...given,
      ...(after !== undefined && { after: positionOf(key, after) }),
      ...(before !== undefined && { before: positionOf(key, before) }),
      ...(ifPosition !== undefined && { ifPosition: positionOf(key, ifPosition) }),
    };
  };
  const outward = <O extends AppendOutcome | EntriesOutcome>(key: SessionKey, answer: O): O =>
    'position' in answer ? { ...answer, position: numberOf(key, answer.position) } : answer;
  return { numberOf, inward, outward };
};

const positionBugs: readonly PlantedBug[] = [
  rewinding('ignores the position that entries are to follow', supersedes, withoutAfter),
  rewinding('takes 0 for no position', clears, (append) =>
    append.after === 0 ? withoutAfter(append) : append,
  ),
  planted('answers a rewind without entries with the end that there was', clears, (inner) => ({
    append: (key, append) => {
      const position = endOf(inner, key);
      return inner
        .append(key, append)
        .map((answer) =>
          answer.outcome === 'appended' && append.entries.length === 0
            ? { ...answer, position }
            : answer,
        );
    },
  })),
  rewinding(
    'changes nothing without entries, unless all are to go',
    removes,
    (append, inner, key) =>
      append.after > 0 && append.entries.length === 0
        ? { outcome: 'appended', position: endOf(inner, key) }
        : append,
  ),
  rewinding('finds the end of a history to be no place in it', toTheEnd, (append, inner, key) =>
    append.after === endOf(inner, key) && append.after > 0
      ? { outcome: 'invalid_position' }
      : append,
  ),
  rewinding('follows the entry before a superseded position', refuses, (append, inner, key) =>
    append.after <= endOf(inner, key)
      ? { ...append, after: currentUpTo(inner, key, append.after) }
      : append,
  ),
  rewinding('takes a position beyond the end for the end', refuses, (append, inner, key) => ({
    ...append,
    after: Math.min(append.after, endOf(inner, key)),
  })),
  rewinding(
    'says that a superseded position is not in the history',
    refuses,
    (append, inner, key) => {
      const isCurrent =
        append.after === currentUpTo(inner, key, append.after) ||
        append.after === endOf(inner, key);
      return isCurrent ? append : { outcome: 'invalid_position' };
    },
  ),
  planted('gives positions again that were superseded', keepsPositions, (inner) => {
    const { numberOf, inward, outward } = numbering(inner);
    return {
      append: (key, append) =>
        inner.append(key, inward(key, append)).map((answer) => outward(key, answer)),
      findEntries: (key, slice) =>
        inner.findEntries(key, inward(key, slice)).map((answer) => {
          if (answer.outcome !== 'found') return answer;
          const entries = answer.entries.map((each) => ({
            ...each,
            position: numberOf(key, each.position),
          }));
          return { ...outward(key, answer), entries, start: numberOf(key, answer.start) };
        }),
    };
  }),
  planted('does not go on after a position that is superseded', keepsPositions, (inner) => ({
    findEntries: (key, slice) => {
      const { after = 0 } = slice;
      const isCurrent = after === currentUpTo(inner, key, after) || after === endOf(inner, key);
      return isCurrent ? inner.findEntries(key, slice) : ok({ outcome: 'invalid_position' });
    },
  })),
  rewinding('goes back ten entries at most', asAList, (append, inner, key) => {
    const least = entriesIn(inner, key).at(-11)?.position ?? 0;
    return append.after === 0 || append.after >= least ? append : { ...append, after: least };
  }),
];

const countBugs: readonly PlantedBug[] = [
  recalling('counts superseded entries', supersedes, (record, all) => ({
    ...record,
    historyCount: all.length,
  })),
  recalling('lists superseded entries', supersedes, (record, all) => ({ ...record, history: all })),
  planted('counts superseded entries towards maxEntries', counts, (inner) => {
    const total = new Map<string, number>();
    return {
      append: (key, append) => {
        const superseded = (total.get(labelOf(key)) ?? 0) - entriesIn(inner, key).length;
        const { maxEntries = 1e9, entries } = append;
        return inner
          .append(key, { ...append, maxEntries: maxEntries - superseded })
          .map((answer) => {
            const count = (total.get(labelOf(key)) ?? 0) + entries.length;
            if (answer.outcome === 'appended') total.set(labelOf(key), count);
            return answer;
          });
      },
    };
  }),
  rewinding('counts entries that a rewind is about to supersede', counts, (append, inner, key) => {
    const count = entriesIn(inner, key).length + append.entries.length;
    return count > (append.maxEntries ?? 1e9) ? { outcome: 'full' } : append;
  }),
  rewinding('knows no bound for rewinds', counts, ({ maxEntries: _, ...append }) => append),
];

const callBugs: readonly PlantedBug[] = [
  rewinding('makes a repeated rewind again', recognises, ({ operation: _, ...append }) => append),
  rewinding('makes a repeated rewind without entries again', recognises, (append) => {
    const { operation: _, ...unnamed } = append;
    return append.entries.length === 0 ? unnamed : append;
  }),
  rewinding(
    'compares the entries of a repeated rewind, and not their place',
    recognises,
    (append) => {
      const { operation, ...unnamed } = append;
      return operation === undefined
        ? append
        : { ...unnamed, operation: { ...operation, digest: '-'.repeat(16) } };
    },
  ),
  rewinding(
    'looks at the position to follow before it looks at the lease',
    inOrder,
    (append, inner, key) =>
      append.after > endOf(inner, key) ? { outcome: 'invalid_position' } : append,
  ),
  rewinding('ignores ifPosition in a rewind', inOrder, ({ ifPosition: _, ...append }) => append),
  planted('compares ifPosition and rewinds without a transaction', oneOfMany, (inner) => ({
    append: async (key, append) => {
      const { ifPosition, ...unconditional } = append;
      if (ifPosition === undefined || ifPosition !== endOf(inner, key))
        return inner.append(key, append);
      await Promise.resolve();
      return inner.append(key, unconditional);
    },
  })),
  planted('rewinds in two steps: supersedes, and then adds', whole, (inner) => ({
    append: async (key, append) => {
      if (append.after === undefined || append.operation !== undefined)
        return inner.append(key, append);
      const rewound = inner.append(key, { ...append, entries: [] });
      await Promise.resolve();
      const isMade = rewound._unsafeUnwrap().outcome === 'appended';
      return isMade && append.entries.length > 0
        ? inner.append(key, withoutAfter(append))
        : rewound;
    },
  })),
  planted('tells a rewind as any append', oneEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.map((event) => {
            if (event.type !== 'session.appended') return event;
            const { rewoundTo: _, ...appended } = event;
            return appended;
          }),
        })),
    })),
  })),
  planted('has no event of a rewind without entries', oneEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.filter(
            (event) => event.type !== 'session.appended' || event.rewoundTo !== 0,
          ),
        })),
    })),
  })),
];

/** Bugs in rewinds. */
export const plantedRewindBugs: readonly PlantedBug[] = [
  ...positionBugs,
  ...countBugs,
  ...callBugs,
];
