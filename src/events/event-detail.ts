import { timestampOf } from '../session/clock.js';
import type { StateRecord } from '../session/session-record.js';
import type { EndReason } from '../session/session-status.js';
import type { SessionKey } from '../store/session-store.js';
import type { SessionEvent } from './session-event.js';

/** Identifies one change of one session. */
export interface ChangeId {
  /** See `SessionRecord.birth`. */
  readonly birth: string;
  readonly sequence: number;
}

/** The type of a change and its details. `at` is in milliseconds since the epoch. */
export type EventDetail =
  | { readonly type: 'created' | 'started' | 'paused' | 'resumed' | 'deleted'; readonly at: number }
  | { readonly type: 'terminated'; readonly at: number; readonly endReason: EndReason }
  | { readonly type: 'appended'; readonly at: number; readonly position: number };

/** The detail for a state that the session has just entered. IDLE means that the session was created. */
export const eventDetailOf = (wasPaused: boolean, state: StateRecord): EventDetail => {
  const at = state.since;
  if (state.status === 'TERMINATED') return { type: 'terminated', at, endReason: state.endReason };
  if (state.status === 'PAUSED') return { type: 'paused', at };
  if (state.status === 'IDLE') return { type: 'created', at };
  return { type: wasPaused ? 'resumed' : 'started', at };
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
  return Object.freeze({ ...base, type: `session.${detail.type}` });
};
