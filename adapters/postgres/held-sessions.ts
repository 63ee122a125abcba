import { err } from 'neverthrow';
import { atEndOfTurn } from '../lanes/end-of-turn.js';
import { Lane } from '../lanes/lane.js';
import { isUndone } from './call.js';
import {
  briefly,
  gaveUp,
  isSendable,
  outcomeAt,
  type PendingCommit,
  patiently,
  sendAlone,
  sendCommits,
  type Written,
} from './pending-commit.js';

interface Waiting {
  readonly commit: PendingCommit;
  readonly resolve: (written: Written) => void;
}

/** Each session that waits for a lock occupies a connection. */
const LANE = { groups: 2, calls: 1, bytes: 1, soon: atEndOfTurn } as const;

const MOST_CHANGES = 64;
const MOST_CHARACTERS = 1 << 20;

const firstOf = (queue: readonly Waiting[]): readonly Waiting[] => {
  let length = 0;
  const end = queue.slice(0, MOST_CHANGES).findIndex(({ commit }, at) => {
    length += commit.text.length;
    return at > 0 && length > MOST_CHARACTERS;
  });
  return queue.slice(0, end === -1 ? MOST_CHANGES : end);
};

/**
 * Commits of sessions that other transactions hold. They wait here, so that no group with commits
 * of other sessions waits for these locks. The commits of a session keep their order.
 */
export class HeldSessions {
  readonly #lane = new Lane<string, undefined>({
    ...LANE,
    make: (keys) => Promise.all(keys.map((key) => this.#makeAll(key))),
  });
  readonly #queues = new Map<string, Waiting[]>();

  /** While commits of a session wait, later commits must wait too. */
  has(key: string): boolean {
    return this.#queues.has(key);
  }

  wait(commit: PendingCommit): Promise<Written> {
    const { tenant, key } = commit;
    return new Promise((resolve) => {
      const queue = this.#queues.get(key);
      queue?.push({ commit, resolve });
      if (queue !== undefined) return;
      this.#queues.set(key, [{ commit, resolve }]);
      void this.#lane.run(key, { tenant, key, bytes: 0 });
    });
  }

  async #makeAll(key: string): Promise<undefined> {
    const queue = this.#queues.get(key) ?? [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const written = await sendAlone(next.commit, patiently);
      next.resolve(written);
      // The lock is gone. One by one, a session whose commits keep arriving would never catch up.
      while (written.isOk() && (await this.#makeTogether(queue)));
    }
    this.#queues.delete(key);
  }

  async #makeTogether(queue: Waiting[]): Promise<boolean> {
    const all = firstOf(queue);
    const sendable = all.map(({ commit }) => commit).filter(isSendable);
    const [first, ...more] = sendable;
    if (first === undefined) return false;
    const sent = await sendCommits([first, ...more], briefly);
    if (sent.isErr() && isUndone(sent.error)) return false;
    queue.splice(0, all.length);
    const outcomes = sent.map(
      (found) => new Map(sendable.map((each, at) => [each, outcomeAt(found, at)])),
    );
    for (const { commit, resolve } of all) {
      if (!sendable.includes(commit)) resolve(gaveUp);
      else resolve(outcomes.isErr() ? err(outcomes.error) : (outcomes.value.get(commit) ?? gaveUp));
    }
    return true;
  }
}
