import type { PositionedEntry } from '../../../src/session/session.js';

/** What a process does with a session, in the order in which all processes did it. */
export interface Held {
  /** It has the session, or lets it go. */
  readonly did: 'begin' | 'end';
  readonly id: string;
  readonly fencingToken: number;
  /** Until when the lease of a `begin` lasts, even if it is never renewed. */
  readonly until?: number;
  readonly at: number;
}

/** A message that its sender knows to be stored. */
export interface Sent {
  readonly did: 'sent';
  readonly id: string;
  readonly name: string;
  /** When its sender sent it for the first time. */
  readonly begun: number;
  readonly at: number;
}

export type Mark = Held | Sent;

/**
 * Number of times that a process had a session while another one was still within its lease, alive
 * or not.
 */
export const overlapsIn = (marks: readonly Mark[]): number => {
  const holders = new Map<string, Held>();
  let overlaps = 0;
  for (const mark of marks) {
    if (mark.did === 'sent') continue;
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

/** What is wrong with the histories of sessions whose turns are over. */
export interface Verdict {
  /** Messages in the histories. */
  readonly messages: number;
  /** Messages that their senders know to be stored, and that are in no history. */
  readonly lost: number;
  readonly takenTwice: number;
  readonly answeredTwice: number;
  readonly unanswered: number;
  /** Messages after one that was sent when they were known to be stored. */
  readonly outOfOrder: number;
  /** Answers after one of a higher fencing token. */
  readonly disordered: number;
}

type Counts = { -readonly [name in keyof Verdict]: number };

const answersIn = (history: readonly PositionedEntry[], counts: Counts): Map<string, number> => {
  const answers = new Map<string, number>();
  let last = 0;
  for (const { data } of history) {
    if (data === undefined) continue;
    const { answers: names, fencingToken } = Object(data);
    for (const name of names) answers.set(name, (answers.get(name) ?? 0) + 1);
    if (fencingToken < last) counts.disordered += 1;
    last = fencingToken;
  }
  return answers;
};

const judgeOne = (
  history: readonly PositionedEntry[],
  sent: ReadonlyMap<string, Sent>,
  taken: Set<string>,
  counts: Counts,
): void => {
  const answers = answersIn(history, counts);
  let latest = 0;
  for (const { message, id } of history) {
    if (message !== true || id === undefined) continue;
    const { begun = 0, at = Number.POSITIVE_INFINITY } = sent.get(id) ?? {};
    const count = answers.get(id) ?? 0;
    counts.messages += 1;
    if (taken.has(id)) counts.takenTwice += 1;
    if (count === 0) counts.unanswered += 1;
    if (count > 1) counts.answeredTwice += 1;
    if (at < latest) counts.outOfOrder += 1;
    latest = Math.max(latest, begun);
    taken.add(id);
  }
};

export const judge = (
  histories: readonly (readonly PositionedEntry[])[],
  marks: readonly Mark[],
): Verdict => {
  const sent = new Map<string, Sent>();
  for (const mark of marks) if (mark.did === 'sent') sent.set(mark.name, mark);
  const counts: Counts = {
    messages: 0,
    lost: 0,
    takenTwice: 0,
    answeredTwice: 0,
    unanswered: 0,
    outOfOrder: 0,
    disordered: 0,
  };
  const taken = new Set<string>();
  for (const history of histories) judgeOne(history, sent, taken, counts);
  for (const name of sent.keys()) if (!taken.has(name)) counts.lost += 1;
  return counts;
};
