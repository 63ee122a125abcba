import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import { rowsIn } from '../sql/query.js';
import { Call } from './call.js';
import { foreignAnswer, timedOut } from './failure.js';

/** The fields of the outcome of `change_all`. */
export type Written = Result<Fields, StoreUnavailable | Misconfigured>;

/** A change on its way. */
export interface PendingChange {
  readonly tenant: string;
  /** Its session. */
  readonly key: string;
  /** The change as JSON. */
  readonly text: string;
  readonly call: Call;
  readonly hasEvents: boolean;
  progress: 'waiting' | 'sent' | 'given up';
}

export const gaveUp: Written = err(timedOut('not_applied').error);

/** Whether a change waits to be sent, and may still be. */
export const isSendable = ({ progress, call }: PendingChange): boolean =>
  progress === 'waiting' && !call.isOver;

/** How long a change waits for a lock while others wait for it: in milliseconds, and of its time. */
const LOCK_MS = 250;
const LOCK_SHARE = 0.25;
/** The same for a change for which no other waits: the refusal must come before the timeout. */
const LOCK_SHARE_ALONE = 0.9;

export const briefly = ({ serverMs }: Call): number =>
  Math.ceil(Math.min(LOCK_MS, serverMs * LOCK_SHARE));

export const patiently = ({ serverMs }: Call): number => Math.ceil(serverMs * LOCK_SHARE_ALONE);

/** Whether a failure means that the server has changed nothing. */
export const isUndone = (error: StoreUnavailable | Misconfigured): boolean =>
  error.type === 'misconfigured' || error.outcome === 'not_applied';

/**
 * Makes changes in one statement and one transaction. The outcomes are in the order of the changes.
 * `wait` is how long the server waits for each lock, in milliseconds.
 */
export const sendChanges = async (
  changes: readonly [PendingChange, ...PendingChange[]],
  wait: (call: Call) => number,
): Promise<Result<readonly Fields[], StoreUnavailable | Misconfigured>> => {
  const [{ call: first, hasEvents }, ...more] = changes;
  const call = Call.together(first, ...more.map((each) => each.call));
  for (const each of changes) each.progress = 'sent';
  const texts = changes.map(({ text }) => text).join(',');
  const values = [`[${texts}]`, hasEvents, wait(call)];
  const rows = await call.run('change_all', values, ['results']);
  if (rows.isOk()) {
    const outcomes = rowsIn(rows.value[0]?.['results']);
    return outcomes?.length === changes.length ? ok(outcomes) : err(foreignAnswer('unknown'));
  }
  if (isUndone(rows.error)) {
    for (const each of changes) if (each.progress === 'sent') each.progress = 'waiting';
  }
  return err(rows.error);
};

export const outcomeAt = (outcomes: readonly Fields[], at: number): Written =>
  ok(outcomes[at] ?? {});

/** Makes a change in a statement of its own. */
export const sendAlone = async (
  change: PendingChange,
  wait: (call: Call) => number,
): Promise<Written> => {
  if (!isSendable(change)) return gaveUp;
  const sent = await sendChanges([change], wait);
  return sent.andThen((outcomes) => outcomeAt(outcomes, 0));
};
