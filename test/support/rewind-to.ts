import type { ResultAsync } from 'neverthrow';
import type {
  Appended,
  NewHistoryEntry,
  OperationErrors,
  SessionService,
} from '../../src/index.js';

/** Rewinds from the current end of the history. */
export const rewindTo = (
  sessions: Pick<SessionService, 'history' | 'rewind'>,
  id: string,
  to: number,
  entries: readonly NewHistoryEntry[] = [],
): ResultAsync<Appended, OperationErrors['rewind'] | OperationErrors['history']> =>
  sessions
    .history(id, { last: 1 })
    .andThen(({ position: ifPosition }) => sessions.rewind(id, { to, entries, ifPosition }));
