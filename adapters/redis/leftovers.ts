import { Result } from 'neverthrow';
import type { SessionKey } from '../../src/store.js';
import type { Connection } from './connection.js';
import type { Failure } from './failure.js';
import { dropScript, forgetScript, unlistScript } from './index-scripts.js';
import type { Keyspace } from './keys.js';

/** What a removal, or a crash in the middle of an addition, has left beside a session that is not there. */
export class Leftovers {
  readonly #connection: Connection;
  readonly #keys: Keyspace;

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /**
   * Takes it away; a session that is there is left as it is. The list's entry goes last, for it leads here again. Gives
   * how much there was.
   */
  async clear(key: SessionKey, end?: number): Promise<Result<number, Failure>> {
    const { state, journal, names, index, deadlines, member, due } = this.#keys.of(key);
    const replies = await Promise.all([
      this.#connection.write(dropScript, [state, journal, names], [], end),
      this.#connection.write(unlistScript, [state, journal, deadlines], [due], end),
      this.#connection.write(forgetScript, [state], [], end),
      this.#connection.write(unlistScript, [state, journal, index], [member], end),
    ]);
    return Result.combine(replies).map(([dropped, unscheduled, _, unlisted]) =>
      [dropped, unscheduled, unlisted].map(Number).reduce((sum, count) => sum + count, 0),
    );
  }
}
