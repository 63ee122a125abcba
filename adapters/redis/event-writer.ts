import { ok, type Result } from 'neverthrow';
import type { Made, Tidings } from '../../src/events/tidings.js';
import type { SessionKey, StoreError } from '../../src/store.js';
import type { Connection } from './connection.js';
import { eventText } from './event-text.js';
import { failed } from './failure.js';
import type { Keyspace } from './keys.js';

/**
 * Tells of changes in the stream of their partition: after the change was made, and before it is acknowledged. The two
 * are two commands, for a script that wrote both would not be whole in a torn log. So a change that was acknowledged has
 * been told. One whose caller got no answer may not have been; it is when the caller asks again, which is recognised
 * and told again, under the same id. Of one that nobody asks for again the next event's number tells.
 */
export class EventWriter {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  /** How many events a stream keeps; none tells nothing. */
  readonly #length: number | undefined;

  constructor(connection: Connection, keys: Keyspace, length: number | undefined) {
    this.#connection = connection;
    this.#keys = keys;
    this.#length = length;
  }

  async tell(
    key: SessionKey,
    made: Made | undefined,
    tidings: Tidings,
    end: number,
  ): Promise<Result<unknown, StoreError>> {
    const length = this.#length;
    if (length === undefined || made === undefined) return ok(undefined);
    const { events, due } = this.#keys.of(key);
    const text = eventText(due, made, tidings);
    const told = await this.#connection.tell(
      async (client) => client.xadd?.(events, 'MAXLEN', '~', String(length), '*', 'e', text),
      end,
    );
    return told.mapErr(failed(key));
  }
}
