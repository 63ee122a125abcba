import type { StateRecord } from '../../src/session/record.js';
import type { AppendOutcome, DueSession } from '../../src/store.js';
import { keyOfDue } from './keys.js';
import { decodeState } from './state-text.js';

/*
 * What the scripts answer, as the port's outcomes. `undefined` stands for a reply of none of these forms: what the
 * script has found is no session that this version can read.
 */

/** An outcome, and whether the indexes know of it already. */
interface Noted<T> {
  readonly outcome: T | undefined;
  readonly isKnown: boolean;
}

const noted = (reply: unknown): readonly [outcome: unknown, isKnown: boolean] =>
  Array.isArray(reply) ? [reply[0], reply[1] === 1] : [reply, true];

export const insertOutcome = (reply: unknown): Noted<'inserted' | 'taken'> => {
  const [outcome, isKnown] = noted(reply);
  return { outcome: outcome === 'inserted' || outcome === 'taken' ? outcome : undefined, isKnown };
};

export const replaceOutcome = (reply: unknown): Noted<'replaced' | 'stale' | 'missing'> => {
  const [outcome, isKnown] = noted(reply);
  const isOutcome = outcome === 'replaced' || outcome === 'stale' || outcome === 'missing';
  return { outcome: isOutcome ? outcome : undefined, isKnown };
};

export const removeOutcome = (reply: unknown): 'removed' | 'stale' | 'missing' | undefined =>
  reply === 'removed' || reply === 'stale' || reply === 'missing' ? reply : undefined;

const closed = (state: StateRecord | undefined): AppendOutcome | undefined => state && { outcome: 'closed', state };

export const appendOutcome = (reply: unknown): AppendOutcome | undefined => {
  if (typeof reply === 'number') return { outcome: 'appended', position: reply };
  if (reply === 'missing') return { outcome: reply };
  const [outcome, value]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return outcome === 'closed' && typeof value === 'string' ? closed(decodeState(value)) : undefined;
};

/** The members of a deadline index, each followed by its deadline. */
export const dueSessions = (membersWithScores: readonly string[]): DueSession[] => {
  const due: DueSession[] = [];
  for (let at = 0; at + 1 < membersWithScores.length; at += 2) {
    due.push({ ...keyOfDue(String(membersWithScores[at])), deadline: Number(membersWithScores[at + 1]) });
  }
  return due;
};
