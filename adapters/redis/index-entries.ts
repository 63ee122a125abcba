import type { StateRecord } from '../../src/session/session-record.js';
import { dueAtOf } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { labelTexts } from '../stored/labels.js';
import { NEVER } from '../stored/never.js';
import type { SessionKeys } from './keyspace.js';

/** Where a session is in indexes. The times in the two queues are as scripts take them. */
export interface IndexEntries {
  readonly lists: readonly string[];
  readonly due: string;
  readonly work: string;
}

/** What a commit changes in indexes: the lists that get the session, and those that lose it. */
export interface IndexChange {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** The times in the queues; undefined to leave them. */
  readonly due?: string | undefined;
  readonly work?: string | undefined;
}

/** A session without a time is not in the queue. */
const NO_TIME = 'never';

/** A time in a queue as scripts take it. */
export const timeText = (at: number): string => (at >= NEVER ? NO_TIME : String(at));

/** The due time of a session with this state. */
export const dueText = (state: StateRecord): string => timeText(dueAtOf(state));

/** The entries of a session with this state; none without one. */
export const entriesOf = (keys: SessionKeys, state: StateRecord | undefined): IndexEntries => {
  if (state === undefined) return { lists: [], due: NO_TIME, work: NO_TIME };
  // What is left of a removed session is only due.
  if (keys.isLeft) return { lists: [], due: dueText(state), work: NO_TIME };
  const lists = [keys.index, keys.byStatus[state.status]];
  for (const label of labelTexts(state.labels)) lists.push(keys.labels + label);
  return { lists, due: dueText(state), work: timeText(wakeAtOf(state)) };
};

/** A claim may have moved a time in the work set: it is set again. */
const changed = (before: string, after: string): string | undefined =>
  before === NO_TIME && after === NO_TIME ? undefined : after;

export const indexChangeOf = (
  keys: SessionKeys,
  previous: StateRecord | undefined,
  next: StateRecord,
): IndexChange => {
  const before = entriesOf(keys, previous);
  const after = entriesOf(keys, next);
  return {
    gained: after.lists.filter((list) => !before.lists.includes(list)),
    lost: before.lists.filter((list) => !after.lists.includes(list)),
    due: changed(before.due, after.due),
    work: changed(before.work, after.work),
  };
};

/** The lists of a session besides those of labels. */
export const listsOf = ({ index, byStatus }: SessionKeys): readonly string[] => [
  index,
  ...Object.values(byStatus),
];
