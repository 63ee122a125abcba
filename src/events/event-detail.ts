import { timestampOf } from '../session/clock.js';
import type { LeaseRecord, StateRecord } from '../session/session-record.js';
import type { EndReason } from '../session/session-status.js';
import type { SessionKey } from '../store/session-store.js';
import type { SessionEvent } from './session-event.js';

/** Identifies one change of one session. */
export interface ChangeId {
  /** See `SessionRecord.birth`. */
  readonly birth: string;
  readonly sequence: number;
}

/** The events that have no details but their time. */
export type SimpleEvent = 'created' | 'started' | 'paused' | 'resumed' | 'deleted';

/** The type of a change and its details. `at` is in milliseconds since the epoch. */
export type EventDetail =
  | { readonly type: SimpleEvent; readonly at: number }
  | { readonly type: 'leased' | 'released'; readonly at: number; readonly holder: string }
  | { readonly type: 'terminated'; readonly at: number; readonly endReason: EndReason }
  | { readonly type: 'appended'; readonly at: number; readonly position: number };

/** The detail of a state that the session has just entered. IDLE means that the session was created. */
export const statusDetailOf = (wasPaused: boolean, state: StateRecord): EventDetail => {
  const at = state.since;
  if (state.status === 'TERMINATED') return { type: 'terminated', at, endReason: state.endReason };
  if (state.status === 'PAUSED') return { type: 'paused', at };
  if (state.status === 'IDLE') return { type: 'created', at };
  return { type: wasPaused ? 'resumed' : 'started', at };
};

/** The detail of a lease that was just taken or released. */
export const leaseDetailOf = ({ holder, takenAt, releasedAt }: LeaseRecord): EventDetail =>
  releasedAt === undefined ? { type: 'leased', at: takenAt, holder } : { type: 'released', at: releasedAt, holder };

/** The detail of the change from one state to the next; undefined if it is none, such as a renewed lease. */
export const changeDetailOf = (previous: StateRecord, next: StateRecord): EventDetail | undefined => {
  if (previous.status !== next.status) return statusDetailOf(previous.status === 'PAUSED', next);
  const [before, lease] = [previous.lease, next.lease];
  if (lease === undefined) return undefined;
  const isTaken = lease.fencingToken !== before?.fencingToken;
  const isReleased = lease.releasedAt !== undefined && before?.releasedAt === undefined;
  return isTaken || isReleased ? leaseDetailOf(lease) : undefined;
};

/** The event as watchers receive it. */
export const eventOf = (
  { tenant, id: sessionId }: SessionKey,
  { birth, sequence }: ChangeId,
  detail: EventDetail,
  position: string,
): SessionEvent => {
  const id = `${birth}.${sequence}`;
  const base = { id, tenant, sessionId, sequence, at: timestampOf(detail.at), position };
  if (detail.type === 'appended') {
    return Object.freeze({ ...base, type: 'session.appended', historyPosition: detail.position });
  }
  if (detail.type === 'terminated') {
    return Object.freeze({ ...base, type: 'session.terminated', endReason: detail.endReason });
  }
  if (detail.type === 'leased' || detail.type === 'released') {
    return Object.freeze({ ...base, type: `session.${detail.type}`, holder: detail.holder });
  }
  return Object.freeze({ ...base, type: `session.${detail.type}` });
};
