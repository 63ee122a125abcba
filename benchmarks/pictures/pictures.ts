import type { Results } from '../results.js';
import type { BarPicture } from './bar-chart.js';

const groupsOf = ({ groups }: Results, name: RegExp, callers?: number) =>
  groups.filter((found) => name.test(found.group) && (callers === undefined || found.callers === callers));

const LIST_SUBJECTS = [
  ['list', 'the same page again'],
  ['list, histories looked at', 'the same page again, histories looked at'],
  ['list of any page', 'any page'],
  ['list of any page, histories looked at', 'any page, histories looked at'],
] as const;

const redisList = (results: Results): BarPicture => {
  const groups = groupsOf(results, /^redis list, page of/, 32);
  return {
    title: 'Redis: a page of sessions beside GET and JSON.parse of the ready-made page, 32 callers',
    unit: 'pages a second, GET and JSON.parse = 1 (more is better)',
    categories: groups.map(({ group }) => group.replace('redis list, ', '')),
    series: LIST_SUBJECTS.map(([subject, name]) => ({
      name,
      values: groups.map(({ measurements }) => measurements.find((found) => found.subject === subject)?.ratio.median),
    })),
    line: 1,
  };
};

const grouped = (text: string): string => text.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'));

/** Times as long as the first subject of each group. */
const relative = (results: Results, title: string, groups: readonly (readonly [RegExp, string])[]): BarPicture => {
  const found = groups.flatMap(([name, label]) => groupsOf(results, name).map((group) => ({ label, ...group })));
  const categories = [...new Set(found.flatMap(({ measurements }) => measurements.map(({ subject }) => subject)))];
  return {
    title,
    unit: 'time of one call, first row = 1 (less is better)',
    categories: categories.map(grouped),
    series: found.map(({ label, measurements }) => ({
      name: label,
      values: categories.map((subject) => {
        const ratio = measurements.find((measurement) => measurement.subject === subject)?.ratio.median;
        return ratio === undefined ? undefined : 1 / ratio;
      }),
    })),
    line: 1,
  };
};

const http = (results: Results): BarPicture => {
  const rows = groupsOf(results, /^HTTP/).flatMap(({ group, limit, measurements }) =>
    measurements
      .filter(({ subject }) => subject !== limit)
      .map(({ subject, ratio }) => ({ name: `${group}: ${subject}`, value: ratio.median })),
  );
  return {
    title: 'Over HTTP: the node mount beside a bare node:http listener with the same bytes',
    unit: 'requests a second, bare listener = 1 (more is better)',
    categories: rows.map(({ name }) => name),
    series: [{ name: 'colloquy', values: rows.map(({ value }) => value) }],
    line: 1,
  };
};

const peers = (results: Results): BarPicture => {
  const rows = results.groups.flatMap(({ measurements }, at) =>
    measurements.map(({ subject, wallUs }) => ({
      name: `${subject}${subject.startsWith('colloquy') ? [' (Redis)', ' (memory)'][at] : ''}`,
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
    title: 'Memory of a session with ten history entries',
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

/** The picture of a run beside the peers. */
export const peersPictures = (results: Results): Readonly<Record<string, BarPicture>> => ({ peers: peers(results) });
