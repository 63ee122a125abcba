import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { Lane } from '../shared/lane.js';
import { decodeState, encodeEntry, lengthOf } from '../shared/stored-json.js';
import { unreadable } from '../sql/session-rows.js';
import { type Answer, type Call, type OpenChange, procedureCall } from './call.js';
import { timedOut } from './failure.js';

type Appended = Result<AppendOutcome, StoreError>;

/** An append on its way. */
interface Pending {
  readonly key: SessionKey;
  /** The append as `append_all` takes it. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly call: Call;
  progress: 'waiting' | 'sent' | 'given up';
}

/** With one group under way, client and server wait for each other; more than four gain nothing. */
const GROUPS = { groups: 4, calls: 64, bytes: 1 << 20 } as const;

/** Outcomes without details, which have written nothing. */
const UNCHANGED = ['missing', 'mismatch', 'lease_lost', 'invalid_position', 'full'] as const;

const inputOf = (
  { tenant, id }: SessionKey,
  append: HistoryAppend,
  entries: readonly string[],
  hasEvents: boolean,
) => ({
  tenant: escapeName(tenant),
  id: escapeName(id),
  now: append.now,
  entries,
  operation: append.operation?.id,
  digest: append.operation?.digest,
  fencing_token: append.fencingToken,
  if_position: append.ifPosition,
  after: append.after,
  max_entries: append.maxEntries,
  has_events: hasEvents,
});

const outcomeOf = ({ key }: Pending, found: unknown): Appended => {
  const { outcome, end_position: end, found_state: state, found_activity: activity } = Object(found);
  const position = Number(end);
  if (outcome === 'appended') return ok({ outcome, position });
  if (outcome === 'repeated') return ok({ outcome: 'appended', position, repeated: true });
  if (outcome === 'moved') return ok({ outcome, position });
  const known = UNCHANGED.find((each) => each === outcome);
  if (known !== undefined) return ok({ outcome: known });
  const closed = outcome === 'closed' ? decodeState(state, Number(activity)) : undefined;
  if (closed === undefined) return err(unreadable(key.id, 'state'));
  return ok({ outcome: 'closed', state: closed });
};

/** By session, and in the order of arrival for each: groups that lock the same sessions cannot deadlock. */
const bySession = (a: Pending, b: Pending): number => {
  const [one, other] = [`${a.input['tenant']}:${a.input['id']}`, `${b.input['tenant']}:${b.input['id']}`];
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

const gaveUp: Appended = err(timedOut('not_applied').error);

/** Appends that arrive together are one statement and one transaction. Each keeps its timeout and its outcome. */
export class AppendLane {
  readonly #prefix: string;
  readonly #lane = new Lane<Pending, Appended>({
    ...GROUPS,
    make: (group) => this.#make(group),
  });

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async append(
    { call, hasEvents }: OpenChange,
    key: SessionKey,
    append: HistoryAppend,
  ): Answer<AppendOutcome, StoreError> {
    const entries = append.entries.map(encodeEntry);
    const input = inputOf(key, append, entries, hasEvents);
    const pending: Pending = { key, input, call, progress: 'waiting' };
    const made = this.#lane.run(pending, lengthOf(entries));
    const result = await call.within(made);
    if (result !== undefined) return result;
    const outcome = pending.progress === 'sent' ? 'unknown' : 'not_applied';
    pending.progress = 'given up';
    return err(timedOut(outcome).error);
  }

  async #make(group: readonly Pending[]): Promise<readonly Appended[]> {
    const waiting = group.filter(({ progress }) => progress === 'waiting');
    const last = waiting.at(-1);
    if (last === undefined) return group.map(() => gaveUp);
    for (const each of waiting) each.progress = 'sent';
    const sorted = waiting.toSorted(bySession);
    // Its deadline is the latest. A call with an earlier one stops waiting by itself.
    const sent = await this.#send(last.call, sorted);
    const results = sent.isOk()
      ? sorted.map((each, at) => outcomeOf(each, sent.value[at]))
      : await this.#afterFailure(sorted, sent.error);
    const resultOf = new Map(sorted.map((each, at) => [each, results[at]]));
    return group.map((each) => resultOf.get(each) ?? gaveUp);
  }

  /** A group that was undone as a whole is made again, one by one, so that one append spoils no other. */
  async #afterFailure(sent: readonly Pending[], failure: StoreError): Promise<readonly Appended[]> {
    const isUndone = failure.type === 'store_unavailable' && failure.outcome === 'not_applied';
    if (sent.length === 1 || !isUndone) return sent.map(() => err(failure));
    return Promise.all(
      sent.map(async (each) => {
        const alone = await this.#send(each.call, [each]);
        return alone.andThen(([found]) => outcomeOf(each, found));
      }),
    );
  }

  /** The outcomes, in the order of the appends. */
  async #send(call: Call, appends: readonly Pending[]): Answer<readonly unknown[], StoreError> {
    const values = [JSON.stringify(appends.map(({ input }) => input))];
    const rows = await call.write(procedureCall(this.#prefix, 'append_all', values), values);
    return rows.map(([row]) => {
      const results: unknown = row?.['results'];
      return Array.isArray(results) ? results : [];
    });
  }
}
