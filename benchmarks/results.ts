import { mkdirSync, writeFileSync } from 'node:fs';
import type { Machine } from './harness/machine.js';
import type { Effort, GroupResult } from './harness/measure.js';
import type { Spread } from './harness/statistics.js';
import type { Count } from './subjects/suite.js';

/** A figure beside what it must reach. */
export interface Judged {
  readonly figure: string;
  readonly bar: string;
  readonly value: number;
  /** Where the middle half of the rounds was, if the figure is one of rounds. */
  readonly quartiles?: readonly [number, number];
  readonly reached: boolean;
}

/** The saved results of one run. */
export interface Results {
  /** Of this format. */
  readonly version: 2;
  /** RFC 3339. */
  readonly date: string;
  readonly kind: 'quick' | 'full' | 'stores' | 'fair' | 'peers';
  readonly machine: Machine;
  readonly effort: Effort;
  readonly groups: readonly GroupResult[];
  readonly counts: readonly Count[];
}

/**
 * Saves the results with their date. Results of quick runs go to another folder, since they are not
 * reliable.
 */
export const save = (results: Results, bars: readonly Judged[]): string => {
  const folder = results.kind === 'quick' ? 'benchmarks/.build' : 'benchmarks/results';
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${results.date.slice(0, 10)}-${results.kind}.json`;
  writeFileSync(file, `${JSON.stringify({ ...results, bars }, null, 1)}\n`);
  return file;
};

const titles = {
  full: 'The full set',
  quick: 'A quick run',
  stores: 'The four stores',
  fair: 'Beside the same guarantees by hand',
  peers: 'The peers',
} as const;

const loadOf = ({ load }: Machine): string =>
  load === undefined ? 'load before the run not saved' : `load before the run ${load.toFixed(1)}`;

/** A line that says when and where the results were measured, and whether the machine was quiet. */
export const machineOf = ({ date, kind, machine }: Results): string => {
  const packages = Object.entries(machine.packages).map(([name, version]) => `${name} ${version}`);
  return (
    `${titles[kind]} on ${date.slice(0, 10)}, ${loadOf(machine)}: ${machine.cpu}, ${machine.cores} cores, ` +
    `${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, Redis ${machine.redis}, ${packages.join(', ')}, ` +
    `commit ${machine.commit}.`
  );
};

const padded = (cells: readonly string[]): string => {
  const [name = '', ...figures] = cells;
  return `  ${name.padEnd(52)}${figures.map((figure) => figure.padStart(12)).join('')}`;
};

const shown = (value: number): string => value.toFixed(2);

const quartilesOf = ({ lower, upper }: Spread): string => `${shown(lower)}-${shown(upper)}`;

const time = (us: number): string =>
  us < 10 ? `${(us * 1000).toFixed(0)} ns` : `${us.toFixed(1)} us`;

/**
 * A group as people read it on a terminal: for each limit the ratios by the clock and by CPU time.
 */
export const tableOf = ({ group, callers, limits, measurements }: GroupResult): string =>
  [
    `${group} (${callers} at a time)`,
    ...limits.flatMap((limit) => [
      padded([
        `beside: ${limit}`,
        'time',
        'CPU',
        'server',
        'ratio',
        'quartiles',
        'by CPU',
        'quartiles',
        'with server',
        'p50',
        'p99',
      ]),
      ...measurements.flatMap(({ subject, wallUs, cpuUs, serverUs, latencyUs, ratios, note }) => {
        const ratio = ratios[limit];
        if (ratio === undefined) return [];
        const spreads = [ratio.wall, ratio.cpu].flatMap((spread) => [
          shown(spread.median),
          quartilesOf(spread),
        ]);
        const least = ratio.least === undefined ? '' : shown(ratio.least);
        const latencies =
          latencyUs === undefined ? [] : [time(latencyUs.p50.median), time(latencyUs.p99.median)];
        const line = padded([
          subject,
          time(wallUs.median),
          time(cpuUs.median),
          serverUs === undefined ? '' : time(serverUs.median),
          ...spreads,
          least,
          ...latencies,
        ]);
        return [note === undefined ? line : `${line}  ${note}`];
      }),
    ]),
  ].join('\n');
