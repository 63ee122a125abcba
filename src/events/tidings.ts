import { timestampOf } from '../clock.js';
import type { StateRecord } from '../session/record.js';
import type { EndReason } from '../status.js';
import type { SessionKey } from '../store.js';
import type { SessionEvent } from './event.js';

/** Which change of which session it was. */
export interface Made {
  /** What no other session has, not even a later one of the same id. */
  readonly birth: string;
  /** The number of the change. */
  readonly sequence: number;
}

/** What there is to tell of a change beside that. `at` is in milliseconds since the epoch. */
export type Tidings =
  | { readonly type: 'created' | 'started' | 'paused' | 'resumed' | 'deleted'; readonly at: number }
  | { readonly type: 'terminated'; readonly at: number; readonly endReason: EndReason }
  | { readonly type: 'appended'; readonly at: number; readonly position: number };

/** What there is to tell of a state that was just entered; of one that is IDLE, that it was created. */
export const tidingsOf = (wasPaused: boolean, state: StateRecord): Tidings => {
  const at = state.since;
  if (state.status === 'TERMINATED') return { type: 'terminated', at, endReason: state.endReason };
  if (state.status === 'PAUSED') return { type: 'paused', at };
  if (state.status === 'IDLE') return { type: 'created', at };
  return { type: wasPaused ? 'resumed' : 'started', at };
};

/** The event that readers get. */
export const eventOf = (
  { tenant, id: sessionId }: SessionKey,
  { birth, sequence }: Made,
  tidings: Tidings,
  position: string,
): SessionEvent => {
  const id = `${birth}.${sequence}`;
  const base = { id, tenant, sessionId, sequence, at: timestampOf(tidings.at), position };
  if (tidings.type === 'appended') {
    return Object.freeze({ ...base, type: 'session.appended', historyPosition: tidings.position });
  }
  if (tidings.type === 'terminated') {
    return Object.freeze({ ...base, type: 'session.terminated', endReason: tidings.endReason });
  }
  return Object.freeze({ ...base, type: `session.${tidings.type}` });
};
