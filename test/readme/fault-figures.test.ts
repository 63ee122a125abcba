import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, root, rowsOf } from './documents.js';

interface Saved {
  readonly day: string;
  readonly figures: readonly { promise: string; figure: string; value: number | string }[];
}

const RESULTS = join(root, 'test/faults/results');

const saved: readonly Saved[] = readdirSync(RESULTS)
  .toSorted()
  .map((name) => ({
    ...JSON.parse(readFileSync(join(RESULTS, name), 'utf8')),
    day: name.replace('.json', ''),
  }));

/** The figures of a row: which writes were acknowledged, lost, and applied twice. */
interface Run {
  readonly promise: string;
  readonly counted: readonly [acknowledged: RegExp, lost: RegExp, twice: RegExp];
}

const failover = (settings: string): Run => ({
  promise: 'a master may be killed under its sentinels',
  counted: [
    new RegExp(`^${settings}: acknowledged writes$`),
    new RegExp(`^${settings}: acknowledged writes lost`),
    new RegExp(`^${settings}: doubled$`),
  ],
});

const runs: readonly Run[] = [
  {
    promise: 'acknowledged writes survive a crash of the server',
    counted: [/^acknowledged writes, /, /^lost, /, /^doubled, /],
  },
  {
    promise: 'SQLite: answers are true, whatever fails',
    counted: [
      /^50 kills of a host: acknowledged$/,
      /^50 kills of a host: acknowledged and lost$/,
      /^50 kills of a host: doubled$/,
    ],
  },
  {
    promise: 'PostgreSQL: answers are true, whatever fails',
    counted: [
      /^50 kills of the server .*: acknowledged$/,
      /^50 kills of the server .*: acknowledged and lost$/,
      /^50 kills of the server .*: doubled$/,
    ],
  },
  failover('min-replicas-to-write 1'),
  failover('settings as they come'),
  {
    promise:
      'each message is taken and answered once, in order, also where workers and hosts are killed',
    counted: [/: messages$/, /: messages lost$/, /: messages answered twice$/],
  },
];

/** The sum over all clients, or undefined if the day has no such figure. */
const sumOn = ({ figures }: Saved, { promise }: Run, form: RegExp): number | undefined => {
  const found = figures.filter((each) => each.promise === promise && form.test(each.figure));
  if (found.length === 0) return undefined;
  return found.reduce((sum, { value }) => sum + Number(value), 0);
};

/** What the latest day that has the run has counted. */
const latest = (run: Run): readonly string[] => {
  const day = saved.findLast((each) => sumOn(each, run, run.counted[0]) !== undefined);
  if (day === undefined) throw new Error(`no run has saved: ${run.promise}`);
  const sums = run.counted.map((form) => sumOn(day, run, form)?.toLocaleString('en-US') ?? '');
  return [day.day, ...sums];
};

describe('the figures of fault tests in the documents', () => {
  test('are those of the latest saved run of each test', () => {
    const rows = rowsOf(documentOf('docs/guarantees.md'), 'Killed', 'Run of');
    expect(rows.map(([, ...figures]) => figures)).toEqual(runs.map(latest));
  });
});
