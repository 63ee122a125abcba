import type { StateRecord } from '../../src/session/session-record.js';
import { dueAtOf } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { labelTexts } from '../shared/label-texts.js';
import type { SessionKeys } from './keyspace.js';

/** The times of a session in the two queues as scripts take them: '' for none. */
interface QueueTimes {
  readonly due: string;
  readonly work: string;
}

/** Where a session is in indexes. */
export interface IndexEntries extends QueueTimes {
  readonly lists: readonly string[];
}

/** What a mutation changes in indexes: the lists that get the session, and those that lose it. */
export interface IndexChange extends QueueTimes {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

const timeText = (at: number): string => (at === Number.POSITIVE_INFINITY ? '' : String(at));

/** The due time of a session with this state. */
export const dueText = (state: StateRecord): string => timeText(dueAtOf(state));

/** The entries of a session with this state; none without one. */
export const entriesOf = (keys: SessionKeys, state: StateRecord | undefined): IndexEntries => {
  if (state === undefined) return { lists: [], due: '', work: '' };
  // What is left of a removed session is only due.
  if (keys.isLeft) return { lists: [], due: dueText(state), work: '' };
  const lists = [keys.index];
  const byStatus = keys.byStatus[state.status];
  if (byStatus !== undefined) lists.push(byStatus);
  for (const label of labelTexts(state.labels)) lists.push(keys.labels + label);
  return { lists, due: dueText(state), work: timeText(wakeAtOf(state)) };
};

/**
 * A time in a queue, `-` to leave it. A claim may have moved one of the work set: it is set again.
 */
const changed = (before: string, after: string): string =>
  before === '' && after === '' ? '-' : after;

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

/** The change after which a session has no other entries than these, but in lists of labels. */
export const onlyThese = (
  { index, byStatus, isLeft }: SessionKeys,
  { lists, due, work }: IndexEntries,
): IndexChange => {
  const all = isLeft ? [] : [index, ...Object.values(byStatus)];
  return { gained: lists, lost: all.filter((list) => !lists.includes(list)), due, work };
};
