import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { SessionKey } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import type { Failure } from './failure.js';
import { forgetScript, unlistRemovalScript } from './index-scripts.js';
import { type Keyspace, keyOfPath } from './keys.js';
import { removeScript } from './record-scripts.js';
import { encodeRevision } from './record-text.js';
import { runListed } from './run-listed.js';
import type { SessionIndex } from './session-index.js';
import { newWriteId } from './write-id.js';

/** How long a removal is remembered, in milliseconds: a write that arrives twice does so within that time. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** Removes sessions, and forgets what that leaves behind when its time is over. */
export class Removals {
  readonly #connection: Connection;
  readonly #keys: Keyspace;
  readonly #index: SessionIndex;

  constructor(connection: Connection, keys: Keyspace, index: SessionIndex) {
    this.#connection = connection;
    this.#keys = keys;
    this.#index = index;
  }

  /** Gives what `removeScript` does. */
  async remove(
    call: Call,
    key: SessionKey,
    revision: number | undefined,
    now: number,
  ): Promise<Result<readonly unknown[], Failure>> {
    const { record, journal, names, removals, path } = this.#keys.of(key);
    const keys = [record, journal, names, removals];
    const args = [newWriteId(), revision === undefined ? '' : encodeRevision(revision), path];
    const remembered = await runListed(call, removeScript, keys, [...args, ''], () => [
      call.send((client) => client.zadd(removals, String(now), path)),
    ]);
    if (remembered.isOk()) return remembered;
    // Where there is no room for what remembers a removal, there still is a way to remove.
    const { code } = remembered.error;
    if (code !== 'OOM' && code !== 'WRONGTYPE') return remembered;
    return runListed(call, removeScript, keys, [...args, '1'], () => []);
  }

  /** Takes a session that was not removed off the list of removals again. */
  async unlist(call: Call, key: SessionKey, now: number): Promise<number> {
    const { record, removals, path } = this.#keys.of(key);
    const unlisted = await call.write(unlistRemovalScript, [record, removals], [path, String(now)]);
    return Number(unlisted.unwrapOr(0));
  }

  /** Forgets the removals that are older than an hour at `now`, at most so many of each partition. Gives how many. */
  async purge(now: number, limit: number): Promise<Result<number, StoreError>> {
    const call = this.#connection.begin();
    const until = now - REMEMBERED_MS;
    const partitions = Array.from({ length: this.#keys.partitions }, (_, partition) => partition);
    const purged = await Promise.all(
      partitions.map(async (partition): Promise<Result<number, Failure>> => {
        const removals = this.#keys.shared('removals', partition);
        const old = await call.read((client) => client.zrangebyscore(removals, '-inf', until, 'LIMIT', 0, limit));
        if (old.isErr()) return err(old.error);
        const forgotten = await Promise.all(old.value.map((path) => this.#forget(call, keyOfPath(path), until)));
        return ok(forgotten.reduce((sum, count) => sum + count, 0));
      }),
    );
    const failed = purged.find((each) => each.isErr());
    if (failed?.isErr()) return err(failed.error.error);
    return ok(purged.reduce((sum, each) => sum + each.unwrapOr(0), 0));
  }

  /** What a crash has left beside the session goes first. */
  async #forget(call: Call, key: SessionKey, until: number): Promise<number> {
    const { record, journal, names, removals, path } = this.#keys.of(key);
    await this.#index.clear(call, key);
    await call.write(forgetScript, [record, journal, names, removals], [path, String(until)]);
    return this.unlist(call, key, until);
  }
}
