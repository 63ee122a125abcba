import { Result } from 'neverthrow';
import type { SessionKey } from '../../src/store.js';
import type { Connection } from './connection.js';
import type { Failure } from './failure.js';
import { dropScript, forgetScript, noteRemovalScript, unlistScript } from './index-scripts.js';
import { type Keyspace, keyOfDue } from './keys.js';

/** So long a removal is remembered, in milliseconds: what arrives twice, arrives within that time. */
const REMEMBERED_MS = 60 * 60 * 1000;

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
  async clear(key: SessionKey, end = this.#connection.endOfCall()): Promise<Result<number, Failure>> {
    const { state, journal, names, index, deadlines, removals, member, due } = this.#keys.of(key);
    const now = Date.now();
    const replies = await Promise.all([
      this.#connection.write(dropScript, [state, journal, names], [], end),
      this.#connection.write(unlistScript, [state, journal, deadlines], [due], end),
      this.#connection.write(
        noteRemovalScript,
        [state, removals],
        [due, String(now), String(now - REMEMBERED_MS)],
        end,
      ),
      this.#connection.write(unlistScript, [state, journal, index], [member], end),
    ]);
    const [, , noted] = replies;
    if (noted.isOk() && Array.isArray(noted.value)) await this.#forget(noted.value, end);
    return Result.combine(replies).map(([dropped, unscheduled, _, unlisted]) =>
      [dropped, unscheduled, unlisted].map(Number).reduce((sum, count) => sum + count, 0),
    );
  }

  /** Each removal forgets a few old ones, so that there are never many more than an hour's. */
  async #forget(removed: readonly unknown[], end: number): Promise<void> {
    for (const member of removed) {
      if (typeof member !== 'string') continue;
      const { state, journal, removals } = this.#keys.of(keyOfDue(member));
      await this.#connection.write(forgetScript, [state], [], end);
      await this.#connection.write(unlistScript, [state, journal, removals], [member], end);
    }
  }
}
