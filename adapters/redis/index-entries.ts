import type { StateRecord } from '../../src/session/session-record.js';
import { dueAtOf } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { labelTexts } from '../shared/label-texts.js';
import type { SessionKeys } from './keyspace.js';

/** The lists of a session with this state. What is left of a removed one is in none. */
export const listsOf = (keys: SessionKeys, state: StateRecord): readonly string[] => {
  if (keys.isLeft) return [];
  const lists = [keys.index];
  const byStatus = keys.byStatus[state.status];
  if (byStatus !== undefined) lists.push(byStatus);
  for (const label of labelTexts(state.labels)) lists.push(keys.labels + label);
  return lists;
};

/** All lists that a session may be in, but those of labels. */
export const allListsOf = ({ index, byStatus, isLeft }: SessionKeys): readonly string[] =>
  isLeft ? [] : [index, ...Object.values(byStatus)];

const timeText = (at: number): string => (at === Number.POSITIVE_INFINITY ? '' : String(at));

/** The due time of a session with this state as scripts take it: '' for never. */
export const dueText = (state: StateRecord): string => timeText(dueAtOf(state));

/** From when on it wants a worker. */
export const workText = ({ isLeft }: SessionKeys, state: StateRecord): string =>
  isLeft ? '' : timeText(wakeAtOf(state));

/** What a mutation changes in indexes, as scripts take it. */
export interface IndexChange {
  /** The lists that get the session, and those that lose it. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** Its times in the two queues: '' for none, `-` to leave it as it is. */
  readonly due: string;
  readonly work: string;
}

/** A time in a queue; a claim may have moved one of the work set, so that it is set again. */
const changed = (before: string, after: string): string =>
  before === '' && after === '' ? '-' : after;

export const indexChangeOf = (
  keys: SessionKeys,
  previous: StateRecord,
  next: StateRecord,
): IndexChange => {
  const before = listsOf(keys, previous);
  const after = listsOf(keys, next);
  return {
    gained: after.filter((list) => !before.includes(list)),
    lost: before.filter((list) => !after.includes(list)),
    due: changed(dueText(previous), dueText(next)),
    work: changed(workText(keys, previous), workText(keys, next)),
  };
};

export const indexEntryOf = (keys: SessionKeys, state: StateRecord): IndexChange => ({
  gained: listsOf(keys, state),
  lost: [],
  due: changed('', dueText(state)),
  work: changed('', workText(keys, state)),
});
