import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import { atEndOfTurn } from '../shared/end-of-turn.js';
import { Lane } from '../shared/lane.js';
import { rowsIn } from '../sql/query.js';
import type { Answer, Call } from './call.js';
import type { ChangeInput } from './change-input.js';
import { timedOut } from './failure.js';

type Written = Result<Fields, StoreError>;

/** A change on its way. */
interface Pending {
  /** Its session. */
  readonly key: string;
  /** The change as JSON. */
  readonly text: string;
  readonly call: Call;
  readonly hasEvents: boolean;
  progress: 'waiting' | 'sent' | 'given up';
}

/** With one group under way, client and server wait for each other; more than four gain nothing. */
const GROUPS = { groups: 4, calls: 64, bytes: 1 << 20, soon: atEndOfTurn } as const;

const gaveUp: Written = err(timedOut('not_applied').error);

/** Without an outcome, the answer is not one of `change_all`. */
const outcomeAt = (outcomes: readonly Fields[], at: number): Written => ok(outcomes[at] ?? {});

/** The same order in all processes: groups that lock the same sessions cannot deadlock. */
const bySession = (a: Pending, b: Pending): number => {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
};

/** The changes of each session, in their order. */
const sessionsIn = (changes: readonly Pending[]): readonly (readonly Pending[])[] => {
  const sessions = new Map<string, Pending[]>();
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
  readonly #lane = new Lane<Pending, Written>({
    ...GROUPS,
    make: (group) => this.#make(group),
  });

  /** The fields of the outcome of `change_all`. */
  async write(call: Call, change: ChangeInput): Answer<Fields, StoreError> {
    const key = `${change.tenant}:${change.id}`;
    const text = JSON.stringify(change);
    const deployment = await call.deployment();
    if (deployment.isErr()) return err(deployment.error);
    const hasEvents = deployment.value.eventsLength > 0;
    const pending: Pending = { key, text, call, hasEvents, progress: 'waiting' };
    // A fork locks two sessions. Among others it could not do that in the order of all groups.
    const isFork = change.kind === 'insert' && change.source !== undefined;
    const bytes = isFork ? Number.POSITIVE_INFINITY : text.length;
    const result = await call.within(
      this.#lane.run(pending, { tenant: change.tenant, key, bytes }),
    );
    if (result !== undefined) return result;
    const outcome = pending.progress === 'sent' ? 'unknown' : 'not_applied';
    pending.progress = 'given up';
    return err(timedOut(outcome).error);
  }

  async #make(group: readonly Pending[]): Promise<readonly Written[]> {
    const waiting = group.filter(({ progress }) => progress === 'waiting');
    const last = waiting.at(-1);
    if (last === undefined) return group.map(() => gaveUp);
    for (const each of waiting) each.progress = 'sent';
    const sorted = waiting.toSorted(bySession);
    // Its deadline is the latest. A call with an earlier one stops waiting by itself.
    const sent = await this.#send(last, sorted);
    const results = await this.#resultsOf(sorted, sent);
    return group.map((each) => results.get(each) ?? gaveUp);
  }

  async #resultsOf(
    sent: readonly Pending[],
    outcomes: Result<readonly Fields[], StoreError>,
  ): Promise<ReadonlyMap<Pending, Written>> {
    if (outcomes.isOk()) {
      return new Map(sent.map((each, at) => [each, outcomeAt(outcomes.value, at)]));
    }
    const failure = outcomes.error;
    const isUndone = failure.type === 'store_unavailable' && failure.outcome === 'not_applied';
    if (isUndone && sent.length > 1) return this.#oneByOne(sent);
    return new Map(sent.map((each) => [each, err(failure)]));
  }

  /** Makes the changes of a group that was undone as a whole, so that none spoils another. */
  async #oneByOne(changes: readonly Pending[]): Promise<ReadonlyMap<Pending, Written>> {
    const results = new Map<Pending, Written>();
    const make = async (ofOneSession: readonly Pending[]): Promise<void> => {
      for (const change of ofOneSession) {
        const sent = await this.#send(change, [change]);
        const written = sent.andThen((outcomes) => outcomeAt(outcomes, 0));
        results.set(change, written);
      }
    };
    await Promise.all(sessionsIn(changes).map(make));
    return results;
  }

  /** Makes the changes in the call of one of them. The outcomes are in the order of the changes. */
  async #send(
    { call, hasEvents }: Pending,
    changes: readonly Pending[],
  ): Answer<readonly Fields[], StoreError> {
    const values = [`[${changes.map(({ text }) => text).join(',')}]`, hasEvents];
    const rows = await call.run('change_all', values);
    return rows.map(([row]) => rowsIn(row?.['results']));
  }
}
