import type { MessageState } from '../../../src/service/turn-results.js';
import type { PositionedEntry } from '../../../src/session/session.js';
import { judgeRuns, overlapsIn } from './judge-runs.js';
import { type Mark, marksThat } from './marks.js';
import { Stops } from './stops.js';

type Histories = ReadonlyMap<string, readonly PositionedEntry[]>;

/** What has become of messages that are in no history; `missing` if no session knows them. */
export type Fates = ReadonlyMap<string, MessageState | 'missing'>;

/** What is wrong with sessions whose turns are over, and what has been done to them. */
export interface Verdict {
  /** Messages that their senders know to be stored, and that are nowhere. */
  lost: number;
  takenTwice: number;
  answeredTwice: number;
  /** Answers before their message, by another turn, or to a message of no history. */
  misanswered: number;
  unanswered: number;
  /** Messages after one that was sent when they were known to be stored. */
  outOfOrder: number;
  /** Answers after one of a higher fencing token. */
  disordered: number;
  withdrawnAndTaken: number;
  /** Runs whose answer was stored by nobody, without a crash, a cancel or a rewind. */
  thrownAway: number;
  /** Those that a crash has ended, and a cancel or a rewind. */
  crashed: number;
  stopped: number;
  /** Those whose lease has run out: the machine was too slow. */
  ranOut: number;
  /** Sessions that a process had while another process was still within its lease. */
  overlaps: number;
}

interface Answer {
  readonly run: string;
  readonly names: readonly string[];
  readonly fencingToken: number;
  readonly entry: PositionedEntry;
}

const answersIn = (history: readonly PositionedEntry[]): readonly Answer[] =>
  history.flatMap((entry) => {
    if (entry.data === undefined) return [];
    const { run, answers, fencingToken } = Object(entry.data);
    return [{ run, names: answers, fencingToken, entry }];
  });

const messagesIn = (history: readonly PositionedEntry[]) =>
  history.flatMap(({ message, id, ...entry }) =>
    message === true && id !== undefined ? [{ name: id, ...entry }] : [],
  );

/** The messages that are in the histories. */
const takenIn = (histories: Histories): ReadonlySet<string> =>
  new Set(
    [...histories.values()].flatMap((history) => messagesIn(history).map(({ name }) => name)),
  );

/** The messages whose fate the histories do not show. */
export const absentFrom = (histories: Histories, marks: readonly Mark[]) => {
  const taken = takenIn(histories);
  return marksThat(marks, 'sent').filter(({ name }) => !taken.has(name));
};

class Judge {
  readonly counts: Verdict = {
    lost: 0,
    takenTwice: 0,
    answeredTwice: 0,
    misanswered: 0,
    unanswered: 0,
    outOfOrder: 0,
    disordered: 0,
    withdrawnAndTaken: 0,
    thrownAway: 0,
    crashed: 0,
    stopped: 0,
    ranOut: 0,
    overlaps: 0,
  };
  readonly #marks: readonly Mark[];
  readonly #stops: Stops;
  readonly #sent: ReadonlyMap<string, { readonly begun: number; readonly at: number }>;

  constructor(marks: readonly Mark[]) {
    this.#marks = marks;
    this.#stops = new Stops(marks);
    this.#sent = new Map(marksThat(marks, 'sent').map((mark) => [mark.name, mark]));
  }

  histories(histories: Histories): void {
    const taken = new Set<string>();
    for (const [id, history] of histories) {
      for (const { name } of messagesIn(history)) {
        if (taken.has(name)) this.counts.takenTwice += 1;
        taken.add(name);
      }
      this.#order(history);
      this.#answers(id, history);
    }
  }

  #order(history: readonly PositionedEntry[]): void {
    let latest = 0;
    for (const { name } of messagesIn(history)) {
      const { begun = 0, at = Number.POSITIVE_INFINITY } = this.#sent.get(name) ?? {};
      if (at < latest) this.counts.outOfOrder += 1;
      latest = Math.max(latest, begun);
    }
    let token = 0;
    for (const { fencingToken } of answersIn(history)) {
      if (fencingToken < token) this.counts.disordered += 1;
      token = fencingToken;
    }
  }

  #answers(id: string, history: readonly PositionedEntry[]): void {
    const messages = messagesIn(history);
    const byName = new Map(messages.map((message) => [message.name, message]));
    const answered = new Set<string>();
    for (const { names, entry } of answersIn(history)) {
      for (const name of names) {
        const message = byName.get(name);
        if (answered.has(name)) this.counts.answeredTwice += 1;
        const isIts = message?.turn === entry.turn && (message?.position ?? 0) < entry.position;
        if (message === undefined || !isIts) this.counts.misanswered += 1;
        answered.add(name);
      }
    }
    for (const { name } of messages)
      if (!answered.has(name)) this.#silence(id, this.#sent.get(name)?.begun ?? 0);
  }

  /** A cancel or a rewind since a message was sent may have ended its turn without an answer. */
  #silence(id: string, begun: number): void {
    if (!this.#stops.between(id, begun, Number.POSITIVE_INFINITY)) this.counts.unanswered += 1;
  }

  fates(histories: Histories, fates: Fates): void {
    for (const { id, name, begun } of absentFrom(histories, this.#marks)) {
      const fate = fates.get(name);
      if (fate === 'waiting' || fate === 'taken') this.counts.unanswered += 1;
      else if (fate === 'withdrawn' && this.#stops.withdraws(id, name)) continue;
      else if (fate === 'superseded' && this.#stops.rewinds(id, begun)) continue;
      else this.counts.lost += 1;
    }
  }

  withdrawals(taken: ReadonlySet<string>): void {
    const given = new Set(taken);
    for (const mark of this.#marks)
      if (mark.did === 'begin' || mark.did === 'given')
        for (const name of mark.names) given.add(name);
    for (const { withdrawn } of marksThat(this.#marks, 'heard'))
      this.counts.withdrawnAndTaken += withdrawn.filter((name) => given.has(name)).length;
  }

  runs(histories: Histories): void {
    const kept = [...histories.values()].flatMap((history) => answersIn(history));
    const judged = judgeRuns(this.#marks, new Set(kept.map(({ run }) => run)), this.#stops);
    Object.assign(this.counts, judged, { overlaps: overlapsIn(this.#marks, this.#stops) });
  }
}

export const judge = (histories: Histories, fates: Fates, marks: readonly Mark[]): Verdict => {
  const judging = new Judge(marks);
  judging.histories(histories);
  judging.fates(histories, fates);
  judging.withdrawals(takenIn(histories));
  judging.runs(histories);
  return judging.counts;
};
