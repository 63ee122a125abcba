import type { Appended, OperationErrors, ResultAsync, SessionService } from '../../../src/index.js';
import type { Asked } from './rewinders.js';

/** Sends an append or a rewind. */
export const carryOut = (
  sessions: SessionService,
  id: string,
  { contents, operationId, ifPosition, to }: Asked,
): ResultAsync<Appended, OperationErrors['rewind']> => {
  const entries = contents.map((content) => ({ role: 'user', content }));
  if (to === undefined)
    return sessions.append(id, entries, {
      operationId,
      ...(ifPosition !== undefined && { ifPosition }),
    });
  return sessions.rewind(id, { to, entries, ifPosition: ifPosition ?? 0, operationId });
};
