import type { GroupResult } from '../harness/measure.js';
import type { Results } from '../results.js';
import { mainFigures, measurementOf, rateOf, shortTextOf, storeNames } from '../store-figures.js';
import type { BarPicture } from './bar-chart.js';

const groupsOf = ({ groups }: Results, name: RegExp, callers?: number) =>
  groups.filter(
    (found) => name.test(found.group) && (callers === undefined || found.callers === callers),
  );

/** How much of the limit's rate a group's subject has, by the clock or by CPU time. */
const ratioOf = (
  { measurements }: GroupResult,
  subject: string,
  limit: string,
  by: 'wall' | 'cpu',
): number | undefined =>
  measurements.find((found) => found.subject === subject)?.ratios[limit]?.[by].median;

/** The subject `list` of each group beside each of its limits. */
const besideLimits = (groups: readonly GroupResult[], prefix: string) => ({
  categories: groups.map(({ group }) => group.replace(prefix, '')),
  series: [...new Set(groups.flatMap(({ limits }) => limits))].map((limit) => ({
    name: `of ${limit}`,
    values: groups.map((group) => ratioOf(group, 'list', limit, 'wall')),
  })),
  line: 1,
});

const redisList = (results: Results): BarPicture => ({
  title: 'Redis: any page of 10,000 sessions, 32 callers, beside the same by hand',
  unit: 'pages a second, the limit = 1 (more is better)',
  ...besideLimits(groupsOf(results, /^redis list, any page/, 32), 'redis list, '),
});

const http = (results: Results): BarPicture => {
  const groups = groupsOf(results, /^HTTP list/);
  const rows = groups.flatMap((group) =>
    group.limits.map((limit) => ({
      name: `${group.group.replace('HTTP list, ', '')}: of ${limit}`,
      value: ratioOf(group, 'nodeListener', limit, 'cpu'),
    })),
  );
  return {
    title: 'Over HTTP: the node mount beside node:http and the same by hand',
    unit: "requests a second of the server's CPU time, the limit = 1 (more is better)",
    categories: rows.map(({ name }) => name),
    series: [{ name: 'colloquy', values: rows.map(({ value }) => value) }],
    line: 1,
  };
};

const grouped = (text: string): string =>
  text.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'));

/** Times as long as the first subject of each group. */
const relative = (
  results: Results,
  title: string,
  groups: readonly (readonly [RegExp, string])[],
): BarPicture => {
  const found = groups.flatMap(([name, label]) =>
    groupsOf(results, name).map((group) => ({ label, group })),
  );
  const categories = [
    ...new Set(found.flatMap(({ group }) => group.measurements.map(({ subject }) => subject))),
  ];
  return {
    title,
    unit: 'time of one call, first row = 1 (less is better)',
    categories: categories.map(grouped),
    series: found.map(({ label, group }) => ({
      name: label,
      values: categories.map((subject) => {
        const ratio = ratioOf(group, subject, group.measurements[0]?.subject ?? '', 'wall');
        return ratio === undefined ? undefined : 1 / ratio;
      }),
    })),
    line: 1,
  };
};

/** Rows that are a variant of another row: they are in the table. */
const VARIANT = /looked at|page \d\d|scanCount|no messages stored|with a limit/;

const peers = (results: Results): BarPicture => {
  const rows = groupsOf(results, /^list /).flatMap(({ group, measurements }) =>
    measurements
      .filter(({ subject }) => !VARIANT.test(subject))
      .map(({ subject, wallUs }) => ({
        name: `${group.match(/(?:on|in) (\w+)/)?.[1]}: ${subject}`,
        value: wallUs.median,
      })),
  );
  return {
    title: 'Ten of 10,000 sessions, one caller',
    unit: 'microseconds a list, logarithmic (less is better)',
    categories: rows.map(({ name }) => grouped(name)),
    series: [{ name: 'time', values: rows.map(({ value }) => value) }],
    logarithmic: true,
  };
};

const space = ({ counts }: Results): BarPicture => {
  const bytes = counts.filter(({ unit }) => unit === 'bytes');
  return {
    title: 'Space of a session with ten history entries',
    unit: 'bytes',
    categories: bytes.map(({ figure }) => grouped(figure)),
    series: [{ name: 'bytes', values: bytes.map(({ value }) => value) }],
  };
};

/** The pictures of a full run, by the names of their files. */
export const fullPictures = (results: Results): Readonly<Record<string, BarPicture>> => ({
  'redis-list': redisList(results),
  sizes: relative(results, 'A page of ten by the number of sessions', [
    [/^redis list by/, 'Redis'],
    [/^memory list by/, 'memory'],
  ]),
  append: relative(results, 'An append by the length of the history', [
    [/^redis append by/, 'Redis'],
    [/^redis append with/, 'Redis, with an operationId'],
    [/^memory append by/, 'memory'],
    [/^memory append with/, 'memory, with an operationId'],
  ]),
  http: http(results),
  space: space(results),
});

/** The stores beside each other: what a user looks for first. All figures are in a table. */
const stores = (results: Results): BarPicture => ({
  title: 'Calls a second of one caller; in brackets: divided by the rate of hand-written code',
  unit: 'calls a second, logarithmic (more is better)',
  categories: mainFigures.map(({ label }) => label),
  series: storeNames.map((name) => {
    const found = mainFigures.map((figure) => ({
      figure,
      measurement: measurementOf(results, name, figure),
    }));
    return {
      name,
      values: found.map(({ measurement }) => measurement && rateOf(measurement)),
      texts: found.map(
        ({ figure, measurement }) => measurement && shortTextOf(measurement, figure),
      ),
    };
  }),
  logarithmic: true,
});

export const storesPictures = (results: Results): Readonly<Record<string, BarPicture>> => ({
  stores: stores(results),
});

/** The picture of a run beside the peers. */
export const peersPictures = (results: Results): Readonly<Record<string, BarPicture>> => ({
  peers: peers(results),
});
