import type { PositionedEntry } from '../../../src/session/session.js';

/** What a process does with a session, in the order in which all processes did it. */
export interface Mark {
  /** It has the session, or lets it go. */
  readonly did: 'begin' | 'end';
  readonly id: string;
  readonly fencingToken: number;
  /** Until when the lease of a `begin` lasts, even if it is never renewed. */
  readonly until?: number;
  readonly at: number;
}

/**
 * Number of times that a process had a session while another one was still within its lease, alive
 * or not.
 */
export const overlapsIn = (marks: readonly Mark[]): number => {
  const holders = new Map<string, Mark>();
  let overlaps = 0;
  for (const mark of marks) {
    const held = holders.get(mark.id);
    if (mark.did === 'begin') {
      if (held !== undefined && mark.at < (held.until ?? 0)) overlaps += 1;
      holders.set(mark.id, mark);
    } else if (held?.fencingToken === mark.fencingToken) {
      holders.delete(mark.id);
    }
  }
  return overlaps;
};

/** What is wrong with the histories of sessions whose work is done. */
export interface Verdict {
  readonly turns: number;
  readonly answeredTwice: number;
  readonly forgotten: number;
  /** Answers after one of a higher fencing token. */
  readonly disordered: number;
}

export const judge = (histories: readonly (readonly PositionedEntry[])[]): Verdict => {
  const verdict = { turns: 0, answeredTwice: 0, forgotten: 0, disordered: 0 };
  for (const history of histories) {
    const answers = new Map<number, number>();
    let last = 0;
    for (const { data } of history) {
      if (data === undefined) continue;
      const { answerTo, fencingToken } = Object(data);
      answers.set(answerTo, (answers.get(answerTo) ?? 0) + 1);
      if (fencingToken < last) verdict.disordered += 1;
      last = fencingToken;
    }
    for (const { role, position } of history) {
      if (role !== 'user') continue;
      const count = answers.get(position) ?? 0;
      verdict.turns += 1;
      if (count === 0) verdict.forgotten += 1;
      if (count > 1) verdict.answeredTwice += 1;
    }
  }
  return verdict;
};
