import { err, ok } from 'neverthrow';
import { chain } from '../answer.js';
import {
  type Conflict,
  type CorruptRecord,
  conflict,
  type InvalidInput,
  type InvalidTransition,
  type NotFound,
  notFound,
  type StoreUnavailable,
} from '../errors.js';
import type { StateRecord } from '../session/record.js';
import type { SessionState } from '../session/session.js';
import { advance } from '../session/timeline.js';
import { progressAt } from '../session/view.js';
import type { SessionCommand } from '../status.js';
import type { Answer, SessionKey } from '../store.js';
import type { Settings } from './settings.js';

export interface OperationOptions {
  /**
   * Makes the call safe to repeat: a name for this one operation on this session, 1 to 64 of the characters
   * `A-Z a-z 0-9 _ . ~ : -`, that no other operation on it has.
   */
  readonly operationId?: string;
}

export type ChangeError = InvalidInput | NotFound | InvalidTransition | Conflict | StoreUnavailable | CorruptRecord;

/** So often a change is decided anew because somebody else was faster. Every round lost is a change of another's. */
const ROUNDS = 32;

/**
 * Moves a session by the transition table. The state is written only over the very one that the move was computed
 * from; whoever finds that another came first reads again and decides again.
 */
export const changeSession = (
  settings: Settings,
  key: SessionKey,
  command: SessionCommand,
  operationId: string | undefined,
): Answer<SessionState, ChangeError> => {
  const { store, idleTimeoutMs, retentionMs } = settings;
  /** Nothing is changed; but whoever made the change may have died before it was told. */
  const again = (current: StateRecord, now: number): Answer<SessionState, ChangeError> => {
    const progress = ok(progressAt(key.id, current, now));
    return store.events === undefined ? progress : chain(store.events.repeat(key), () => progress);
  };
  const attempt = (round: number): Answer<SessionState, ChangeError> =>
    chain(store.findState(key), (current) =>
      chain(settings.now(), (now): Answer<SessionState, ChangeError> => {
        if (current === undefined) return err(notFound(key.id));
        if (operationId !== undefined && current.operations.includes(operationId)) {
          return again(current, now);
        }
        return chain(advance(current, command, { now, operationId, idleTimeoutMs, retentionMs }), (next) => {
          if (next === current) return again(current, now);
          return chain(store.replace(key, next), (outcome): Answer<SessionState, ChangeError> => {
            if (outcome === 'replaced') return ok(progressAt(key.id, next, now));
            if (outcome === 'missing') return err(notFound(key.id));
            return round < ROUNDS ? attempt(round + 1) : err(conflict(key.id));
          });
        });
      }),
    );
  return attempt(1);
};
