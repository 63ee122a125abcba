import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
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
import type { Answer } from './call.js';
import { beginInput, type CommitInput, changeInput, removeInput } from './commit-input.js';
import type { Connection } from './connection.js';
import { foreignAnswer } from './failure.js';
import { GroupWriter } from './group-writer.js';
import type { PostgresEventLog } from './postgres-event-log.js';

/** The guards of refusals, by what the refusal contains. */
const BEGIN_GUARDS = ['absent', 'source', 'live'] as const;
const REMOVE_GUARDS = ['present', 'revision', 'unusedSince'] as const;
const STATE_GUARDS = ['revision', 'unusedSince', 'open', 'over', 'fence'] as const;
const POSITION_GUARDS = ['end', 'superseded'] as const;
const OTHER_GUARDS = [
  'operation',
  'message',
  'present',
  'inbox',
  'position',
  'entries',
  'dueAt',
  'live',
] as const;

interface Refused<G> {
  readonly outcome: 'refused';
  readonly guard: G;
}

type Outcome<G> = { readonly outcome: 'made' } | Refused<G>;

/** The error of an outcome that a commit cannot have, or that a damaged record prevents. */
const outcomeErrorOf = (id: string, { refusal }: Fields): StoreError => {
  const [, part] = /^unreadable (\w+)$/.exec(String(refusal)) ?? [];
  return part === undefined ? foreignAnswer('unknown') : unreadable(id, part);
};

/** A refusal that contains nothing but its guard, one of `guards`. */
const refusedBy = <G extends string>(
  id: string,
  guards: readonly G[],
  found: Fields,
): Result<Refused<G>, StoreError> => {
  const guard = guards.find((each) => each === found['refusal']);
  return guard === undefined ? err(outcomeErrorOf(id, found)) : ok({ outcome: 'refused', guard });
};

const outcomeOf = <G extends string>(
  id: string,
  guards: readonly G[],
  found: Fields,
): Result<Outcome<G>, StoreError> => {
  if (found['refusal'] === null) return ok({ outcome: 'made' });
  return refusedBy(id, guards, found);
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
  const ofPosition = POSITION_GUARDS.find((each) => each === refusal);
  if (ofPosition !== undefined) return ok({ outcome: 'refused', guard: ofPosition, position });
  const ofState = STATE_GUARDS.find((each) => each === refusal);
  if (ofState === undefined || !isFields(answer)) return refusedBy(id, OTHER_GUARDS, found);
  const state = stateOf(answer);
  if (state === undefined) return err(unreadable(id, 'state'));
  return ok({ outcome: 'refused', guard: ofState, state });
};

/** Carries out commits. Each is made in one transaction with its events. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #events: PostgresEventLog;
  readonly #groups = new GroupWriter();

  constructor(connection: Connection, events: PostgresEventLog) {
    this.#connection = connection;
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
    const written = await this.#groups.write(this.#connection.begin(), commit);
    const isMade = written.isOk() && written.value['refusal'] === null;
    if (isMade && 'events' in commit && commit.events.length > 0) this.#events.publishSoon();
    return written;
  }
}
