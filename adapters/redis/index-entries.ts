import type { StateRecord } from '../../src/session/session-record.js';
import { dueAtOf } from '../../src/session/time-limits.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { NEVER } from '../stored/infinite-times.js';
import { labelTexts } from '../stored/labels.js';
import type { SessionKeys } from './keyspace.js';

/** The index entries of a session. Times in the two queues are strings, as scripts expect them. */
export interface IndexEntries {
  readonly lists: readonly string[];
  readonly due: string;
  readonly work: string;
}

export interface IndexChange {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly due?: string | undefined;
  readonly work?: string | undefined;
}

const NO_TIME = 'never';

export const timeText = (at: number): string => (at >= NEVER ? NO_TIME : String(at));

export const dueText = (state: StateRecord): string => timeText(dueAtOf(state));

export const entriesOf = (keys: SessionKeys, state: StateRecord | undefined): IndexEntries => {
  if (state === undefined) return { lists: [], due: NO_TIME, work: NO_TIME };
  // The remains of a removed session are only due.
  if (keys.isLeft) return { lists: [], due: dueText(state), work: NO_TIME };
  const lists = [keys.index, keys.byStatus[state.status]];
  for (const label of labelTexts(state.labels)) lists.push(keys.labels + label);
  return { lists, due: dueText(state), work: timeText(wakeAtOf(state)) };
};

/** A claim may have moved the time in the work set, so an unchanged time is also set. */
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

export const listsOf = ({ index, byStatus }: SessionKeys): readonly string[] => [
  index,
  ...Object.values(byStatus),
];
