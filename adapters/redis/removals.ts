import { err, ok, type Result } from 'neverthrow';
import type { SessionKey, StoreError } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import type { Failure } from './failure.js';
import { dropScript, forgetScript, unlistRemovalScript } from './index-scripts.js';
import { type Keyspace, keyOfPath } from './keys.js';
import type { SessionIndex } from './session-index.js';

/** How long a removal is remembered, in milliseconds: a write that arrives twice does so within that time. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** What removals leave behind, and how it goes. */
export class Removals {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #index: SessionIndex;

  constructor(connection: Connection, keys: Keyspace, index: SessionIndex) {
    this.#connection = connection;
    this.#keys = keys;
    this.#index = index;
  }

  /**
   * Takes away what stands beside a session that is not there; one that is there is left as it is. Gives how much there
   * was.
   */
  async clear(call: Call, key: SessionKey): Promise<number> {
    const { record, journal, names } = this.#keys.of(key);
    const [dropped, unlisted] = await Promise.all([
      call.write(dropScript, [record, journal, names], []),
      this.#index.dropAll(call, key),
    ]);
    return Number(dropped.unwrapOr(0)) + unlisted;
  }

  /** Forgets all removals that are older than an hour at `now`, at most `limit` of them in one step. */
  async purge(now: number, limit: number): Promise<Result<void, StoreError>> {
    const until = now - REMEMBERED_MS;
    let failure: StoreError | undefined;
    for (let partition = 0; partition < this.#keys.partitions; partition += 1) {
      const purged = await this.#purgePartition(partition, until, limit);
      if (purged.isErr()) failure ??= purged.error;
    }
    return failure === undefined ? ok(undefined) : err(failure);
  }

  async #purgePartition(partition: number, until: number, limit: number): Promise<Result<void, StoreError>> {
    const { removals } = this.#keys.partition(partition);
    for (;;) {
      const call = this.#connection.begin();
      const old = await call.read((client) => client.zrangebyscore(removals, '-inf', until, 'LIMIT', 0, limit));
      if (old.isErr()) return err(old.error.error);
      const forgotten = await Promise.all(old.value.map((path) => this.#forget(call, path, until)));
      const failed = forgotten.find((each) => each.isErr());
      if (failed?.isErr()) return err(failed.error.error);
      if (old.value.length < limit) return ok(undefined);
    }
  }

  async #forget(call: Call, path: string, until: number): Promise<Result<unknown, Failure>> {
    const { record, removals } = this.#keys.of(keyOfPath(path));
    const args = [path, String(until)];
    const forgotten = await call.write(forgetScript, [record, removals], args);
    return forgotten.isErr() ? forgotten : call.write(unlistRemovalScript, [record, removals], args);
  }
}
