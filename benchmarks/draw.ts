import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { judge } from './bars.js';
import { fairTable } from './fair-table.js';
import { writePeers } from './peers/table.js';
import { drawBars } from './pictures/bar-chart.js';
import { fullPictures, peersPictures, storesPictures } from './pictures/pictures.js';
import { machineOf, type Results } from './results.js';
import { sessionsPerGigabyte } from './space-figures.js';
import {
  callersTable,
  listFigures,
  storeTable,
  summaryTable,
  writeFigures,
} from './store-figures.js';

/** Draws the newest saved results, and writes the tables of figures into the READMEs. */

const RESULTS = 'benchmarks/results';
const README = 'benchmarks/README.md';
const FIGURES = 'benchmarks/figures.md';
const TARGETS = 'benchmarks/targets.md';

const newest = (kind: Results['kind']): Results | undefined => {
  const file = readdirSync(RESULTS)
    .filter((name) => name.endsWith(`-${kind}.json`))
    .sort()
    .at(-1);
  return file === undefined ? undefined : JSON.parse(readFileSync(`${RESULTS}/${file}`, 'utf8'));
};

const tableOf = (runs: readonly Results[]): string => {
  // A later run of a part of the figures replaces those of an earlier run. Within a run, several
  // may be "the same".
  const judged = runs.flatMap((run, at) => {
    const later = new Set(
      runs
        .slice(at + 1)
        .flatMap(judge)
        .map(({ figure }) => figure),
    );
    return judge(run).filter(({ figure }) => !later.has(figure));
  });
  const rows = judged.map(
    ({ figure, bar, value, reached }) =>
      `| ${figure} | ${bar} | ${value.toFixed(2)} | ${reached ? 'yes' : '**no**'} |`,
  );
  return ['| Figure | Bar | Measured | Reached |', '|---|---|---|---|', ...rows].join('\n');
};

/** Replaces what stands between the marks of this name. */
const write = (file: string, name: string, text: string): void => {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(start);
  const [, after = ''] = rest.split(end);
  writeFileSync(file, `${before}${start}\n${text}\n${end}${after}`);
};

/** Saved runs also measured peers that are no longer compared. */
const dropped = /^(?:connect-redis|express-session|redis$)/;

const withoutDropped = (run: Results): Results => ({
  ...run,
  machine: {
    ...run.machine,
    packages: Object.fromEntries(
      Object.entries(run.machine.packages).filter(([name]) => !dropped.test(name)),
    ),
  },
  groups: run.groups.map((group) => ({
    ...group,
    measurements: group.measurements.filter(({ subject }) => !dropped.test(subject)),
  })),
  counts: run.counts.filter(({ figure }) => !dropped.test(figure)),
});

const full = newest('full');

/** The newest run that measured this part, by itself or within the full set. */
const newestOf = (part: 'stores' | 'fair'): Results | undefined =>
  [newest(part), full]
    .filter((run) => run !== undefined)
    .filter(({ groups }) => groups.some(({ group }) => group.startsWith(`${part}, `)))
    .sort((a, b) => b.date.localeCompare(a.date))[0];

const measuredPeers = newest('peers');
const peers = measuredPeers && withoutDropped(measuredPeers);
const fair = newestOf('fair');
const stores = newestOf('stores');
const pictures = {
  ...(full && fullPictures(full)),
  ...(stores && storesPictures(stores)),
  ...(peers && peersPictures(peers)),
};
for (const [name, picture] of Object.entries(pictures)) {
  writeFileSync(`benchmarks/pictures/${name}.svg`, `${drawBars(picture)}\n`);
}
if (peers !== undefined) writePeers(peers);
if (fair !== undefined) write(README, 'fair', fairTable(fair));
const runs = [...new Set([full, stores, fair, peers])].filter((run) => run !== undefined);
write(TARGETS, 'figures', `${runs.map(machineOf).join('\n\n')}\n\n${tableOf(runs)}`);
if (stores !== undefined) {
  const table = storeTable(stores, [...Object.values(listFigures), ...Object.values(writeFigures)]);
  write(FIGURES, 'stores', table);
  const perGigabyte = sessionsPerGigabyte(full?.counts ?? []);
  write(FIGURES, 'summary', `${summaryTable(stores)}\n${perGigabyte}\n\n${machineOf(stores)}`);
  const { append, appendOfMany, create, createOfMany } = writeFigures;
  const { first, firstOfMany } = listFigures;
  const gains = [
    { label: 'append', one: append, many: appendOfMany },
    { label: 'create', one: create, many: createOfMany },
    { label: 'newest page', one: first, many: firstOfMany },
  ];
  write(README, 'stores', callersTable(stores, gains));
}
