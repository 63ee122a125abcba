import { err, ok, type Result } from 'neverthrow';
import { misconfigured, type StoreError } from '../../src/session/errors.js';
import { type Fields, isFields } from '../../src/session/fields.js';
import type {
  BeginCommit,
  Begun,
  ChangeCommit,
  Changed,
  RemoveCommit,
  Removed,
} from '../../src/store/commit.js';
import { takenIn } from '../sql/message-rows.js';
import { stateOf, unreadable } from '../sql/session-rows.js';
import {
  BEGIN_GUARDS,
  REMOVE_GUARDS,
  type Refused,
  refusedBy,
  refusedChange,
} from '../stored/refusals.js';
import type { Answer, Call } from './call.js';
import { beginInput, type CommitInput, changeInput, removeInput } from './commit-input.js';
import { foreignAnswer } from './failure.js';
import type { CommitWriter } from './pending-commit.js';
import type { PostgresEventLog } from './postgres-event-log.js';

/** Why a transaction of the host cannot contain a commit. */
const wrongTransactions: Readonly<Record<string, string>> = {
  begun: 'within: the connection is not in a transaction: begin one first',
  isolation: 'within: the transaction must have the isolation level READ COMMITTED',
};

/** The error of an outcome that a commit cannot have, or that a damaged record prevents. */
const outcomeErrorOf = (id: string, { refusal }: Fields): StoreError => {
  const wrong = wrongTransactions[String(refusal)];
  if (wrong !== undefined) return misconfigured(wrong);
  const [, part] = /^unreadable (\w+)$/.exec(String(refusal)) ?? [];
  return part === undefined ? foreignAnswer('unknown') : unreadable(id, part);
};

const outcomeOf = <G extends string>(
  id: string,
  guards: readonly G[],
  found: Fields,
): Result<{ readonly outcome: 'made' } | Refused<G>, StoreError> => {
  const { refusal } = found;
  const outcome = refusal === null ? { outcome: 'made' as const } : refusedBy(guards, refusal);
  return outcome === undefined ? err(outcomeErrorOf(id, found)) : ok(outcome);
};

const changedOf = (id: string, found: Fields): Result<Changed, StoreError> => {
  const { refusal, answer } = found;
  const position = Number(found['end_position'] ?? 0);
  if (refusal === null && typeof answer === 'string')
    return takenIn(id, answer, position).map((messages) => ({
      outcome: 'made',
      position,
      messages,
    }));
  if (refusal === null) return ok({ outcome: 'made', position });
  if (refusal === 'repeated') return ok({ outcome: 'repeated', position });
  const stateIn = () => (isFields(answer) ? stateOf(answer) : undefined);
  const refused = refusedChange(refusal, position, stateIn);
  if (refused === 'corrupt') return err(unreadable(id, 'state'));
  return refused === undefined ? err(outcomeErrorOf(id, found)) : ok(refused);
};

/** Carries out commits. Each is made in one transaction with its events. */
export class SessionWriter {
  readonly #connection: { begin(): Call };
  readonly #writer: CommitWriter;
  readonly #events: PostgresEventLog | undefined;

  /** `events`: where events are published after each commit. */
  constructor(connection: { begin(): Call }, writer: CommitWriter, events?: PostgresEventLog) {
    this.#connection = connection;
    this.#writer = writer;
    this.#events = events;
  }

  async begin(commit: BeginCommit): Answer<Begun, StoreError> {
    const written = await this.#write(beginInput(commit));
    return written.andThen((found) => outcomeOf(commit.key.id, BEGIN_GUARDS, found));
  }

  async change(commit: ChangeCommit): Answer<Changed, StoreError> {
    const written = await this.#write(changeInput(commit));
    return written.andThen((found) => changedOf(commit.key.id, found));
  }

  async remove(commit: RemoveCommit): Answer<Removed, StoreError> {
    const written = await this.#write(removeInput(commit));
    return written.andThen((found) => outcomeOf(commit.key.id, REMOVE_GUARDS, found));
  }

  /** Makes a commit, and publishes its events. */
  async #write(commit: CommitInput): Answer<Fields, StoreError> {
    const written = await this.#writer.write(this.#connection.begin(), commit);
    const isMade = written.isOk() && written.value['refusal'] === null;
    if (isMade && 'events' in commit && commit.events.length > 0) this.#events?.publishSoon();
    return written;
  }
}
