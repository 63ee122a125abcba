import { statusDetailOf } from '../session/event-detail.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionHead, StateRecord } from '../session/session-record.js';
import type { BeginCommit, EventPart } from '../store/commit.js';

/** A new session: IDLE or started, empty or with the beginning of a history. */
export interface Creation {
  readonly head: SessionHead;
  readonly state: StateRecord;
  readonly entries: readonly HistoryEntry[];
  readonly guards: BeginCommit['guards'];
}

/** The creation, the start and the first entries are one change each. */
const eventsOf = ({ head, state, entries }: Creation): readonly EventPart[] => {
  const at = Date.parse(head.createdAt);
  const events: EventPart[] = [{ type: 'created', at }];
  if (state.status !== 'IDLE') events.push(statusDetailOf(false, state));
  if (entries.length > 0) events.push({ type: 'appended', at });
  return events;
};

export const planCreate = (tenant: string, creation: Creation): BeginCommit => {
  const { head, state, entries, guards } = creation;
  return {
    key: { tenant, id: head.id },
    guards,
    effects: { head, state, entries, events: eventsOf(creation) },
  };
};
