import { mkdirSync, writeFileSync } from 'node:fs';
import type { Machine } from './harness/machine.js';
import type { Effort, GroupResult } from './harness/measure.js';
import type { Count } from './subjects/suite.js';

/** A figure beside what it must reach. */
export interface Judged {
  readonly figure: string;
  readonly bar: string;
  readonly value: number;
  readonly reached: boolean;
}

/** Everything that one run has found, as it is saved. */
export interface Results {
  /** Of this format. */
  readonly version: 1;
  /** RFC 3339. */
  readonly date: string;
  readonly kind: 'quick' | 'full' | 'peers';
  readonly machine: Machine;
  readonly effort: Effort;
  readonly groups: readonly GroupResult[];
  readonly counts: readonly Count[];
}

/** Saves the results under their date; quick ones out of the way, since nobody should judge by them. */
export const save = (results: Results, bars: readonly Judged[]): string => {
  const folder = results.kind === 'quick' ? 'benchmarks/.build' : 'benchmarks/results';
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${results.date.slice(0, 10)}-${results.kind}.json`;
  writeFileSync(file, `${JSON.stringify({ ...results, bars }, null, 1)}\n`);
  return file;
};

const padded = (cells: readonly string[]): string => {
  const [name = '', ...figures] = cells;
  return `  ${name.padEnd(44)}${figures.map((figure) => figure.padStart(12)).join('')}`;
};

const time = (us: number): string => (us < 10 ? `${(us * 1000).toFixed(0)} ns` : `${us.toFixed(1)} us`);

/** A group as people read it on a terminal. */
export const tableOf = ({ group, callers, measurements }: GroupResult): string =>
  [
    `${group} (${callers} at a time)`,
    padded(['', 'time', 'CPU', 'ratio', 'quartiles']),
    ...measurements.map(({ subject, wallUs, cpuUs, ratio, note }) => {
      const quartiles = `${ratio.lower.toFixed(2)}-${ratio.upper.toFixed(2)}`;
      const line = padded([subject, time(wallUs.median), time(cpuUs), ratio.median.toFixed(2), quartiles]);
      return note === undefined ? line : `${line}  ${note}`;
    }),
  ].join('\n');
