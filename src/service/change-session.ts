import { err, ok, type Result } from 'neverthrow';
import type { ChangeError } from '../errors.js';
import { conflict, notFound } from '../errors.js';
import type { SessionState } from '../session/session.js';
import type { SessionCommand } from '../session/session-status.js';
import { advance, progressAt } from '../session/timeline.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

export interface OperationOptions {
  /**
   * Makes the call safe to repeat: an id that is unique among the operations on this session, 1 to 64 of the characters
   * `A-Z a-z 0-9 _ . ~ : -`.
   */
  readonly operationId?: string;
}

/** Maximum number of attempts. An attempt fails when another caller changes the session first. */
const MAX_ATTEMPTS = 32;

/**
 * Applies a command. The store replaces the state only if it is still the one that was read; otherwise the state is
 * read and the command applied again.
 */
export const changeSession = async (
  { store, now, idleTimeoutMs, retentionMs }: Settings,
  key: SessionKey,
  command: SessionCommand,
  operationId: string | undefined,
): Promise<Result<SessionState, ChangeError>> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const found = await store.findState(key);
    if (found.isErr()) return err(found.error);
    const time = now();
    if (time.isErr()) return err(time.error);
    const current = found.value;
    if (current === undefined) return err(notFound(key.id));
    const isRepeated = operationId !== undefined && current.operations.includes(operationId);
    const advanced = isRepeated
      ? ok(current)
      : advance(current, command, { now: time.value, operationId, idleTimeoutMs, retentionMs });
    if (advanced.isErr()) return err(advanced.error);
    const next = advanced.value;
    if (next === current) {
      // The process that made the change may have died before it logged the event.
      const repeated = await store.events?.repeat(key);
      return repeated?.isErr() ? err(repeated.error) : ok(progressAt(key.id, current, time.value));
    }
    const replaced = await store.replace(key, next);
    if (replaced.isErr()) return err(replaced.error);
    if (replaced.value === 'replaced') return ok(progressAt(key.id, next, time.value));
    if (replaced.value === 'missing') return err(notFound(key.id));
  }
  return err(conflict(key.id));
};
