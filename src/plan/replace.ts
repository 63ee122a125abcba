import { changeDetailOf } from '../session/event-detail.js';
import type { DueKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { unusedSinceOf } from '../session/time-limits.js';
import type {
  EventPart,
  Guards,
  HistoryEffects,
  InboxEffects,
  LiveLimit,
  StateChange,
} from '../store/commit.js';

/** What changes in the same step as a state. */
export type StepEffects = Pick<HistoryEffects, 'truncate' | 'entries' | 'send'> & InboxEffects;

/** A state to store in place of the one that it was decided from. */
export interface Replacement {
  readonly previous: StateRecord;
  readonly state: StateRecord;
  readonly now: number;
  /** Given only if an IDLE session becomes ACTIVE. */
  readonly live?: LiveLimit | undefined;
  readonly guards?: Omit<Guards, 'revision' | 'unusedSince' | 'live'> | undefined;
  readonly effects?: StepEffects | undefined;
}

/** The events of a step: a message comes before the change of the state, and entries after it. */
const eventsOf = (
  event: EventPart | undefined,
  { truncate: after, entries = [], send, take, withdraw = [] }: StepEffects,
  at: number,
): readonly EventPart[] => {
  const isWritten = after !== undefined || entries.length > 0 || (take?.messages ?? 0) > 0;
  const events: EventPart[] = [];
  if (send !== undefined) events.push({ type: 'sent', at });
  if (withdraw.length > 0) events.push({ type: 'withdrawn', at });
  if (event !== undefined) events.push(event);
  if (isWritten) events.push({ type: 'appended', at, ...(after !== undefined && { after }) });
  return events;
};

export const planReplace = (
  key: DueKey,
  { previous, state, now, live, guards, effects = {} }: Replacement,
): StateChange => {
  const event = key.removal === undefined ? changeDetailOf(previous, state, now) : undefined;
  return {
    key,
    guards: {
      ...guards,
      revision: previous.revision,
      unusedSince: unusedSinceOf(previous, state),
      live,
    },
    effects: { ...effects, put: { state, previous }, events: eventsOf(event, effects, now) },
  };
};
