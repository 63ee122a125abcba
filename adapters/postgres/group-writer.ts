import { err } from 'neverthrow';
import { atEndOfTurn } from '../shared/end-of-turn.js';
import { Lane } from '../shared/lane.js';
import type { Call } from './call.js';
import type { ChangeInput } from './change-input.js';
import { isHeldUp, timedOut } from './failure.js';
import { HeldSessions } from './held-sessions.js';
import {
  briefly,
  gaveUp,
  isSendable,
  isUndone,
  outcomeAt,
  type PendingChange,
  sendAlone,
  sendChanges,
  type Written,
} from './pending-change.js';

/**
 * The outcome of a change. If another transaction holds its session, it is a promise, so that the
 * others of a group need not wait for it.
 */
interface Settling {
  readonly written: Written | Promise<Written>;
}

/** With one group under way, client and server wait for each other; more than four gain nothing. */
const GROUPS = { groups: 4, calls: 64, bytes: 1 << 20, soon: atEndOfTurn } as const;

/** The same order in all processes: groups that lock the same sessions cannot deadlock. */
const bySession = (a: PendingChange, b: PendingChange): number => {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
};

/** The changes of each session, in their order. */
const sessionsIn = (changes: readonly PendingChange[]): readonly (readonly PendingChange[])[] => {
  const sessions = new Map<string, PendingChange[]>();
  for (const change of changes) {
    const earlier = sessions.get(change.key);
    if (earlier === undefined) sessions.set(change.key, [change]);
    else earlier.push(change);
  }
  return [...sessions.values()];
};

/**
 * Writes changes that arrive together in one statement and one transaction. Each keeps its timeout
 * and its outcome, and those of one session are made in their order.
 */
export class GroupWriter {
  readonly #lane = new Lane<PendingChange, Settling>({
    ...GROUPS,
    make: (group) => this.#make(group),
  });
  readonly #held = new HeldSessions();

  write(call: Call, change: ChangeInput): Promise<Written> {
    return call.track(this.#write(call, change));
  }

  async #write(call: Call, change: ChangeInput): Promise<Written> {
    const { tenant } = change;
    const key = `${tenant}:${change.id}`;
    const text = JSON.stringify(change);
    const deployment = await call.deployment();
    if (deployment.isErr()) return err(deployment.error);
    const hasEvents = deployment.value.eventsLength > 0;
    const pending: PendingChange = { tenant, key, text, call, hasEvents, progress: 'waiting' };
    // A fork locks two sessions. Among others it could not do that in the order of all groups.
    const isFork = change.kind === 'insert' && change.source !== undefined;
    const bytes = isFork ? Number.POSITIVE_INFINITY : text.length;
    const sent = this.#lane.run(pending, { tenant, key, bytes });
    const result = await call.within(sent.then(({ written }) => written));
    if (result !== undefined) return result;
    const outcome = pending.progress === 'sent' ? 'unknown' : 'not_applied';
    pending.progress = 'given up';
    return err(timedOut(outcome).error);
  }

  async #make(group: readonly PendingChange[]): Promise<readonly Settling[]> {
    const held = group.filter(({ key }) => this.#held.has(key));
    const waiting = new Map(held.map((each) => [each, this.#held.wait(each)]));
    const free = group.filter((each) => !waiting.has(each) && isSendable(each));
    const made = await this.#makeTogether(free.toSorted(bySession));
    return group.map((each) => ({
      written: waiting.get(each) ?? made.get(each)?.written ?? gaveUp,
    }));
  }

  async #makeTogether(
    changes: readonly PendingChange[],
  ): Promise<ReadonlyMap<PendingChange, Settling>> {
    const [first, second, ...more] = changes;
    if (first === undefined || second === undefined) return this.#makeOneByOne(changes);
    const sent = await sendChanges([first, second, ...more], briefly);
    if (sent.isErr() && isUndone(sent.error)) return this.#makeOneByOne(changes);
    return new Map(
      changes.map((each, at) => [
        each,
        { written: sent.isErr() ? err(sent.error) : outcomeAt(sent.value, at) },
      ]),
    );
  }

  /** Makes changes separately after their group was undone, so that only faulty changes fail. */
  async #makeOneByOne(
    changes: readonly PendingChange[],
  ): Promise<ReadonlyMap<PendingChange, Settling>> {
    const results = new Map<PendingChange, Settling>();
    const make = async (ofOneSession: readonly PendingChange[]): Promise<void> => {
      for (const change of ofOneSession) results.set(change, await this.#makeUnlessHeld(change));
    };
    await Promise.all(sessionsIn(changes).map(make));
    return results;
  }

  async #makeUnlessHeld(change: PendingChange): Promise<Settling> {
    if (this.#held.has(change.key)) return { written: this.#held.wait(change) };
    const written = await sendAlone(change, briefly);
    const isHeld = written.isErr() && isHeldUp(written.error);
    return { written: isHeld ? this.#held.wait(change) : written };
  }
}
