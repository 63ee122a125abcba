import { err } from 'neverthrow';
import { atEndOfTurn } from '../lanes/end-of-turn.js';
import { Lane } from '../lanes/lane.js';
import { type Call, isUndone } from './call.js';
import type { CommitInput } from './commit-input.js';
import { isHeldUp, timedOut } from './failure.js';
import { HeldSessions } from './held-sessions.js';
import {
  briefly,
  type CommitWriter,
  gaveUp,
  isSendable,
  outcomeAt,
  type PendingCommit,
  pendingOf,
  sendAlone,
  sendCommits,
  type Written,
} from './pending-commit.js';

/**
 * The outcome of a commit. It is a promise if another transaction holds the session, so that the
 * rest of the group need not wait for it.
 */
interface Settling {
  readonly written: Written | Promise<Written>;
}

/** With one group, client and server wait for each other. More than four gain nothing. */
const GROUPS = { groups: 4, calls: 64, bytes: 1 << 20, soon: atEndOfTurn } as const;

/** One order in all processes, so that groups that lock the same sessions cannot deadlock. */
const bySession = (a: PendingCommit, b: PendingCommit): number => {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
};

const sessionsIn = (commits: readonly PendingCommit[]): readonly (readonly PendingCommit[])[] => {
  const sessions = new Map<string, PendingCommit[]>();
  for (const commit of commits) {
    const earlier = sessions.get(commit.key);
    if (earlier === undefined) sessions.set(commit.key, [commit]);
    else earlier.push(commit);
  }
  return [...sessions.values()];
};

/**
 * Writes commits that arrive together in one statement and one transaction. Each commit keeps its
 * timeout and its outcome, and the commits of a session keep their order.
 */
export class GroupWriter implements CommitWriter {
  readonly #lane = new Lane<PendingCommit, Settling>({
    ...GROUPS,
    make: (group) => this.#make(group),
  });
  readonly #held = new HeldSessions();

  write(call: Call, commit: CommitInput): Promise<Written> {
    return call.track(this.#write(call, commit));
  }

  async #write(call: Call, commit: CommitInput): Promise<Written> {
    const made = await pendingOf(call, commit);
    if (made.isErr()) return err(made.error);
    const pending = made.value;
    const { tenant, key, text } = pending;
    // A fork locks two sessions, and in a group it could not keep the order of locks.
    const isFork = 'source' in commit && commit.source !== undefined;
    const bytes = isFork ? Number.POSITIVE_INFINITY : text.length;
    const sent = this.#lane.run(pending, { tenant, key, bytes });
    const result = await call.within(sent.then(({ written }) => written));
    if (result !== undefined) return result;
    const outcome = pending.progress === 'sent' ? 'unknown' : 'not_applied';
    pending.progress = 'given up';
    return err(timedOut(outcome).error);
  }

  async #make(group: readonly PendingCommit[]): Promise<readonly Settling[]> {
    const held = group.filter(({ key }) => this.#held.has(key));
    const waiting = new Map(held.map((each) => [each, this.#held.wait(each)]));
    const free = group.filter((each) => !waiting.has(each) && isSendable(each));
    const made = await this.#makeTogether(free.toSorted(bySession));
    return group.map((each) => ({
      written: waiting.get(each) ?? made.get(each)?.written ?? gaveUp,
    }));
  }

  async #makeTogether(
    commits: readonly PendingCommit[],
  ): Promise<ReadonlyMap<PendingCommit, Settling>> {
    const [first, second, ...more] = commits;
    if (first === undefined || second === undefined) return this.#makeOneByOne(commits);
    const sent = await sendCommits([first, second, ...more], briefly);
    if (sent.isErr() && isUndone(sent.error)) return this.#makeOneByOne(commits);
    return new Map(
      commits.map((each, at) => [
        each,
        { written: sent.isErr() ? err(sent.error) : outcomeAt(sent.value, at) },
      ]),
    );
  }

  /** After a group was undone, only the faulty commits must fail. */
  async #makeOneByOne(
    commits: readonly PendingCommit[],
  ): Promise<ReadonlyMap<PendingCommit, Settling>> {
    const results = new Map<PendingCommit, Settling>();
    const make = async (ofOneSession: readonly PendingCommit[]): Promise<void> => {
      for (const commit of ofOneSession) results.set(commit, await this.#makeUnlessHeld(commit));
    };
    await Promise.all(sessionsIn(commits).map(make));
    return results;
  }

  async #makeUnlessHeld(commit: PendingCommit): Promise<Settling> {
    if (this.#held.has(commit.key)) return { written: this.#held.wait(commit) };
    const written = await sendAlone(commit, briefly);
    const isHeld = written.isErr() && isHeldUp(written.error);
    return { written: isHeld ? this.#held.wait(commit) : written };
  }
}
