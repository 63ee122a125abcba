import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { judge } from './bars.js';
import { drawBars } from './pictures/bar-chart.js';
import { fullPictures, peersPictures } from './pictures/pictures.js';
import type { Results } from './results.js';

/** Draws the newest saved results, and writes the table of figures into the README of the benchmarks. */

const RESULTS = 'benchmarks/results';
const README = 'benchmarks/README.md';
const START = '<!-- figures -->';
const END = '<!-- /figures -->';

const newest = (kind: Results['kind']): Results | undefined => {
  const file = readdirSync(RESULTS)
    .filter((name) => name.endsWith(`-${kind}.json`))
    .sort()
    .at(-1);
  return file === undefined ? undefined : JSON.parse(readFileSync(`${RESULTS}/${file}`, 'utf8'));
};

const tableOf = (runs: readonly Results[]): string => {
  const rows = runs
    .flatMap(judge)
    .map(
      ({ figure, bar, value, reached }) =>
        `| ${figure} | ${bar} | ${value.toFixed(2)} | ${reached ? 'yes' : '**no**'} |`,
    );
  return ['| Figure | Bar | Measured | Reached |', '|---|---|---|---|', ...rows].join('\n');
};

const machineOf = ({ date, kind, machine }: Results): string => {
  const packages = Object.entries(machine.packages).map(([name, version]) => `${name} ${version}`);
  return (
    `${kind === 'peers' ? 'The peers' : 'The full set'} on ${date.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ` +
    `${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, Redis ${machine.redis}, ${packages.join(', ')}, ` +
    `commit ${machine.commit}.`
  );
};

const full = newest('full');
const peers = newest('peers');
const pictures = { ...(full && fullPictures(full)), ...(peers && peersPictures(peers)) };
for (const [name, picture] of Object.entries(pictures)) {
  writeFileSync(`benchmarks/pictures/${name}.svg`, `${drawBars(picture)}\n`);
}
const runs = [full, peers].filter((run) => run !== undefined);
const figures = `${runs.map(machineOf).join('\n\n')}\n\n${tableOf(runs)}`;
const [before = '', rest = ''] = readFileSync(README, 'utf8').split(START);
const [, after = ''] = rest.split(END);
writeFileSync(README, `${before}${START}\n${figures}\n${END}${after}`);
