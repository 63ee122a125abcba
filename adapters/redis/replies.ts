import type { Made } from '../../src/events/tidings.js';
import type { StateRecord } from '../../src/session/record.js';
import type { AppendOutcome, DueSession } from '../../src/store.js';
import { keyOfDue } from './keys.js';
import { decodeState } from './state-text.js';

/*
 * What the scripts answer, as the port's outcomes. `undefined` stands for a reply of none of these forms: what the
 * script has found is no session that this version can read.
 */

/** An outcome, and the change behind it where there is one. */
interface Outcome<T> {
  readonly outcome: T | undefined;
  readonly made?: Made | undefined;
}

/** The same, and whether the indexes know of it already. */
interface Noted<T> extends Outcome<T> {
  readonly isKnown: boolean;
}

const partsOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : [reply]);

const madeOf = (birth: unknown, sequence: unknown): Made | undefined =>
  typeof birth === 'string' && typeof sequence === 'number' ? { birth, sequence } : undefined;

/** `createdMs` is that of the session that is there, whoever has put it there. */
export const insertOutcome = (reply: unknown): Noted<'inserted' | 'taken'> & { readonly createdMs: number } => {
  const [outcome, isKnown, birth, createdMs] = partsOf(reply);
  return {
    outcome: outcome === 'inserted' || outcome === 'taken' ? outcome : undefined,
    isKnown: isKnown === 1,
    made: madeOf(birth, 1),
    createdMs: Number(createdMs),
  };
};

/** `before` is the first letter of the status that was left. */
export const replaceOutcome = (
  reply: unknown,
): Noted<'replaced' | 'stale' | 'missing'> & { readonly before: unknown } => {
  const [outcome, isKnown, birth, sequence, before] = partsOf(reply);
  const isOutcome = outcome === 'replaced' || outcome === 'stale' || outcome === 'missing';
  return {
    outcome: isOutcome ? outcome : undefined,
    isKnown: outcome !== 'replaced' || isKnown === 1,
    made: madeOf(birth, sequence),
    before,
  };
};

export const removeOutcome = (reply: unknown): Outcome<'removed' | 'stale' | 'missing'> => {
  const [outcome, birth, sequence] = partsOf(reply);
  const isOutcome = outcome === 'removed' || outcome === 'stale' || outcome === 'missing';
  return { outcome: isOutcome ? outcome : undefined, made: madeOf(birth, sequence) };
};

const closed = (state: StateRecord | undefined): AppendOutcome | undefined => state && { outcome: 'closed', state };

export const appendOutcome = (reply: unknown): Outcome<AppendOutcome> => {
  const [first, second, birth] = partsOf(reply);
  if (typeof first === 'number')
    return { outcome: { outcome: 'appended', position: first }, made: madeOf(birth, second) };
  if (first === 'missing' || first === 'full') return { outcome: { outcome: first } };
  return { outcome: first === 'closed' && typeof second === 'string' ? closed(decodeState(second)) : undefined };
};

/** Lines of a journal, and what there is to know of the whole. */
export interface JournalPart {
  readonly lines: string;
  /** How much of the journal they are, in the unit in which the server counts. */
  readonly span: number;
  /** How long the journal is, and how many entries it has. */
  readonly length: number;
  readonly entries: number;
  /** The id of the write that created the session. */
  readonly birth: string;
}

export const journalPart = (reply: unknown): JournalPart | 'missing' | 'astray' | undefined => {
  if (reply === 'missing' || reply === 'astray') return reply;
  const [lines, span, length, entries, birth] = partsOf(reply);
  const isPart = typeof lines === 'string' && typeof span === 'number' && typeof birth === 'string';
  if (!isPart || typeof length !== 'number' || typeof entries !== 'number') return undefined;
  return { lines, span: span === -1 ? lines.length : span, length, entries, birth };
};

/** The members of a deadline index, each followed by its deadline. */
export const dueSessions = (membersWithScores: readonly string[]): DueSession[] => {
  const due: DueSession[] = [];
  for (let at = 0; at + 1 < membersWithScores.length; at += 2) {
    due.push({ ...keyOfDue(String(membersWithScores[at])), deadline: Number(membersWithScores[at + 1]) });
  }
  return due;
};
