import { readFileSync, writeFileSync } from 'node:fs';
import type { GroupResult } from '../harness/index.js';
import type { Results } from '../results.js';
import { BASE } from './engine.js';

const README = 'benchmarks/peers/README.md';
const START = '<!-- figures -->';
const END = '<!-- /figures -->';

const timeOf = (us: number): string => {
  if (us >= 1000) return `${(us / 1000).toFixed(us >= 10_000 ? 0 : 1)} ms`;
  return us >= 10 ? `${us.toFixed(0)} us` : `${us.toFixed(1)} us`;
};

/** Three digits are what such a factor is worth. */
const timesAs = (factor: number): string =>
  Number(factor.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 2 });

const rowsOf = ({ group, callers, measurements }: GroupResult): readonly string[] => [
  `| ${group[0]?.toUpperCase()}${group.slice(1)}, ${callers} caller | Time | Quartiles | Times as long | Holds, gives, and does not |`,
  '|---|---:|---:|---:|---|',
  ...measurements.map(({ subject, wallUs, ratios, note }) => {
    const quartiles = `${timeOf(wallUs.lower)} - ${timeOf(wallUs.upper)}`;
    return `| ${subject} | ${timeOf(wallUs.median)} | ${quartiles} | ${timesAs(1 / (ratios[BASE]?.wall.median ?? Number.NaN))} | ${note ?? ''} |`;
  }),
  '',
];

/** The figures of a run as Markdown. */
export const tablesOf = ({ date, machine, groups, counts, effort }: Results): string => {
  const packages = Object.entries(machine.packages).map(([name, version]) => `${name} ${version}`);
  return [
    `${date.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, ` +
      `Node ${machine.node}, Redis ${machine.redis}, ${packages.join(', ')}, commit ${machine.commit}. ` +
      `Medians of ${effort.rounds} rounds; "times as long" is the median of the rounds' own ratios.`,
    '',
    ...groups.flatMap(rowsOf),
    '| What becomes of data | Count |',
    '|---|---:|',
    ...counts.map(({ figure, value }) => `| ${figure} | ${value} |`),
  ].join('\n');
};

/** Puts the tables into this project's README, in place of those of the run before. */
export const writeReadme = (tables: string): void => {
  const [before = '', rest = ''] = readFileSync(README, 'utf8').split(START);
  const [, after = ''] = rest.split(END);
  writeFileSync(README, `${before}${START}\n${tables}\n${END}${after}`);
};
