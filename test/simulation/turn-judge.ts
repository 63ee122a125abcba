import { type PositionedEntry, type SessionService, unwrap } from '../../src/index.js';
import { judgeRuns } from '../faults/workers/judge-runs.js';
import { Stops } from '../faults/workers/stops.js';
import type { Manners, Spoken, Told } from './turning.js';

interface Answer {
  readonly run: string;
  readonly answers: readonly string[];
  readonly turn: number | undefined;
  readonly position: number;
}

const answerIn = ({ data, turn, position }: PositionedEntry): readonly Answer[] => {
  if (data === undefined) return [];
  const { run, answers } = Object(data);
  return [{ run, answers, turn, position }];
};

/** A message in a history. */
interface Taken {
  readonly position: number;
  readonly turn: number | undefined;
}

const takenIn = (entries: readonly PositionedEntry[], faults: string[]): Map<string, Taken> => {
  const taken = new Map<string, Taken>();
  for (const { message, id, position, turn } of entries) {
    if (message !== true || id === undefined) continue;
    if (taken.has(id)) faults.push(`${id} was taken twice`);
    taken.set(id, { position, turn });
  }
  return taken;
};

/** Messages that come after a message that was sent later. */
const disorderIn = (
  taken: ReadonlyMap<string, Taken>,
  spoken: ReadonlyMap<string, Spoken>,
): readonly string[] => {
  const faults: string[] = [];
  let latest = 0;
  for (const name of taken.keys()) {
    const { begun = 0, heard = Number.POSITIVE_INFINITY } = spoken.get(name) ?? {};
    if (heard < latest) faults.push(`${name} was taken after later messages`);
    latest = Math.max(latest, begun);
  }
  return faults;
};

/** Messages with several answers, or with an answer before them or by another turn. */
const misansweredIn = (
  taken: ReadonlyMap<string, Taken>,
  answers: readonly Answer[],
): readonly string[] => {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { answers: names, turn, position, run } of answers) {
    for (const name of names) {
      const message = taken.get(name);
      if (seen.has(name)) faults.push(`${name} was answered twice`);
      if (message === undefined) faults.push(`${run} answers ${name}, which is not there`);
      else if (message.position > position) faults.push(`${name} was answered before it was taken`);
      else if (message.turn !== turn) faults.push(`${name} was answered by another turn`);
      seen.add(name);
    }
  }
  return faults;
};

/** Finds contradictions in the state of a message that was stored. */
const fateFaults = async (
  sessions: SessionService,
  name: string,
  { id }: Spoken,
  isTaken: boolean,
): Promise<readonly string[]> => {
  const { state, repeated } = unwrap(await sessions.send(id, { id: name, content: name }));
  if (repeated !== true) return [`${name} was lost`];
  if (state === 'waiting' || state === 'taken') return [`${name} is ${state} at the end`];
  return (state === 'answered') === isTaken ? [] : [`${name} is ${state} against the history`];
};

/** Finds the faults of a session after all turns have ended. */
export const faultsOf = async (
  sessions: SessionService,
  id: string,
  told: Told,
  { changes }: Manners,
): Promise<readonly string[]> => {
  const faults: string[] = [];
  const { entries } = unwrap(await sessions.history(id, { last: 1000 }));
  const taken = takenIn(entries, faults);
  const answers = entries.flatMap(answerIn);
  faults.push(...disorderIn(taken, told.spoken), ...misansweredIn(taken, answers));
  for (const [name, spoken] of told.spoken) {
    if (spoken.id !== id) continue;
    const isTaken = taken.has(name);
    if (told.withdrawn.has(name) && (isTaken || told.given.has(name)))
      faults.push(`${name} was withdrawn and taken`);
    if (spoken.heard !== undefined)
      faults.push(...(await fateFaults(sessions, name, spoken, isTaken)));
  }
  if (changes) return faults;
  const answered = new Set(answers.flatMap(({ answers: names }) => names));
  for (const name of taken.keys()) if (!answered.has(name)) faults.push(`${name} has no answer`);
  return faults;
};

/**
 * Counts runs that were lost without a crash, a cancel or a rewind. A hanging run returns no
 * answer.
 */
export const wastedIn = ({ marks }: Told): number => {
  const { thrownAway, ranOut } = judgeRuns(marks, new Set(), new Stops(marks));
  return thrownAway + ranOut;
};
