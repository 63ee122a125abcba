import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { rowsIn } from '../sql/query.js';
import { parseStored } from '../stored/json.js';
import { type Answer, Call, isUndone } from './call.js';
import type { CommitInput } from './commit-input.js';
import { foreignAnswer, timedOut } from './failure.js';
import { arrayOf } from './prepared-statements.js';

export type Written = Result<Fields, StoreUnavailable | Misconfigured>;

export interface CommitWriter {
  write(call: Call, commit: CommitInput): Promise<Written>;
}

export interface PendingCommit {
  readonly tenant: string;
  readonly key: string;
  readonly text: string;
  readonly call: Call;
  readonly hasEvents: boolean;
  /** Whether it counts the live sessions of its tenant. */
  readonly counts: boolean;
  progress: 'waiting' | 'leaving' | 'sent' | 'given up';
}

export const pendingOf = async (call: Call, commit: CommitInput): Answer<PendingCommit> => {
  const { tenant } = commit;
  const text = JSON.stringify(commit);
  const deployment = await call.deployment();
  if (deployment.isErr()) return err(deployment.error);
  const hasEvents = deployment.value.eventsLength > 0;
  const counts = 'live_limit' in commit && commit.live_limit !== undefined;
  const key = `${tenant}:${commit.id}`;
  return ok({ tenant, key, text, call, hasEvents, counts, progress: 'waiting' });
};

export const gaveUp: Written = err(timedOut('not_applied').error);

export const isSendable = ({ progress, call }: PendingCommit): boolean =>
  progress === 'waiting' && !call.isOver;

/**
 * How long a commit waits for a lock while others wait for it: in milliseconds, and of its time.
 */
const LOCK_MS = 250;
const LOCK_SHARE = 0.25;
/** For a commit that no other waits for. The refusal must arrive before the timeout. */
const LOCK_SHARE_ALONE = 0.9;

export const briefly = ({ serverMs }: Call): number =>
  Math.ceil(Math.min(LOCK_MS, serverMs * LOCK_SHARE));

export const patiently = ({ serverMs }: Call): number => Math.ceil(serverMs * LOCK_SHARE_ALONE);

/** Sorted, so that all processes lock the tenants in one order. */
const countedBy = (commits: readonly PendingCommit[]): readonly string[] => {
  const counting = commits.filter(({ counts }) => counts);
  return [...new Set(counting.map(({ tenant }) => tenant))].sort();
};

/**
 * Makes commits in one statement and one transaction, and returns an outcome for each. `wait`: the
 * milliseconds that the server waits for each lock. `channel`: only within a transaction of the
 * host.
 */
export const sendCommits = async (
  commits: readonly [PendingCommit, ...PendingCommit[]],
  wait: (call: Call) => number,
  channel: string | null = null,
): Promise<Result<readonly Fields[], StoreUnavailable | Misconfigured>> => {
  const [{ call: first, hasEvents }, ...more] = commits;
  const call = Call.together(first, ...more.map((each) => each.call));
  for (const each of commits) each.progress = 'leaving';
  const onSent = () => {
    for (const each of commits) if (each.progress === 'leaving') each.progress = 'sent';
  };
  const texts = commits.map(({ text }) => text).join(',');
  const values = [`[${texts}]`, arrayOf(countedBy(commits)), hasEvents, wait(call), channel];
  const rows = await call.run('commit_all', values, ['results'], onSent);
  if (rows.isOk()) {
    const outcomes = rowsIn(parseStored(rows.value[0]?.['results']));
    return outcomes?.length === commits.length ? ok(outcomes) : err(foreignAnswer('unknown'));
  }
  if (isUndone(rows.error)) {
    for (const each of commits) if (each.progress !== 'given up') each.progress = 'waiting';
  }
  return err(rows.error);
};

export const outcomeAt = (outcomes: readonly Fields[], at: number): Written =>
  ok(outcomes[at] ?? {});

export const sendAlone = async (
  commit: PendingCommit,
  wait: (call: Call) => number,
  channel?: string,
): Promise<Written> => {
  if (!isSendable(commit)) return gaveUp;
  const sent = await sendCommits([commit], wait, channel);
  return sent.andThen((outcomes) => outcomeAt(outcomes, 0));
};

/**
 * Makes each commit as a step of the host's transaction. PostgreSQL notifies the channel at the end
 * of the transaction, so that the next reader publishes its events.
 */
export const stepWriter = (channel: string): CommitWriter => ({
  async write(call, commit) {
    const pending = await pendingOf(call, commit);
    if (pending.isErr()) return err(pending.error);
    return sendAlone(pending.value, patiently, channel);
  },
});
