import { ResultAsync } from 'neverthrow';
import type { SessionService } from '../../src/index.js';

/** The same sessions; something happens after each read of a history, before it is returned. */
export const afterEachRead = (
  sessions: SessionService,
  happen: () => Promise<unknown>,
): SessionService =>
  Object.assign(Object.create(sessions), {
    append: sessions.append.bind(sessions),
    rewind: sessions.rewind.bind(sessions),
    get: sessions.get.bind(sessions),
    getOrCreate: sessions.getOrCreate.bind(sessions),
    history: (...args: Parameters<SessionService['history']>) => {
      const read = async () => {
        const part = await sessions.history(...args);
        await happen();
        return part;
      };
      return new ResultAsync(read());
    },
  });
