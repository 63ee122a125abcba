import { err, type Result } from 'neverthrow';
import { changeStatus } from '../session/change-status.js';
import { type InvalidTransition, tooManyActive } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionState } from '../session/session.js';
import type { StatusCommand } from '../session/session-status.js';
import type { SessionKey } from '../store/session-store.js';
import { activeSessionsOf } from './active-sessions.js';
import { applyCommand, parseFencedOptions } from './apply-command.js';
import type { Settings } from './settings.js';
import type { LiveCap } from './update-state.js';

export const changeSession = async <E = never>(
  settings: Settings,
  key: SessionKey,
  command: StatusCommand,
  options: unknown,
  cap?: LiveCap<E>,
): Promise<Result<SessionState, OperationErrors['pause'] | E>> => {
  const read = parseFencedOptions(settings, key, options);
  if (read.isErr()) return err(read.error);
  const { operationId } = read.value;
  return applyCommand<InvalidTransition | E>(
    settings,
    key,
    { command, ...read.value },
    (current, now) => changeStatus(current, command, { now, operationId }),
    cap,
  );
};

export const startSession = async (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['start']>> => {
  const limit = activeSessionsOf(settings);
  if (limit.isErr()) return err(limit.error);
  const sessions = limit.value;
  if (sessions === undefined) return changeSession(settings, key, 'start', options);
  const cap = { sessions, error: tooManyActive(key.id, sessions) };
  return changeSession(settings, key, 'start', options, cap);
};
