import { ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import type { Made, Tidings } from '../../src/events/tidings.js';
import type { SessionKey } from '../../src/store.js';
import type { Call } from './connection.js';
import { eventText } from './event-text.js';
import type { Keyspace } from './keys.js';

/**
 * Writes events to the stream of their partition: after the change was made, and before it is acknowledged. The two are
 * two commands, for a script that wrote both would not be whole in a torn log. So the event of every change that was
 * acknowledged is written. That of a change whose caller got no answer is written when the caller asks again, under the
 * same id.
 */
export class EventWriter {
  readonly #keys: Keyspace;
  /** How many events a stream keeps; without it none are written. */
  readonly #length: number | undefined;

  constructor(keys: Keyspace, length: number | undefined) {
    this.#keys = keys;
    this.#length = length;
  }

  /** What fails here leaves the outcome of the whole unknown, whatever the failure says of itself: the change was made. */
  async tell(call: Call, key: SessionKey, made: Made, tidings: Tidings): Promise<Result<unknown, StoreUnavailable>> {
    const length = this.#length;
    if (length === undefined) return ok(undefined);
    const { events, path } = this.#keys.of(key);
    const text = eventText(path, made, tidings);
    const told = await call.send(async (client) =>
      client.xadd?.(events, 'MAXLEN', '~', String(length), '*', 'e', text),
    );
    return told.mapErr(({ error }) => ({ ...error, outcome: 'unknown' }));
  }
}
