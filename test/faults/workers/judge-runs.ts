import { type Begin, type Mark, marksThat } from './marks.js';
import type { Stops } from './stops.js';

/** The turns of each session, in the order of their claims. */
const beginsIn = (marks: readonly Mark[]): ReadonlyMap<string, readonly Begin[]> => {
  const begins = new Map<string, Begin[]>();
  for (const mark of marksThat(marks, 'begin').toSorted((a, b) => a.fencingToken - b.fencingToken))
    begins.set(mark.id, [...(begins.get(mark.id) ?? []), mark]);
  return begins;
};

/**
 * Number of times that a process had a session while another process was still within its lease.
 */
export const overlapsIn = (marks: readonly Mark[], stops: Stops): number => {
  const ended = new Set(
    marksThat(marks, 'end').map(({ id, fencingToken }) => `${fencingToken} ${id}`),
  );
  let overlaps = 0;
  for (const [id, begins] of beginsIn(marks)) {
    begins.forEach((begin, at) => {
      const next = begins[at + 1];
      if (next === undefined || next.since >= begin.until) return;
      const isOver = ended.has(`${begin.fencingToken} ${id}`);
      if (!isOver && !stops.between(id, begin.since, next.since)) overlaps += 1;
    });
  }
  return overlaps;
};

/**
 * Runs that have returned an answer which nobody has stored, without a reason: it must be a crash
 * of the process before another process had the session, or a cancel or a rewind.
 */
export const judgeRuns = (marks: readonly Mark[], kept: ReadonlySet<string>, stops: Stops) => {
  const ran = new Set(marksThat(marks, 'ran').map(({ run }) => run));
  const stored = new Set(marksThat(marks, 'stored').map(({ run }) => run));
  const died = new Map(marksThat(marks, 'died').map(({ who, at }) => [who, at]));
  const counts = { crashed: 0, stopped: 0, thrownAway: 0, ranOut: 0 };
  for (const [id, begins] of beginsIn(marks)) {
    begins.forEach(({ run, who, since, until }, at) => {
      if (!ran.has(run) || stored.has(run) || kept.has(run)) return;
      const next = begins[at + 1]?.since ?? Number.POSITIVE_INFINITY;
      const hasCrashed = (died.get(who) ?? Number.POSITIVE_INFINITY) <= next && died.has(who);
      if (hasCrashed) counts.crashed += 1;
      else if (stops.between(id, since, next)) counts.stopped += 1;
      else if (next !== Number.POSITIVE_INFINITY && next >= until) counts.ranOut += 1;
      else counts.thrownAway += 1;
    });
  }
  return counts;
};
