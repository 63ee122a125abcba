import { err, ok, type Result } from 'neverthrow';
import { misconfigured, type StoreError } from '../../src/session/errors.js';
import { type Fields, isFields } from '../../src/session/fields.js';
import type { Changed } from '../../src/store/commit.js';
import { takenIn } from '../sql/message-rows.js';
import { stateOf, unreadable } from '../sql/session-rows.js';
import { type Refused, refusedBy, refusedChange } from '../stored/refusals.js';
import { foreignAnswer } from './failure.js';

/* The outcomes of commits as the procedure commit_all returns them. */

/** Why a transaction of the host cannot contain a commit. */
const wrongTransactions: Readonly<Record<string, string>> = {
  begun: 'within: the connection is not in a transaction: begin one first',
  isolation: 'within: the transaction must have the isolation level READ COMMITTED',
};

const errorOf = (id: string, { refusal }: Fields): StoreError => {
  const wrong = wrongTransactions[String(refusal)];
  if (wrong !== undefined) return misconfigured(wrong);
  const [, part] = /^unreadable (\w+)$/.exec(String(refusal)) ?? [];
  return part === undefined ? foreignAnswer('unknown') : unreadable(id, part);
};

/** The outcome of a begin or a removal with these guards. */
export const outcomeOf = <G extends string>(
  id: string,
  guards: readonly G[],
  found: Fields,
): Result<{ readonly outcome: 'made' } | Refused<G>, StoreError> => {
  const { refusal } = found;
  if (refusal === null) return ok({ outcome: 'made' });
  const refused = refusedBy(guards, refusal);
  return refused === undefined ? err(errorOf(id, found)) : ok(refused);
};

export const changedOf = (id: string, found: Fields): Result<Changed, StoreError> => {
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
  return refused === undefined ? err(errorOf(id, found)) : ok(refused);
};
